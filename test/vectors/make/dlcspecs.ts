/** Figures of dlcspecs' tests. Serial ids exceed 2^53: whole numbers are bigint. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  ContractDescriptor,
  ContractInfo,
  FixedPoint,
  OracleInfo,
  PayoutCurvePiece,
  PayoutPoint,
} from '../../../src/core/dlc/contract-info.ts';
import type { AcceptMessage, ContractParty, OfferMessage, SignMessage } from '../../../src/core/dlc/dlc-messages.ts';
import { binaryFraction } from '../../../src/core/dlc/messages/binary-fraction.ts';
import type { EventDescriptor, OracleAnnouncement } from '../../../src/core/dlc/oracle-event.ts';

type Json = any;

const tableOf = (dlcspecs: string, name: string): Json =>
  JSON.parse(
    readFileSync(join(dlcspecs, `test/${name}.json`), 'utf8'),
    (_name: string, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' && context?.source !== undefined && /^\d+$/.test(context.source)
        ? BigInt(context.source)
        : value,
  );

export const contractIdRows = (dlcspecs: string): (string | bigint)[][] =>
  tableOf(dlcspecs, 'contract_id_test').map((row: Json) => [
    row.fundTxId,
    row.fundOutputIndex,
    row.temporaryContractId,
    row.contractId,
  ]);

/** Inputs as lengths: of the redeem script and of the witness, redeem:witness. */
export function feeRows(dlcspecs: string): (string | bigint)[][] {
  const lengths = (inputs: Json) =>
    inputs.map(({ redeemScriptLen, maxWitnessLen }: Json) => `${redeemScriptLen}:${maxWitnessLen}`).join(',');
  return tableOf(dlcspecs, 'dlc_fee_test').map(({ inputs, ...fees }: Json) => [
    inputs.feeRate,
    ...[lengths(inputs.offerInputs), inputs.offerPayoutSPKLen, inputs.offerChangeSPKLen],
    ...[fees.offerFundingFee, fees.offerClosingFee],
    ...[lengths(inputs.acceptInputs), inputs.acceptPayoutSPKLen, inputs.acceptChangeSPKLen],
    ...[fees.acceptFundingFee, fees.acceptClosingFee],
  ]);
}

export const textRows = (dlcspecs: string): string[][] =>
  tableOf(dlcspecs, 'dlc_hash_test').map(({ Variants, Expected, SHA256 }: Json) => [
    Expected,
    SHA256,
    ...Variants.map((text: string) => Buffer.from(text).toString('hex')),
  ]);

export const oracleSignatureRows = (dlcspecs: string): string[][] =>
  tableOf(dlcspecs, 'dlc_schnorr_test').map(({ inputs, pubKey, pubNonce, signature, sigPoint }: Json) => [
    ...[inputs.privKey, inputs.privNonce, inputs.msgHash],
    ...[pubKey, pubNonce, signature, sigPoint],
  ]);

export const adaptorRows = (dlcspecs: string): string[][] =>
  tableOf(dlcspecs, 'ecdsa_adaptor').map((row: Json) => [
    ...[row.kind, typeof row.error === 'string' ? 'invalid' : 'valid', row.adaptor_sig, row.message_hash ?? ''],
    ...[row.public_signing_key ?? '', row.encryption_key ?? '', row.decryption_key ?? '', row.signature ?? ''],
  ]);

const CONTRACTS = [
  'enum_3_of_3',
  'enum_single_oracle',
  'single_oracle_numerical',
  'three_of_three_oracle_numerical',
] as const;

/** Messages in the form that src/core/dlc has them in; bytes as "x:" and hex, bigint as "n:" and digits. */
export function contractRows(dlcspecs: string): string[][] {
  return CONTRACTS.map((name) => {
    const {
      offer_message: offer,
      accept_message: accept,
      sign_message: sign,
    } = tableOf(dlcspecs, `test_vectors/${name}_test`);
    const contract = {
      offer: { message: offerOf(offer.message), serialized: offer.serialized },
      accept: { message: acceptOf(accept.message), serialized: accept.serialized },
      sign: { message: signOf(sign.message), serialized: sign.serialized },
    };
    const text = JSON.stringify(contract, (_name, value: unknown) => {
      if (value instanceof Uint8Array) return `x:${Buffer.from(value).toString('hex')}`;
      return typeof value === 'bigint' ? `n:${value}` : value;
    });
    return [name, text];
  });
}

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

const offerOf = (json: Json): OfferMessage => ({
  protocolVersion: Number(json.protocolVersion),
  contractFlags: Number(json.contractFlags),
  chainHash: bytes(json.chainHash),
  temporaryContractId: bytes(json.temporaryContractId),
  contractInfo: contractInfoOf(json.contractInfo),
  party: partyOf(json, json.offerCollateral),
  fundOutputSerialId: json.fundOutputSerialId,
  feeRateSatVb: json.feeRatePerVb,
  cetLocktime: Number(json.cetLocktime),
  refundLocktime: Number(json.refundLocktime),
  tlvs: new Uint8Array(0),
});

const acceptOf = (json: Json): AcceptMessage => ({
  protocolVersion: Number(json.protocolVersion),
  temporaryContractId: bytes(json.temporaryContractId),
  party: partyOf(json, json.acceptCollateral),
  cetAdaptorSignatures: adaptorSignaturesOf(json.cetAdaptorSignatures),
  refundSignature: compactOf(json.refundSignature),
  negotiationFields: json.negotiationFields,
  tlvs: new Uint8Array(0),
});

