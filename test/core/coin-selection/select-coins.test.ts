import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CandidateCoin } from '../../../src/core/coin-selection/candidate.ts';
import type { SelectionParameters } from '../../../src/core/coin-selection/choose-selection.ts';
import { eligibilityLadder } from '../../../src/core/coin-selection/eligibility.ts';
import { priceCoin } from '../../../src/core/coin-selection/output-group.ts';
import { selectCoins } from '../../../src/core/coin-selection/select-coins.ts';
import { feeRate } from '../../../src/core/fee-rate.ts';
import { btc, CENT, COIN, coin, randomFrom } from './coins.ts';

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

interface Setup {
  readonly coins: readonly CandidateCoin[];
  readonly preset?: readonly CandidateCoin[];
  readonly target: bigint;
  readonly seed?: number;
  readonly minConf?: number;
  readonly together?: boolean;
  readonly parameters?: Partial<SelectionParameters>;
}

function select({ coins, preset = [], target, seed = 1, minConf = 1, together = true, parameters = {} }: Setup) {
  const all: SelectionParameters = {
    feeRate: feeRate(0n),
    longTermFeeRate: feeRate(0n),
    changeTargetSats: CENT,
    changeFeeSats: 0n,
    costOfChangeSats: 1n,
    minViableChangeSats: 1n,
    subtractFee: false,
    maxInputWeight: 400_000 - 4 * 44,
    changeWeight: 4 * 34,
    random: randomFrom(seed),
    ...parameters,
  };
  const price = (one: CandidateCoin) => priceCoin(one, all);
  const ladder = eligibilityLadder(minConf, 25);
  return selectCoins({
    coins: coins.map(price),
    preset: preset.map(price),
    together,
    targetSats: target,
    ladder,
    parameters: all,
  });
}

const chosen = (outcome: ReturnType<typeof selectCoins>): bigint[] =>
  (outcome.selection?.coins ?? []).map((priced) => priced.coin.amountSats).sort((a, b) => (a < b ? -1 : 1));

describe('coin selection', () => {
  it('pays any target that the coins hold, 1,000 coins at a time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), fc.integer({ min: 1, max: 999 }), (seed, share) => {
        const random = randomFrom(seed);
        const coins = times(1000, () => coin(BigInt(1 + random.below(5_000_000)), { vsize: 60 }));
        const balance = coins.reduce((sum, one) => sum + one.amountSats, 0n);
        const target = (balance * BigInt(share)) / 1000n;
        const { selection } = select({ coins, target, seed });
        expect(selection!.amountSats).toBeGreaterThanOrEqual(target);
        expect(new Set(selection!.coins.map((priced) => priced.coin.txid)).size).toBe(selection!.coins.length);
      }),
      { numRuns: 30 },
    );
  });

  it('spends preset coins in any case, and others only for what they lack', () => {
    const rates = { feeRate: feeRate(5000n), longTermFeeRate: feeRate(3000n), minViableChangeSats: 300n };
    const fee = 340n;
    const [ten, nine, one] = [10n, 9n, 1n].map((value) => coin(value * CENT + fee));
    const outcome = select({ coins: [ten!, one!], preset: [nine!], target: 10n * CENT, parameters: rates });
    expect(chosen(outcome)).toEqual([CENT + fee, 9n * CENT + fee]);
    const enough = select({ coins: [ten!, one!], preset: [nine!], target: 8n * CENT, parameters: rates });
    expect(chosen(enough)).toEqual([9n * CENT + fee]);
    expect(enough.selection!.algorithm).toBe('manual');
  });

  it('counts preset coins by what their inputs leave of them', () => {
    const preset = [coin(100_000n, { vsize: 148 })];
    const parameters = { feeRate: feeRate(3000n), longTermFeeRate: feeRate(1000n) };
    expect(select({ coins: [], preset, target: 99_900n, parameters })).toEqual({
      selection: null,
      reason: 'insufficient',
    });
    expect(select({ coins: [], preset, target: 99_556n, parameters }).selection).not.toBeNull();
  });

  it('never uses BnB where recipients pay the fee', () => {
    const costOfChangeSats = 161n;
    const coins = [coin(COIN + costOfChangeSats), coin(COIN / 2n + costOfChangeSats), coin(COIN / 2n)];
    const parameters = {
      subtractFee: true,
      feeRate: feeRate(3000n),
      longTermFeeRate: feeRate(1000n),
      costOfChangeSats,
      changeFeeSats: 93n,
      changeTargetSats: 162n,
    };
    for (let seed = 0; seed < 20; seed++) {
      const { selection } = select({ coins, target: COIN, parameters, seed });
      expect(['knapsack', 'srd']).toContain(selection!.algorithm);
    }
  });

  it('takes few inputs by CoinGrinder above three times the long-term feerate', () => {
    const coins = [...times(30, () => coin(btc('0.1'))), coin(btc('3.5'), { vsize: 68 })];
    const at = (rate: bigint) =>
      select({
        coins,
        target: btc('2'),
        parameters: { feeRate: feeRate(rate), longTermFeeRate: feeRate(10_000n), changeTargetSats: 100_000n },
      }).selection!;
    expect(at(30_001n).coins).toHaveLength(1);
    expect(at(1000n).coins.length).toBeGreaterThan(1);
  });

  it.each([
    { name: 'the large coin among 1,515 small ones', small: 1515, value: '0.033', large: ['50'], found: true },
    { name: 'nothing from 1,515 small ones', small: 1515, value: '0.033', large: [], found: false },
  ])('finds $name within the weight', ({ small, value, large, found }) => {
    const coins = [...times(small, () => coin(btc(value))), ...large.map((one) => coin(btc(one)))];
    const outcome = select({ coins, target: btc('49.5') });
    if (found) expect(chosen(outcome)).toContain(btc('50'));
    else expect(outcome).toEqual({ selection: null, reason: 'max-weight' });
  });

  it('mixes sizes so that the weight suffices', () => {
    const coins = [...times(400, () => coin(btc('0.0625'))), ...times(2000, () => coin(btc('0.025')))];
    const { selection } = select({ coins, target: btc('49.5') });
    expect(selection!.weight).toBeLessThanOrEqual(400_000 - 4 * (44 + 34));
    expect(selection!.amountSats).toBeGreaterThanOrEqual(btc('49.5'));
    expect(new Set(chosen({ selection: selection! }))).toEqual(new Set([btc('0.025'), btc('0.0625')]));
  });

  it('says insufficient where all coins together are', () => {
    expect(select({ coins: [coin(CENT)], target: 2n * CENT })).toEqual({ selection: null, reason: 'insufficient' });
  });
});

