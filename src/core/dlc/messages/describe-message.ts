/**
 * Messages as doors present them: plain JSON in snake_case. Amounts are BTC with 8 decimals, serial ids (u64) decimal strings, bytes hex;
 * of adaptor signatures, tens of thousands, only the number.
 */
import { formatBtc } from '../../amount.ts';
import { MalformedDataError } from '../../blocks/malformed-data-error.ts';
import { parseTransaction } from '../../blocks/transaction.ts';
import { hex } from '../../bytes.ts';
import { ADAPTOR_SIGNATURE_BYTES } from '../adaptor-signatures/serialization.ts';
import type { Dialect } from '../dialect.ts';
import type { AcceptMessage, FundingInput, NegotiationFields, OfferMessage, SignMessage } from '../dlc-messages.ts';
import { parseAccept } from './accept.ts';
import { parseAnnouncement } from './announcement.ts';
import { parseAttestation } from './attestation.ts';
import { describeContractInfo, describeRounding } from './describe-contract-info.ts';
import { describeAnnouncement, describeAttestation } from './describe-oracle.ts';
import { DlcMessageError } from './message-error.ts';
import { readMessageType } from './message-type.ts';
import { parseOffer } from './offer.ts';
import { parseSign } from './sign.ts';

/** Of whatever the bytes say they are. Throws DlcMessageError. */
export function describeMessage(bytes: Uint8Array, dialect: Dialect) {
  const type = readMessageType(bytes);
  switch (type) {
    case 'offer':
      return { type, offer: describeOffer(parseOffer(bytes, dialect)) };
    case 'accept':
      return { type, accept: describeAccept(parseAccept(bytes, dialect)) };
    case 'sign':
      return { type, sign: describeSign(parseSign(bytes, dialect)) };
    case 'announcement':
      return { type, announcement: describeAnnouncement(parseAnnouncement(bytes)) };
    case 'attestation':
      return { type, attestation: describeAttestation(parseAttestation(bytes, dialect)) };
    case 'oracle_event':
      throw new DlcMessageError(
        'message',
        'type',
        0,
        'is an oracle event that nobody signed, not an announcement of it',
      );
  }
}

const describeOffer = (offer: OfferMessage) => ({
  protocol_version: offer.protocolVersion,
  contract_flags: offer.contractFlags,
  chain_hash: hex(offer.chainHash),
  temporary_contract_id: hex(offer.temporaryContractId),
  contract_info: describeContractInfo(offer.contractInfo),
  ...describeParty(offer),
  fund_output_serial_id: `${offer.fundOutputSerialId}`,
  /** sat/vB */
  fee_rate: `${offer.feeRateSatVb}`,
  cet_locktime: offer.cetLocktime,
  refund_locktime: offer.refundLocktime,
  tlvs: hex(offer.tlvs),
});

const describeAccept = (accept: AcceptMessage) => ({
  protocol_version: accept.protocolVersion,
  temporary_contract_id: hex(accept.temporaryContractId),
  ...describeParty(accept),
  adaptor_signatures: accept.cetAdaptorSignatures.length / ADAPTOR_SIGNATURE_BYTES,
  refund_signature: hex(accept.refundSignature),
  /** By the contract's cases; null where nothing is negotiated. */
  negotiated_rounding: accept.negotiationFields && roundingByCase(accept.negotiationFields),
  tlvs: hex(accept.tlvs),
});

const describeSign = (sign: SignMessage) => ({
  protocol_version: sign.protocolVersion,
  contract_id: hex(sign.contractId),
  adaptor_signatures: sign.cetAdaptorSignatures.length / ADAPTOR_SIGNATURE_BYTES,
  refund_signature: hex(sign.refundSignature),
  /** Of each of the offerer's inputs. */
  funding_witnesses: sign.fundingSignatures.map((witness) => witness.map(hex)),
  tlvs: hex(sign.tlvs),
});

const describeParty = ({ party }: OfferMessage | AcceptMessage) => ({
  collateral: formatBtc(party.collateralSats),
  funding_public_key: hex(party.fundingPublicKey),
  payout_script: hex(party.payoutScript),
  payout_serial_id: `${party.payoutSerialId}`,
  change_script: hex(party.changeScript),
  change_serial_id: `${party.changeSerialId}`,
  funding_inputs: party.fundingInputs.map(describeInput),
});

function describeInput(input: FundingInput) {
  const spent = spentOutput(input);
  return {
    serial_id: `${input.serialId}`,
    /** null where the previous transaction is none, as the amount is, or has no such output. */
    txid: spent.txid,
    vout: input.previousVout,
    amount: spent.amountSats === null ? null : formatBtc(spent.amountSats),
    sequence: input.sequence,
    max_witness_length: input.maxWitnessLength,
    redeem_script: hex(input.redeemScript),
  };
}

function spentOutput(input: FundingInput): { txid: string | null; amountSats: bigint | null } {
  try {
    const { txid, outputs } = parseTransaction(input.previousTransaction);
    return { txid, amountSats: outputs[input.previousVout]?.amountSats ?? null };
  } catch (error) {
    if (!(error instanceof MalformedDataError)) throw error;
    return { txid: null, amountSats: null };
  }
}

const roundingByCase = (fields: NegotiationFields): ReturnType<typeof describeRounding>[] =>
  fields.kind === 'single' ? [describeRounding(fields.roundingIntervals)] : fields.fields.flatMap(roundingByCase);
