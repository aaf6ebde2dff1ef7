/** Random messages of every form that there is, for either dialect. Points are on the curve, signatures are only so many bytes. */
import fc from 'fast-check';
import type {
  ContractCase,
  ContractDescriptor,
  ContractInfo,
  FixedPoint,
  OracleInfo,
  PayoutCurvePiece,
  PayoutPoint,
  RoundingInterval,
} from '../../../../src/core/dlc/contract-info.ts';
import type { Dialect } from '../../../../src/core/dlc/dialect.ts';
import type { AcceptMessage, ContractParty, OfferMessage, SignMessage } from '../../../../src/core/dlc/dlc-messages.ts';
import { noncesOf } from '../../../../src/core/dlc/messages/announcement.ts';
import { binaryFraction } from '../../../../src/core/dlc/messages/binary-fraction.ts';
import { textProblem } from '../../../../src/core/dlc/messages/wire-text.ts';
import type { EventDescriptor, OracleAnnouncement, OracleAttestation } from '../../../../src/core/dlc/oracle-event.ts';
import { ecc } from '../../../../src/core/keys/ecc.ts';
import { scalarBytes } from '../../../../src/core/keys/scalars.ts';

const points = Array.from(
  { length: 40 },
  (_, at) => new Uint8Array(ecc.pointFromScalar(scalarBytes(BigInt(at + 1)), true) as Uint8Array),
);

const u8 = fc.integer({ min: 0, max: 0xff });
const u16 = fc.integer({ min: 0, max: 0xffff });
const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
const u64 = fc.bigInt(0n, 0xffff_ffff_ffff_ffffn);
const bytes = (least: number, most = least): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: least, maxLength: most });
const point = fc.constantFrom(...points);
const xOnly = point.map((one) => one.slice(1));
const text = fc
  .string({ unit: 'grapheme', maxLength: 20 })
  .map((one) => one.normalize('NFC'))
  .filter((one) => textProblem(one) === null);

const few = <T>(one: fc.Arbitrary<T>, least = 0, most = 4): fc.Arbitrary<T[]> =>
  fc.array(one, { minLength: least, maxLength: most });

const eventDescriptor: fc.Arbitrary<EventDescriptor> = fc.oneof(
  fc.record({ kind: fc.constant('enum' as const), outcomes: few(text) }),
  fc.record({
    kind: fc.constant('digits' as const),
    base: u16,
    signed: fc.boolean(),
    unit: text,
    precision: fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff }),
    digits: fc.integer({ min: 0, max: 12 }),
  }),
);

export const arbitraryAnnouncement: fc.Arbitrary<OracleAnnouncement> = eventDescriptor.chain((descriptor) =>
  fc.record({
    signature: bytes(64),
    publicKey: xOnly,
    event: fc.record({
      nonces: few(xOnly, noncesOf(descriptor), noncesOf(descriptor)),
      maturityEpoch: u32,
      descriptor: fc.constant(descriptor),
      eventId: text,
    }),
  }),
);

export const arbitraryAttestation: fc.Arbitrary<OracleAttestation> = fc.integer({ min: 0, max: 5 }).chain((count) =>
  fc.record({
    eventId: text,
    publicKey: xOnly,
    signatures: few(bytes(64), count, count),
    // An empty first outcome looks like the count of the other dialect.
    outcomes: few(
      text.filter((one) => one !== ''),
      count,
      count,
    ),
  }),
);

const payoutPoint: fc.Arbitrary<PayoutPoint> = fc.record({
  eventOutcome: u64,
  payoutSats: u64,
  extraPrecision: u16,
});

const fraction = (dialect: Dialect): fc.Arbitrary<FixedPoint> =>
  dialect === 'tagged'
    ? fc
        .double({ min: -1e30, max: 1e30, noNaN: true })
        .filter((value) => value === 0 || Math.abs(value) > 2 ** -70)
        .map(binaryFraction)
    : fc.record({
        negative: fc.boolean(),
        magnitude: fc.bigInt(0n, (1n << 80n) - 1n),
        fractionBits: fc.constant(16),
      });

const curve = (dialect: Dialect): fc.Arbitrary<PayoutCurvePiece> =>
  fc.oneof(
    fc.record({ kind: fc.constant('polynomial' as const), points: few(payoutPoint) }),
    fc.record({
      kind: fc.constant('hyperbola' as const),
      usePositivePiece: fc.boolean(),
      translateOutcome: fraction(dialect),
      translatePayout: fraction(dialect),
      a: fraction(dialect),
      b: fraction(dialect),
      c: fraction(dialect),
      d: fraction(dialect),
    }),
  );

