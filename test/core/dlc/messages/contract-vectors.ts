/** dlcspecs' full contracts (test/test_vectors): each message as JSON and as bytes. Serial ids exceed 2^53, so numbers stay exact. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type {
  ContractDescriptor,
  ContractInfo,
  FixedPoint,
  OracleInfo,
  PayoutCurvePiece,
  PayoutPoint,
} from '../../../../src/core/dlc/contract-info.ts';
import type { AcceptMessage, ContractParty, OfferMessage, SignMessage } from '../../../../src/core/dlc/dlc-messages.ts';
import { binaryFraction } from '../../../../src/core/dlc/messages/binary-fraction.ts';
import type { EventDescriptor, OracleAnnouncement } from '../../../../src/core/dlc/oracle-event.ts';

const DIRECTORY = new URL('../../../../../shared/vectors/dlc/', import.meta.url);

/** What JSON.parse makes of a vector; whole numbers are bigint. */
type Json = any;

export interface ContractVector {
  readonly name: string;
  readonly offer: { readonly message: OfferMessage; readonly serialized: string };
  readonly accept: { readonly message: AcceptMessage; readonly serialized: string };
  readonly sign: { readonly message: SignMessage; readonly serialized: string };
}

export const vectorsAreHere = existsSync(DIRECTORY);

export const readVector = (file: string, directory: URL = DIRECTORY): Json =>
  JSON.parse(
    readFileSync(new URL(file, directory), 'utf8'),
    (_name: string, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' && context?.source !== undefined && /^\d+$/.test(context.source)
        ? BigInt(context.source)
        : value,
  ) as Json;

/** Every full contract of a directory. */
export function contractVectors(directory: URL = DIRECTORY): ContractVector[] {
  const isContract = (file: string) => /^(enum|single|three|two)_.*_test\.json$/.test(file);
  return readdirSync(directory)
    .filter(isContract)
    .sort()
    .map((file) => {
      const json = readVector(file, directory);
      const { offer_message: offer, accept_message: accept, sign_message: sign } = json as Record<string, Json>;
      return {
        name: file.replace('_test.json', ''),
        offer: { message: offerOf(offer!.message!), serialized: offer!.serialized! },
        accept: { message: acceptOf(accept!.message!), serialized: accept!.serialized! },
        sign: { message: signOf(sign!.message!), serialized: sign!.serialized! },
      };
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
