import { describe, expect, it } from 'vitest';
import type {
  ContractCase,
  ContractInfo,
  NumericDescriptor,
  OracleParams,
} from '../../../../src/core/dlc/contract-info.ts';
import { validateContractInfo } from '../../../../src/core/dlc/outcomes/validate-contract-info.ts';
import { DomainError } from '../../../../src/core/errors.ts';
import { contractVectors } from '../messages/contract-vectors.ts';
import { announcement, digitsEvent, enumeratedCase, lines, numeric, numericCase, point } from './contract-cases.ts';
import { hyperbola } from './hyperbolas.ts';

const TOTAL = 1_000n;

function refusedField(cases: ContractCase | ContractCase[], total = TOTAL): string | null {
  const info: ContractInfo = {
    totalCollateralSats: total,
    disjoint: Array.isArray(cases),
    cases: [cases].flat(),
  };
  try {
    validateContractInfo(info);
    return null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.code).toBe('contract_refused');
    return error.details.field ?? '';
  }
}

const curve = lines(point(0n, 0n), point(7n, 1000n), point(15n, 1000n));
const sound = numericCase(numeric(4, curve));
const outcomes = [
  ['a', 0n],
  ['b', 1000n],
] as const;

describe('terms of a contract', () => {
  it('are accepted where they say what everything pays', () => {
    expect(refusedField(sound)).toBeNull();
    expect(refusedField(enumeratedCase(outcomes, { threshold: 2, count: 3 }))).toBeNull();
    expect(refusedField([sound, enumeratedCase(outcomes)])).toBeNull();
  });

  it('pay each announced outcome once, within the collateral', () => {
    const one = enumeratedCase(outcomes);
    const paying = (...payouts: [string, bigint][]): ContractCase => ({
      ...one,
      descriptor: {
        kind: 'enumerated',
        payouts: payouts.map(([outcome, offerPayoutSats]) => ({ outcome, offerPayoutSats })),
      },
    });
    expect(refusedField(paying(['a', 1n]))).toBe('descriptor.payouts');
    expect(refusedField(paying(['a', 1n], ['b', 1001n]))).toBe('descriptor.payouts[1]');
    expect(refusedField(paying(['a', 1n], ['b', -1n]))).toBe('descriptor.payouts[1]');
    expect(refusedField(paying(['a', 1n], ['b', 1n], ['a', 1n]))).toBe('descriptor.payouts[2]');
    expect(refusedField(paying(['a', 1n], ['b', 1n], ['c', 1n]))).toBe('descriptor.payouts[2]');
    expect(refusedField([sound, paying(['a', 1n])])).toBe('cases[1].descriptor.payouts');
    expect(refusedField(one, 0n)).toBe('total_collateral');
    expect(refusedField([])).toBe('cases');
  });

  it('take digits as they are announced: as many, in base 2, without a sign, from each oracle', () => {
    const announcing = (event: Parameters<typeof announcement>[0]): ContractCase => ({
      ...sound,
      oracleInfo: { kind: 'single', announcement: announcement(event) },
    });
    const digits = digitsEvent(4) as Extract<ReturnType<typeof digitsEvent>, { kind: 'digits' }>;
    expect(refusedField(announcing(digitsEvent(5)))).toBe('oracle_info.announcements[0]');
    expect(refusedField(announcing({ ...digits, base: 10 }))).toBe('oracle_info.announcements[0]');
    expect(refusedField(announcing({ ...digits, signed: true }))).toBe('oracle_info.announcements[0]');
    expect(refusedField(announcing({ kind: 'enum', outcomes: ['a'] }))).toBe('oracle_info.announcements[0]');
    expect(refusedField({ ...enumeratedCase(outcomes), oracleInfo: sound.oracleInfo })).toBe(
      'oracle_info.announcements[0]',
    );
    const several = (second: ReturnType<typeof announcement>): ContractCase => ({
      ...sound,
      oracleInfo: { kind: 'multi', threshold: 2, announcements: [announcement(digits), second], params: null },
    });
    expect(refusedField(several(announcement(digits, 1)))).toBeNull();
    expect(refusedField(several(announcement(digits, 0)))).toBe('oracle_info.announcements[1]');
    expect(refusedField(several(announcement({ ...digits, precision: 2 }, 1)))).toBe('oracle_info.announcements[1]');
    const short = announcement(digits, 1);
    expect(refusedField(several({ ...short, event: { ...short.event, nonces: short.event.nonces.slice(1) } }))).toBe(
      'oracle_info.announcements[1]',
    );
    expect(refusedField(numericCase(numeric(64, curve)))).toBe('descriptor.digits');
  });

  it('have a threshold and bounds that make sense', () => {
    const with_ = (threshold: number, params?: OracleParams) =>
      refusedField(numericCase(numeric(4, curve), { threshold, count: 3, ...(params && { params }) }));
    expect(with_(0)).toBe('oracle_info.threshold');
    expect(with_(4)).toBe('oracle_info.threshold');
    const params = { minFailExp: 1, maxErrorExp: 2, maximizeCoverage: true };
    expect(with_(2, params)).toBeNull();
    expect(with_(2, { ...params, minFailExp: 2 })).toBe('oracle_info.oracle_params.min_fail_exp');
    expect(with_(2, { ...params, maxErrorExp: 4 })).toBe('oracle_info.oracle_params.max_error_exp');
    expect(with_(2, { ...params, maximizeCoverage: false })).toBeNull();
    const enumerated = enumeratedCase(outcomes, { threshold: 2, count: 2 });
    const oracleInfo = { ...enumerated.oracleInfo, params } as ContractCase['oracleInfo'];
    expect(refusedField({ ...enumerated, oracleInfo })).toBe('oracle_info.oracle_params');
  });

  it('cover the domain with pieces that rise, within the collateral, and round by at least one', () => {
    const pays = (payoutFunction: NumericDescriptor['payoutFunction'], change: Partial<NumericDescriptor> = {}) =>
      refusedField(numericCase({ ...numeric(4, payoutFunction), ...change }));
    const at = 'descriptor.payout_function';
    expect(pays(lines(point(1n, 0n), point(15n, 1n)))).toBe(`${at}.pieces[0].end_point`);
    expect(pays(lines(point(0n, 0n), point(14n, 1n)))).toBe(`${at}.last_end_point`);
    expect(pays(lines(point(0n, 0n), point(9n, 1n), point(9n, 2n), point(15n, 1n)))).toBe(`${at}.pieces[2].end_point`);
    expect(pays(lines(point(0n, 0n), point(20n, 1n), point(15n, 1n)))).toBe(`${at}.last_end_point`);
    expect(pays({ pieces: [], lastEndPoint: point(15n, 1n) })).toBe(`${at}.pieces`);
    expect(pays(lines(point(0n, 0n), point(15n, 1001n)))).toBe(`${at}.last_end_point`);
    expect(pays(lines(point(0n, 1000n, 1), point(15n, 0n)))).toBe(`${at}.pieces[0].end_point`);
    expect(pays(lines(point(0n, 0n), point(15n, 1n, 65_536)))).toBe(`${at}.last_end_point`);
    const curved = (...points: ReturnType<typeof point>[]): NumericDescriptor['payoutFunction'] => ({
      pieces: [{ endPoint: point(0n, 0n), curve: { kind: 'polynomial', points } }],
      lastEndPoint: point(15n, 1n),
    });
    expect(pays(curved(point(3n, 5n)))).toBeNull();
    expect(pays(curved(point(3n, 1001n)))).toBe(`${at}.pieces[0].curve.points[0]`);
    expect(pays(curved(point(3n, 5n), point(2n, 5n)))).toBe(`${at}.pieces[0].curve.points`);
    expect(pays(curved(point(15n, 5n)))).toBe(`${at}.pieces[0].curve.points`);
    expect(pays(curved(...Array.from({ length: 9 }, (_, i) => point(BigInt(i + 1), 1n))))).toBe(
      `${at}.pieces[0].curve.points`,
    );
    const rounding = (...roundingIntervals: NumericDescriptor['roundingIntervals']) =>
      pays(curve, { roundingIntervals });
    expect(rounding()).toBeNull();
    expect(rounding({ beginInterval: 3n, roundingMod: 0n })).toBe('descriptor.rounding_intervals[0]');
    expect(rounding({ beginInterval: 3n, roundingMod: 1n }, { beginInterval: 3n, roundingMod: 2n })).toBe(
      'descriptor.rounding_intervals[1]',
    );
  });

  it('are of so many events, and so much work for all of them together', () => {
    const events = (count: number, one: ContractCase) => refusedField(Array.from({ length: count }, () => one));
    expect(events(100, sound)).toBeNull();
    expect(events(101, sound)).toBe('cases');
    const steps = Array.from({ length: 200 }, (_, i) => point(BigInt(i), BigInt(i)));
    const long = numericCase(numeric(8, lines(...steps, point(255n, 0n))));
    expect(events(50, long)).toBeNull();
    expect(events(51, long)).toBe('cases');
  });

  it('take hyperbolas only where they are defined', () => {
    const sixteen = { usePositivePiece: true, translateOutcome: 0, translatePayout: 0, a: 16, b: 0, c: 0, d: 1600 };
    const field = (change: Partial<typeof sixteen>, from = 1n) =>
      refusedField(
        numericCase(
          numeric(4, {
            pieces: [
              { endPoint: point(0n, 100n), curve: { kind: 'polynomial', points: [] } },
              { endPoint: point(from, 100n), curve: hyperbola({ ...sixteen, ...change }) },
            ],
            lastEndPoint: point(15n, 7n),
          }),
        ),
      );
    const at = 'descriptor.payout_function.pieces[1].curve';
    expect(field({})).toBeNull();
    expect(field({ usePositivePiece: false })).toBe(`${at}.translate_outcome`);
    expect(field({ translateOutcome: 16 * 4 })).toBe(`${at}.translate_outcome`);
    expect(field({ a: 0, b: 16, c: 16 })).toBe(`${at}.a`);
    expect(field({ d: 0 })).toBe(`${at}.d`);
    expect(field({ a: 16, b: 16 })).toBe(`${at}.translate_outcome`);
    expect(field({ a: 16, b: 16 }, 2n)).toBeNull();
    expect(field({ a: 16, b: -16, translateOutcome: 16 * 4 })).toBeNull();
  });

  it('are sound in dlcspecs’ full contracts', () => {
    const vectors = contractVectors();
    expect(vectors).toHaveLength(4);
    for (const { offer } of vectors) validateContractInfo(offer.message.contractInfo);
  });
});