const roundingIntervals: fc.Arbitrary<RoundingInterval[]> = few(fc.record({ beginInterval: u64, roundingMod: u64 }));

const descriptor = (dialect: Dialect): fc.Arbitrary<ContractDescriptor> =>
  fc.oneof(
    fc.record({
      kind: fc.constant('enumerated' as const),
      payouts: few(fc.record({ outcome: text, offerPayoutSats: u64 })),
    }),
    fc.record({
      kind: fc.constant('numeric' as const),
      digits: u16,
      payoutFunction: fc.record({
        pieces: few(fc.record({ endPoint: payoutPoint, curve: curve(dialect) })),
        lastEndPoint: payoutPoint,
      }),
      roundingIntervals,
    }),
  );

const oracleInfo: fc.Arbitrary<OracleInfo> = fc.oneof(
  fc.record({ kind: fc.constant('single' as const), announcement: arbitraryAnnouncement }),
  fc.record({
    kind: fc.constant('multi' as const),
    threshold: u16,
    announcements: few(arbitraryAnnouncement),
    params: fc.option(fc.record({ maxErrorExp: u16, minFailExp: u16, maximizeCoverage: fc.boolean() })),
  }),
);

const contractCase = (dialect: Dialect): fc.Arbitrary<ContractCase> =>
  fc.record({ descriptor: descriptor(dialect), oracleInfo });

const contractInfo = (dialect: Dialect): fc.Arbitrary<ContractInfo> =>
  fc.oneof(
    fc.record({
      totalCollateralSats: u64,
      disjoint: fc.constant(false),
      cases: few(contractCase(dialect), 1, 1),
    }),
    fc.record({ totalCollateralSats: u64, disjoint: fc.constant(true), cases: few(contractCase(dialect), 1, 3) }),
  );

const party: fc.Arbitrary<ContractParty> = fc.record({
  fundingPublicKey: point,
  payoutScript: bytes(0, 40),
  payoutSerialId: u64,
  collateralSats: u64,
  fundingInputs: few(
    fc.record({
      serialId: u64,
      previousTransaction: bytes(0, 300),
      previousVout: u32,
      sequence: u32,
      maxWitnessLength: u16,
      redeemScript: bytes(0, 40),
    }),
  ),
  changeScript: bytes(0, 40),
  changeSerialId: u64,
});

/** Odd types that ascend, all below 0xfd. */
const tlvs: fc.Arbitrary<Uint8Array> = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 100 }), bytes(0, 30)), { maxLength: 3, selector: ([type]) => type })
  .map((records) =>
    Uint8Array.from(
      records.sort(([one], [other]) => one - other).flatMap(([type, value]) => [type * 2 + 1, value.length, ...value]),
    ),
  );

const adaptorSignatures = fc.integer({ min: 0, max: 5 }).chain((count) => bytes(count * 162));

export const arbitraryOffer = (dialect: Dialect): fc.Arbitrary<OfferMessage> =>
  fc.record({
    protocolVersion: fc.constant(1),
    contractFlags: u8,
    chainHash: bytes(32),
    temporaryContractId: bytes(32),
    contractInfo: contractInfo(dialect),
    party,
    fundOutputSerialId: u64,
    feeRateSatVb: u64,
    cetLocktime: u32,
    refundLocktime: u32,
    tlvs,
  });

const singleNegotiation = fc.record({ kind: fc.constant('single' as const), roundingIntervals });

export const arbitraryAccept: fc.Arbitrary<AcceptMessage> = fc.record({
  protocolVersion: fc.constant(1),
  temporaryContractId: bytes(32),
  party,
  cetAdaptorSignatures: adaptorSignatures,
  refundSignature: bytes(64),
  negotiationFields: fc.option(
    fc.oneof(singleNegotiation, fc.record({ kind: fc.constant('disjoint' as const), fields: few(singleNegotiation) })),
  ),
  tlvs,
});

export const arbitrarySign: fc.Arbitrary<SignMessage> = fc.record({
  protocolVersion: fc.constant(1),
  contractId: bytes(32),
  cetAdaptorSignatures: adaptorSignatures,
  refundSignature: bytes(64),
  fundingSignatures: few(few(bytes(0, 80))),
  tlvs,
});