describe('eligibility ladder', () => {
  const old = coin(10n * CENT, { confirmations: 6 });
  const young = coin(10n * CENT, { confirmations: 1 });
  const change = coin(10n * CENT, { confirmations: 0, own: true });
  const deposit = coin(10n * CENT, { confirmations: 0 });

  it.each([
    { name: 'coins six deep before younger ones', coins: [young, old], target: 9n, chosen: [old] },
    { name: 'confirmed coins before our unconfirmed change', coins: [change, young], target: 9n, chosen: [young] },
    { name: 'our unconfirmed change where needed', coins: [change, young], target: 19n, chosen: [change, young] },
  ])('spends $name', ({ coins, target, chosen: expected }) => {
    for (let seed = 0; seed < 10; seed++) {
      const { selection } = select({ coins, target: target * CENT, seed });
      expect(new Set(selection!.coins.map((priced) => priced.coin))).toEqual(new Set(expected));
    }
  });

  it('spends unconfirmed deposits only with min_conf 0', () => {
    expect(select({ coins: [deposit], target: CENT }).selection).toBeNull();
    expect(select({ coins: [deposit], target: CENT, minConf: 0 }).selection).not.toBeNull();
  });

  it('holds our change to a min_conf above 1 too', () => {
    const ours = coin(10n * CENT, { confirmations: 2, own: true });
    expect(select({ coins: [ours], target: CENT, minConf: 3 }).selection).toBeNull();
    expect(select({ coins: [ours], target: CENT, minConf: 2 }).selection).not.toBeNull();
  });

  it('prefers short chains of unconfirmed ancestors and refuses those at the limit', () => {
    const chain = (ancestorCount: number): CandidateCoin =>
      coin(10n * CENT, {
        confirmations: 0,
        own: true,
        ancestry: { ancestorCount, ancestorVsize: 200, ancestorFeesSats: 0n, descendantCount: 1, descendantVsize: 200 },
      });
    const [short, long, limit] = [chain(1), chain(20), chain(25)];
    const { selection } = select({ coins: [long, short], target: 5n * CENT });
    expect(selection!.coins.map((priced) => priced.coin)).toEqual([short]);
    expect(select({ coins: [long], target: 5n * CENT }).selection).not.toBeNull();
    expect(select({ coins: [limit], target: 5n * CENT }).selection).toBeNull();
  });
});

describe('output groups', () => {
  const shared = '0014'.padEnd(44, '0');
  const others = times(5, () => coin(CENT));

  it('spends coins of one script together', () => {
    const same = times(4, () => coin(10n * CENT, { scriptPubKey: shared }));
    const { selection } = select({ coins: [...same, ...others], target: 6n * CENT });
    const ofScript = selection!.coins.filter((priced) => priced.coin.scriptPubKey === shared);
    expect(ofScript).toHaveLength(4);
  });

  it('bounds a group to 100 coins', () => {
    const same = times(250, () => coin(CENT, { scriptPubKey: shared }));
    const { selection } = select({ coins: same, target: 50n * CENT });
    expect(selection!.coins).toHaveLength(100);
    // The last, smaller group only where the full ones do not suffice.
    expect(select({ coins: same, target: 240n * CENT }).selection!.coins).toHaveLength(250);
  });

  it('falls back to single coins where whole groups are too heavy', () => {
    const same = times(90, () => coin(CENT, { scriptPubKey: shared }));
    const parameters = { maxInputWeight: 4000, changeWeight: 124, minViableChangeSats: 300n };
    const { selection } = select({ coins: same, target: 3n * CENT, parameters });
    expect(selection!.weight).toBeLessThanOrEqual(4000);
  });

  it('does not mix script types where one suffices', () => {
    const key = '5120'.padEnd(68, '1');
    const taproot = times(3, (i) => coin(10n * CENT, { scriptType: 'p2tr', scriptPubKey: `${key.slice(0, -1)}${i}` }));
    const legacy = times(3, () => coin(10n * CENT));
    for (let seed = 0; seed < 10; seed++) {
      const { selection } = select({ coins: [...taproot, ...legacy], target: 25n * CENT, seed });
      expect(new Set(selection!.coins.map((priced) => priced.coin.scriptType)).size).toBe(1);
    }
    expect(select({ coins: [...taproot, ...legacy], target: 35n * CENT }).selection).not.toBeNull();
  });
});
