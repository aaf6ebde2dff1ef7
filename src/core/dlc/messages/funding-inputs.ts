/** The funding inputs of offers and accepts (dlcspecs Messaging.md, funding_input). */
import type { Dialect } from '../dialect.ts';
import type { FundingInput } from '../dlc-messages.ts';
import type { MessageReader } from './message-reader.ts';
import type { MessageWriter } from './message-writer.ts';

const MIN_INPUT_BYTES = 21;

export const readFundingInputs = (reader: MessageReader, dialect: Dialect): FundingInput[] =>
  reader.items(reader.count(MIN_INPUT_BYTES, 'funding_inputs'), 'funding_inputs', () => {
    const input = {
      serialId: reader.u64('input_serial_id'),
      previousTransaction: reader.prefixed('prev_tx'),
      previousVout: reader.u32('prev_tx_vout'),
      sequence: reader.u32('sequence'),
      maxWitnessLength: reader.u16('max_witness_len'),
      redeemScript: reader.script('redeem_script'),
    };
    if (dialect === 'tagged') refuseContractInput(reader);
    return input;
  });

export const writeFundingInputs = (
  writer: MessageWriter,
  inputs: readonly FundingInput[],
  dialect: Dialect,
): MessageWriter =>
  writer.list(inputs, (input) => {
    writer
      .u64(input.serialId, 'input_serial_id')
      .prefixed(input.previousTransaction)
      .u32(input.previousVout, 'prev_tx_vout')
      .u32(input.sequence, 'sequence')
      .u16(input.maxWitnessLength, 'max_witness_len')
      .script(input.redeemScript, 'redeem_script');
    if (dialect === 'tagged') writer.bool(false);
  });

/** dlcdevkit's optional dlc_input says that the input is the funding output of another contract of the two. */
function refuseContractInput(reader: MessageReader): void {
  const start = reader.offset;
  if (reader.bool('dlc_input'))
    throw reader.problem(
      'dlc_input',
      start,
      'spends the funding output of another contract (splicing), which is not supported',
    );
}