const signOf = (json: Json): SignMessage => ({
  protocolVersion: Number(json.protocolVersion),
  contractId: bytes(json.contractId),
  cetAdaptorSignatures: adaptorSignaturesOf(json.cetAdaptorSignatures),
  refundSignature: compactOf(json.refundSignature),
  fundingSignatures: json.fundingSignatures.fundingSignatures.map((input: Json) =>
    input.witnessElements.map(({ witness }: Json) => bytes(witness)),
  ),
  tlvs: new Uint8Array(0),
});

const partyOf = (json: Json, collateralSats: bigint): ContractParty => ({
  fundingPublicKey: bytes(json.fundingPubkey),
  payoutScript: bytes(json.payoutSpk),
  payoutSerialId: json.payoutSerialId,
  collateralSats,
  fundingInputs: json.fundingInputs.map((input: Json) => ({
    serialId: input.inputSerialId,
    previousTransaction: bytes(input.prevTx),
    previousVout: Number(input.prevTxVout),
    sequence: Number(input.sequence),
    maxWitnessLength: Number(input.maxWitnessLen),
    redeemScript: bytes(input.redeemScript),
  })),
  changeScript: bytes(json.changeSpk),
  changeSerialId: json.changeSerialId,
});

function contractInfoOf(json: Json): ContractInfo {
  const disjoint = json.disjointContractInfo !== undefined;
  const { totalCollateral, contractInfo, contractInfos } = json.disjointContractInfo ?? json.singleContractInfo;
  return {
    totalCollateralSats: totalCollateral,
    disjoint,
    cases: (contractInfos ?? [contractInfo]).map((one: Json) => ({
      descriptor: descriptorOf(one.contractDescriptor),
      oracleInfo: oracleInfoOf(one.oracleInfo),
    })),
  };
}

function descriptorOf(json: Json): ContractDescriptor {
  if (json.enumeratedContractDescriptor)
    return {
      kind: 'enumerated',
      payouts: json.enumeratedContractDescriptor.payouts.map((payout: Json) => ({
        outcome: payout.outcome,
        offerPayoutSats: payout.localPayout ?? payout.offerPayout,
      })),
    };
  const { numDigits, payoutFunction, roundingIntervals } = json.numericOutcomeContractDescriptor;
  return {
    kind: 'numeric',
    digits: Number(numDigits),
    payoutFunction: {
      pieces: payoutFunction.payoutFunctionPieces.map(({ endPoint, payoutCurvePiece }: Json) => ({
        endPoint: pointOf(endPoint),
        curve: curveOf(payoutCurvePiece),
      })),
      lastEndPoint: pointOf(payoutFunction.lastEndpoint),
    },
    roundingIntervals: roundingIntervals.intervals,
  };
}

function curveOf(json: Json): PayoutCurvePiece {
  if (json.polynomialPayoutCurvePiece)
    return { kind: 'polynomial', points: json.polynomialPayoutCurvePiece.payoutPoints.map(pointOf) };
  const { usePositivePiece, ...parameters } = json.hyperbolaPayoutCurvePiece;
  const fraction = (name: string): FixedPoint => binaryFraction(Number(parameters[name]));
  return {
    kind: 'hyperbola',
    usePositivePiece,
    translateOutcome: fraction('translateOutcome'),
    translatePayout: fraction('translatePayout'),
    a: fraction('a'),
    b: fraction('b'),
    c: fraction('c'),
    d: fraction('d'),
  };
}

const pointOf = (json: Json): PayoutPoint => ({
  eventOutcome: json.eventOutcome,
  payoutSats: json.outcomePayout,
  extraPrecision: Number(json.extraPrecision),
});

function oracleInfoOf(json: Json): OracleInfo {
  if (json.single) return { kind: 'single', announcement: announcementOf(json.single.oracleAnnouncement) };
  const { threshold, oracleAnnouncements, oracleParams } = json.multi;
  return {
    kind: 'multi',
    threshold: Number(threshold),
    announcements: oracleAnnouncements.map(announcementOf),
    params: oracleParams
      ? {
          maxErrorExp: Number(oracleParams.maxErrorExp),
          minFailExp: Number(oracleParams.minFailExp),
          maximizeCoverage: oracleParams.maximizeCoverage,
        }
      : null,
  };
}

const announcementOf = (json: Json): OracleAnnouncement => ({
  signature: bytes(json.announcementSignature),
  publicKey: bytes(json.oraclePublicKey),
  event: {
    nonces: json.oracleEvent.oracleNonces.map(bytes),
    maturityEpoch: Number(json.oracleEvent.eventMaturityEpoch),
    descriptor: eventDescriptorOf(json.oracleEvent.eventDescriptor),
    eventId: json.oracleEvent.eventId,
  },
});

function eventDescriptorOf({ enumEvent, digitDecompositionEvent: digits }: Json): EventDescriptor {
  if (enumEvent) return { kind: 'enum', outcomes: enumEvent.outcomes };
  return {
    kind: 'digits',
    base: Number(digits.base),
    signed: digits.isSigned,
    unit: digits.unit,
    precision: Number(digits.precision),
    digits: Number(digits.nbDigits),
  };
}

const adaptorSignaturesOf = ({ ecdsaAdaptorSignatures }: Json): Uint8Array =>
  Uint8Array.from(Buffer.concat(ecdsaAdaptorSignatures.map(({ signature }: Json) => bytes(signature))));

/** The vectors show signatures in DER. */
function compactOf(der: string): Uint8Array {
  const signature = Buffer.from(der, 'hex');
  const r = signature.subarray(4, 4 + signature[3]!);
  const s = signature.subarray(4 + r.length + 2);
  const fixed = (value: Buffer): Buffer => Buffer.concat([Buffer.alloc(32), value]).subarray(-32);
  return Uint8Array.from(Buffer.concat([fixed(r), fixed(s)]));
}
