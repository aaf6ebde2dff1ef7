import type { Dialect } from '../dialect.ts';
import { type AcceptMessage, MESSAGE_TYPE, type NegotiationFields } from '../dlc-messages.ts';
import { readAdaptorSignatures, writeAdaptorSignatures } from './adaptor-signatures.ts';
import { readFundingInputs, writeFundingInputs } from './funding-inputs.ts';
import type { MessageReader } from './message-reader.ts';
import type { MessageWriter } from './message-writer.ts';
import { readIn } from './other-dialect.ts';
import { readRoundingIntervals, writeRoundingIntervals } from './payout-function.ts';
import { readTlvStream } from './tlv-stream.ts';
import { beginMessage, openMessage } from './wire-message.ts';

/**
 * An accept message and nothing else (dlcspecs Protocol.md, "The `accept_dlc` Message"). Byte strings are views of `bytes`; signatures are
 * not looked into. Throws DlcMessageError.
 */
export const parseAccept = (bytes: Uint8Array, dialect: Dialect): AcceptMessage =>
  readIn(dialect, (one) => readAccept(bytes, one));

function readAccept(bytes: Uint8Array, dialect: Dialect): AcceptMessage {
  const reader = openMessage(bytes, 'accept', MESSAGE_TYPE.accept);
  const temporaryContractId = reader.take(32, 'temporary_contract_id');
  const collateralSats = reader.u64('accept_collateral');
  const accept: AcceptMessage = {
    protocolVersion: 1,
    temporaryContractId,
    party: {
      collateralSats,
      fundingPublicKey: reader.point('funding_pubkey'),
      payoutScript: reader.script('payout_spk'),
      payoutSerialId: reader.u64('payout_serial_id'),
      fundingInputs: readFundingInputs(reader, dialect),
      changeScript: reader.script('change_spk'),
      changeSerialId: reader.u64('change_serial_id'),
    },
    cetAdaptorSignatures: readAdaptorSignatures(reader),
    refundSignature: reader.take(64, 'refund_signature'),
    negotiationFields: reader.optional('negotiation_fields', () => readNegotiation(reader, false)),
    tlvs: readTlvStream(reader),
  };
  reader.done();
  return accept;
}

export function serializeAccept(accept: AcceptMessage, dialect: Dialect): Uint8Array {
  const { party } = accept;
  const writer = beginMessage(MESSAGE_TYPE.accept, accept.protocolVersion, accept.cetAdaptorSignatures.length + 4096)
    .fixed(accept.temporaryContractId, 32, 'temporary_contract_id')
    .u64(party.collateralSats, 'accept_collateral')
    .fixed(party.fundingPublicKey, 33, 'funding_pubkey')
    .script(party.payoutScript, 'payout_spk')
    .u64(party.payoutSerialId, 'payout_serial_id');
  writeFundingInputs(writer, party.fundingInputs, dialect)
    .script(party.changeScript, 'change_spk')
    .u64(party.changeSerialId, 'change_serial_id');
  writeAdaptorSignatures(writer, accept.cetAdaptorSignatures)
    .fixed(accept.refundSignature, 64, 'refund_signature')
    .bool(accept.negotiationFields !== null);
  if (accept.negotiationFields !== null) writeNegotiation(writer, accept.negotiationFields);
  return writer.bytes(accept.tlvs).done();
}

function readNegotiation(reader: MessageReader, nested: boolean): NegotiationFields {
  const start = reader.offset;
  const type = reader.bigSize('type');
  if (type === 0n) return { kind: 'single', roundingIntervals: readRoundingIntervals(reader) };
  // The events of a disjoint contract are not disjoint themselves.
  if (type !== 1n || nested)
    throw reader.problem(
      'type',
      start,
      `is ${type}${nested ? ', and must be single (0) here' : ', neither single (0) nor disjoint (1)'}`,
    );
  return {
    kind: 'disjoint',
    fields: reader.items(reader.count(2, 'fields'), 'fields', () => readNegotiation(reader, true)),
  };
}

function writeNegotiation(writer: MessageWriter, fields: NegotiationFields): void {
  if (fields.kind === 'single') writeRoundingIntervals(writer.bigSize(0), fields.roundingIntervals);
  else writer.bigSize(1).list(fields.fields, (field) => writeNegotiation(writer, field));
}
