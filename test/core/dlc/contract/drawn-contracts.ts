/** Contracts out of fast-check: enumerated, numeric, by one oracle and by two of three. */
import fc from 'fast-check';
import type { ContractInfo } from '../../../../src/core/dlc/contract-info.ts';
import type { OracleAnnouncement } from '../../../../src/core/dlc/oracle-event.ts';
import {
  enumeratedInfo,
  numericInfo,
  oracleInfo,
  type TestContract,
  testContract,
  testParty,
} from '../../../builders/dlc-messages.ts';
import { digitsEvent, digitsOf, enumEvent, type TestOracle, testOracle } from '../../../builders/dlc-oracle.ts';

export interface DrawnContract extends TestContract {
  readonly oracles: readonly TestOracle[];
  readonly announcements: readonly OracleAnnouncement[];
  /** How many oracles decide. */
  readonly threshold: number;
  /** What the oracles may attest, some of it. */
  readonly attestable: readonly (readonly string[])[];
  readonly kind: 'enumerated' | 'numeric';
}

const oracles = ['one', 'two', 'three'].map((name) => testOracle(name));

const sats = fc.bigInt({ min: 2_000n, max: 10_000_000n });

/** A share of the collateral; often nothing, all, or what leaves dust. */
const share = (total: bigint): fc.Arbitrary<bigint> =>
  fc.oneof(fc.constantFrom(0n, total, 999n, 1_000n, total - 999n, total - 1_000n), fc.bigInt({ min: 0n, max: total }));

const decided: fc.Arbitrary<{ count: number; threshold: number }> = fc.constantFrom(
  { count: 1, threshold: 1 },
  { count: 3, threshold: 2 },
);

const enumerated = fc
  .record({ total: sats, outcomes: fc.integer({ min: 2, max: 20 }), decided, single: fc.boolean() })
  .chain(({ total, outcomes, ...rest }) =>
    fc
      .array(share(total), { minLength: outcomes, maxLength: outcomes })
      .map((payouts) => ({ kind: 'enumerated' as const, total, payouts, ...rest })),
  );

const numeric = fc
  .record({
    total: sats,
    digits: fc.integer({ min: 2, max: 6 }),
    decided,
    single: fc.boolean(),
    roundingMod: fc.constantFrom(1n, 100n, 25_000n),
  })
  .chain(({ total, digits, ...rest }) => {
    const last = (1n << BigInt(digits)) - 1n;
    const inner = fc.uniqueArray(fc.bigInt({ min: 1n, max: last - 1n }), { maxLength: 2 });
    const payouts = fc.array(share(total), { minLength: 4, maxLength: 4 });
    return fc.record({ inner, payouts }).map(({ inner: places, payouts: drawn }) => {
      const outcomes = [0n, ...places.sort((a, b) => (a < b ? -1 : 1)), last];
      // Not the same everywhere: then there would be nothing to decide.
      const pays = [0n, ...drawn.slice(0, outcomes.length - 2), total];
      const points = outcomes.map((outcome, at) => [outcome, pays[at] as bigint] as const);
      return { kind: 'numeric' as const, total, digits, points, ...rest };
    });
  });

export const drawnContracts: fc.Arbitrary<DrawnContract> = fc.oneof(enumerated, numeric).map((drawn) => {
  const { count, threshold } = drawn.decided;
  const chosen = oracles.slice(0, count);
  const names = drawn.kind === 'enumerated' ? drawn.payouts.map((_, at) => `outcome ${at}`) : [];
  const event = drawn.kind === 'enumerated' ? enumEvent(...names) : digitsEvent(drawn.digits);
  const announcements = chosen.map((oracle) => oracle.announce(event, 'drawn'));
  const decidedBy = oracleInfo(announcements, threshold);
  const info: ContractInfo =
    drawn.kind === 'enumerated'
      ? enumeratedInfo(
          drawn.total,
          Object.fromEntries(names.map((name, at) => [name, drawn.payouts[at] as bigint])),
          decidedBy,
        )
      : numericInfo(drawn.total, drawn.points, decidedBy, drawn.roundingMod);
  const attestable =
    drawn.kind === 'enumerated'
      ? names.map((name) => [name])
      : Array.from({ length: 2 ** drawn.digits }, (_, value) => digitsOf(BigInt(value), drawn.digits));
  const sides = drawn.single
    ? {
        offerer: testParty('offerer', drawn.total, [drawn.total + 20_000n]),
        accepter: testParty('accepter', 0n, []),
      }
    : {
        offerer: testParty('offerer', drawn.total / 2n, [drawn.total / 2n, 10_000n]),
        accepter: testParty('accepter', drawn.total - drawn.total / 2n, [drawn.total - drawn.total / 2n, 10_500n]),
      };
  const contract = testContract({ info, ...sides });
  return { ...contract, oracles: chosen, announcements, threshold, attestable, kind: drawn.kind };
});
