import { MAX_SATS } from '../../amount.ts';
import { DomainError } from '../../errors.ts';
import type { ContractParty, FundingInput } from '../dlc-messages.ts';
import type { ContractInput } from './contract-transaction.ts';
import { type PreviousOutput, previousOutput } from './previous-output.ts';

export type Side = 'offer' | 'accept';
export const otherSide = (side: Side): Side => (side === 'offer' ? 'accept' : 'offer');

/** A funding input with what its previous transaction says of the output that it spends. */
export interface FundingCoin extends ContractInput {
  readonly side: Side;
  /** Which of its side's funding inputs it is, as the message lists them. */
  readonly position: number;
  readonly serialId: bigint;
  readonly amountSats: bigint;
  /** hex */
  readonly scriptPubKey: string;
  readonly redeemScript: Uint8Array;
  readonly maxWitnessLength: number;
}

/** In the order of the message. Throws `contract_refused` naming the input whose previous transaction is malformed or has no such output. */
export function fundingCoins(side: Side, party: ContractParty): FundingCoin[] {
  return party.fundingInputs.map((input, position) => fundingCoin(side, input, position));
}

/** One of them. */
export function fundingCoin(side: Side, input: FundingInput, position: number): FundingCoin {
  const output = spentOutput(side, input, position);
  if (!output || output.amountSats < 0n || output.amountSats > MAX_SATS)
    throw refusedInput(side, position, `its previous transaction has no output ${input.previousVout}`);
  const { serialId, sequence, redeemScript, maxWitnessLength } = input;
  return {
    side,
    position,
    serialId,
    ...output,
    vout: input.previousVout,
    sequence,
    scriptSig: redeemScript.length === 0 ? redeemScript : Buffer.concat([Buffer.of(redeemScript.length), redeemScript]),
    redeemScript,
    maxWitnessLength,
  };
}

/** Found once for each input of a message, however often that is looked at. */
const known = new WeakMap<FundingInput, PreviousOutput | null>();

function spentOutput(side: Side, input: FundingInput, position: number): PreviousOutput | null {
  // A push of one byte is all that the fees count; witness programs are no longer.
  if (input.redeemScript.length > 42) throw refusedInput(side, position, 'its redeem script is no witness program');
  let output = known.get(input);
  if (output === undefined) {
    try {
      output = previousOutput(input.previousTransaction, input.previousVout);
    } catch {
      throw refusedInput(side, position, 'its previous transaction is malformed');
    }
    known.set(input, output);
  }
  return output;
}

const refusedInput = (side: Side, position: number, problem: string): DomainError =>
  new DomainError(
    'contract_refused',
    `funding_inputs: the ${side}'s funding input ${position} cannot be spent: ${problem}`,
    {
      field: `${side}.funding_inputs[${position}]`,
    },
  );
