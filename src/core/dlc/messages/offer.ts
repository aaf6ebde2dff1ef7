import type { Dialect } from '../dialect.ts';
import { MESSAGE_TYPE, type OfferMessage } from '../dlc-messages.ts';
import { readContractInfo, writeContractInfo } from './contract-info.ts';
import { readFundingInputs, writeFundingInputs } from './funding-inputs.ts';
import type { MessageReader } from './message-reader.ts';
import { readIn } from './other-dialect.ts';
import { readTlvStream } from './tlv-stream.ts';
import { beginMessage, openMessage } from './wire-message.ts';

/**
 * An offer and nothing else (dlcspecs Protocol.md, "The `offer_dlc` Message"). Byte strings are views of `bytes`.
 * Says whether the bytes are an offer, not whether it is a good one. Throws DlcMessageError.
 */
export const parseOffer = (bytes: Uint8Array, dialect: Dialect): OfferMessage =>
  readIn(dialect, (one) => readOffer(bytes, one));

function readOffer(bytes: Uint8Array, dialect: Dialect): OfferMessage {
  const reader = openMessage(bytes, 'offer', MESSAGE_TYPE.offer);
  const contractFlags = reader.u8('contract_flags');
  const chainHash = reader.take(32, 'chain_hash');
  const temporaryContractId = reader.take(32, 'temporary_contract_id');
  const contractInfo = reader.within('contract_info', () => readContractInfo(reader, dialect));
  const party = readParty(reader, dialect);
  const offer: OfferMessage = {
    protocolVersion: 1,
    contractFlags,
    chainHash,
    temporaryContractId,
    contractInfo,
    party,
    fundOutputSerialId: reader.u64('fund_output_serial_id'),
    feeRateSatVb: reader.u64('fee_rate_per_vb'),
    cetLocktime: reader.u32('cet_locktime'),
    refundLocktime: reader.u32('refund_locktime'),
    tlvs: readTlvStream(reader),
  };
  reader.done();
  return offer;
}

export function serializeOffer(offer: OfferMessage, dialect: Dialect): Uint8Array {
  const { party } = offer;
  const writer = beginMessage(MESSAGE_TYPE.offer, offer.protocolVersion, 4096)
    .u8(offer.contractFlags, 'contract_flags')
    .fixed(offer.chainHash, 32, 'chain_hash')
    .fixed(offer.temporaryContractId, 32, 'temporary_contract_id');
  writeContractInfo(writer, offer.contractInfo, dialect);
  writer
    .fixed(party.fundingPublicKey, 33, 'funding_pubkey')
    .script(party.payoutScript, 'payout_spk')
    .u64(party.payoutSerialId, 'payout_serial_id')
    .u64(party.collateralSats, 'offer_collateral');
  return writeFundingInputs(writer, party.fundingInputs, dialect)
    .script(party.changeScript, 'change_spk')
    .u64(party.changeSerialId, 'change_serial_id')
    .u64(offer.fundOutputSerialId, 'fund_output_serial_id')
    .u64(offer.feeRateSatVb, 'fee_rate_per_vb')
    .u32(offer.cetLocktime, 'cet_locktime')
    .u32(offer.refundLocktime, 'refund_locktime')
    .bytes(offer.tlvs)
    .done();
}

const readParty = (reader: MessageReader, dialect: Dialect): OfferMessage['party'] => ({
  fundingPublicKey: reader.point('funding_pubkey'),
  payoutScript: reader.script('payout_spk'),
  payoutSerialId: reader.u64('payout_serial_id'),
  collateralSats: reader.u64('offer_collateral'),
  fundingInputs: readFundingInputs(reader, dialect),
  changeScript: reader.script('change_spk'),
  changeSerialId: reader.u64('change_serial_id'),
});
