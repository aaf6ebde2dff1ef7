/** Terms of contracts for tests; keys and signatures in them are only so many bytes. */
import type {
  ContractCase,
  NumericDescriptor,
  OracleParams,
  PayoutFunction,
  PayoutPoint,
} from '../../../../src/core/dlc/contract-info.ts';
import type { EventDescriptor, OracleAnnouncement } from '../../../../src/core/dlc/oracle-event.ts';

export const point = (eventOutcome: bigint, payoutSats: bigint, extraPrecision = 0): PayoutPoint => ({
  eventOutcome,
  payoutSats,
  extraPrecision,
});

/** Lines between the points. */
export const lines = (...points: PayoutPoint[]): PayoutFunction => ({
  pieces: points.slice(0, -1).map((endPoint) => ({ endPoint, curve: { kind: 'polynomial', points: [] } })),
  lastEndPoint: points.at(-1)!,
});

export const numeric = (digits: number, payoutFunction: PayoutFunction, roundingMod = 1n): NumericDescriptor => ({
  kind: 'numeric',
  digits,
  payoutFunction,
  roundingIntervals: [{ beginInterval: 0n, roundingMod }],
});

export function announcement(descriptor: EventDescriptor, oracle = 0): OracleAnnouncement {
  const nonces = descriptor.kind === 'enum' ? 1 : descriptor.digits + (descriptor.signed ? 1 : 0);
  return {
    signature: new Uint8Array(64).fill(oracle + 1),
    publicKey: new Uint8Array(32).fill(oracle + 1),
    event: {
      nonces: Array.from({ length: nonces }, (_, i) => new Uint8Array(32).fill(i + 1)),
      maturityEpoch: 1_700_000_000,
      descriptor,
      eventId: 'event',
    },
  };
}

export const digitsEvent = (digits: number): EventDescriptor => ({
  kind: 'digits',
  base: 2,
  signed: false,
  unit: 'USD',
  precision: 0,
  digits,
});

export function numericCase(
  descriptor: NumericDescriptor,
  oracles: { threshold: number; count: number; params?: OracleParams } | null = null,
): ContractCase {
  const event = digitsEvent(descriptor.digits);
  return {
    descriptor,
    oracleInfo: oracles
      ? {
          kind: 'multi',
          threshold: oracles.threshold,
          announcements: Array.from({ length: oracles.count }, (_, oracle) => announcement(event, oracle)),
          params: oracles.params ?? null,
        }
      : { kind: 'single', announcement: announcement(event) },
  };
}

export function enumeratedCase(
  payouts: readonly (readonly [string, bigint])[],
  oracles: { threshold: number; count: number } | null = null,
): ContractCase {
  const event: EventDescriptor = { kind: 'enum', outcomes: payouts.map(([outcome]) => outcome) };
  return {
    descriptor: {
      kind: 'enumerated',
      payouts: payouts.map(([outcome, offerPayoutSats]) => ({ outcome, offerPayoutSats })),
    },
    oracleInfo: oracles
      ? {
          kind: 'multi',
          threshold: oracles.threshold,
          announcements: Array.from({ length: oracles.count }, (_, oracle) => announcement(event, oracle)),
          params: null,
        }
      : { kind: 'single', announcement: announcement(event) },
  };
}
