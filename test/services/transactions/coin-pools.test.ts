/** Payments that look at a part of a wallet's coins, against the same payments with all of them. */
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openComputing } from '../../../src/app/open-computing.ts';
import { DomainError } from '../../../src/core/errors.ts';
import { outpointKey } from '../../../src/core/outpoint.ts';
import type { PaymentPlan } from '../../../src/core/payments/payment-plan.ts';
import type { PlanningJobs } from '../../../src/core/payments/planning-job.ts';
import type { Computing } from '../../../src/engines/computing/computing.ts';
import { createCoinLeases } from '../../../src/services/transactions/coins/coin-leases.ts';
import { coinRecord, scriptOf } from '../../builders/store-records.ts';
import { bytesFrom, randomFrom } from '../../core/coin-selection/coins.ts';
import { type Payment, plain, plainWallet, stored, TIP, type Wallet } from './stored-wallets.ts';

const anyCoin = fc.record({
  amountSats: fc.oneof(fc.bigInt(600n, 5_000n), fc.bigInt(5_000n, 1_000_000n), fc.constant(100_000n)),
  script: fc.oneof(fc.nat(3), fc.nat(1_000)),
  depth: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 300 })),
  own: fc.boolean(),
  coinbase: fc.boolean(),
  txVersion: fc.constantFrom(2, 2, 2, 3),
  held: fc.constantFrom('', '', '', '', 'locked', 'frozen', 'spent'),
});
const anyWallet: fc.Arbitrary<Wallet> = fc.record({
  inputWeight: fc.constantFrom(null, 400, 20_000, 45_000),
  olderBlocks: fc.constantFrom(0, 0, 0, 20),
  coins: fc.array(anyCoin, { minLength: 9, maxLength: 50 }).map((coins) =>
    coins.map(({ amountSats, script, depth, own, coinbase, txVersion, held }, at) =>
      coinRecord(`${at} ${amountSats} ${script}`, {
        ...{ amountSats, own, txVersion, index: script, scriptPubKey: scriptOf(script) },
        height: depth === null ? null : TIP - depth + 1,
        coinbase: coinbase && depth !== null && depth > 6,
        ...{ locked: held === 'locked', frozen: held === 'frozen' },
        ...(held === 'spent' ? { spentBy: coinRecord('x').txid } : {}),
      }),
    ),
  ),
});
const anyPayment: fc.Arbitrary<Omit<Payment, 'sats'> & { part: number | 'max' }> = fc.record({
  part: fc.oneof(
    fc.double({ min: 0.001, max: 1.1, noNaN: true }),
    fc.double({ min: 0.9, max: 1, noNaN: true }),
    fc.constant('max' as const),
  ),
  satVb: fc.constantFrom(1, 5, 30),
  minConf: fc.constantFrom(0, 1, 1, 1, 3, 20),
  payerPays: fc.boolean(),
  groupByScript: fc.boolean(),
  exclude: fc.uniqueArray(fc.nat(8), { maxLength: 4 }),
  include: fc.constantFrom([], [], [], [8]),
});

describe('payments of a wallet of more coins than are looked at', () => {
  it('are made where they would be with all of them, and refused in the same words where not', async () => {
    let made = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(anyWallet, anyPayment, fc.nat(), async (wallet, { part, ...rest }, seed) => {
        const pay = await stored(wallet);
        const total = wallet.coins.reduce((sum, coin) => sum + coin.amountSats, 0n);
        const sats = part === 'max' ? part : (total * BigInt(Math.round(part * 1000))) / 1000n + 600n;
        const payment = { ...rest, sats, payerPays: rest.payerPays && sats !== 'max' };
        const all = await pay(payment, 'all', `all ${seed}`);
        const some = await pay(payment, 'few', `some ${seed}`);
        // Whether an amount pays the fee of its inputs depends on which were drawn.
        if ([all, some].some(({ refusal }) => refusal?.code === 'amount_too_small_for_fee')) return;
        if (all.plan) {
          expect(some).toHaveProperty('plan');
          made++;
          spendsTogether(wallet, payment, some.plan!);
        } else {
          refused++;
          expect(some.refusal).toEqual(all.refusal);
        }
      }),
      { numRuns: 300 },
    );
    expect(Math.min(made, refused)).toBeGreaterThan(40);
  }, 600_000);
});

/** As far as they are worth more than their inputs cost. */
function spendsTogether({ coins, inputWeight, olderBlocks }: Wallet, payment: Payment, plan: PaymentPlan): void {
  const { groupByScript, minConf, satVb, sats, exclude, include } = payment;
  const isOther = inputWeight !== null || olderBlocks > 0 || minConf > 1 || sats === 'max';
  if (!groupByScript || isOther || exclude.length + include.length > 0) return;
  const spent = new Set(plan.inputs.map(outpointKey));
  const scripts = new Set(plan.inputs.map((input) => input.scriptPubKey));
  const left = coins.filter(
    (coin) =>
      scripts.has(coin.scriptPubKey) &&
      !spent.has(outpointKey(coin)) &&
      !(coin.locked || coin.frozen || coin.spentBy !== null || coin.coinbase || coin.height === null) &&
      coin.amountSats > BigInt(68 * satVb),
  );
  expect(left).toEqual([]);
}

it('cost as much, within one hundredth, as with all of 3,000 coins', async () => {
  const random = randomFrom('sizes');
  const amounts: ((at: number) => bigint)[] = [
    () => BigInt(1_000 + random.below(2 ** (10 + random.below(17)))),
    () => BigInt(10_000 + random.below(1_000_000)),
    () => BigInt(1_000 + random.below(20_000)),
  ];
  let [withSome, withAll] = [0, 0];
  for (const amountOf of amounts) {
    const wallet = plainWallet(3_000, amountOf);
    const mean = wallet.coins.reduce((sum, coin) => sum + coin.amountSats, 0n) / 3_000n;
    const pay = await stored(wallet);
    for (const satVb of [1, 4, 12, 40]) {
      for (let at = 0; at < 10; at++) {
        const sats = 1_000n + (mean * BigInt(300 + random.below(1_000) * [1, 5, 30][at % 3]!)) / 1_000n;
        const some = await pay({ ...plain, sats, satVb }, 'usual', `some ${at}`);
        const all = await pay({ ...plain, sats, satVb }, 'all', `all ${at}`);
        withSome += Number(some.plan!.feeSats) / satVb;
        withAll += Number(all.plan!.feeSats) / satVb;
      }
    }
  }
  expect(withSome / withAll).toBeLessThan(1.01);
}, 600_000);

it('search again beside the thread where a coin that was found is gone when the search comes back', async () => {
  const pay = await stored(plainWallet(700, (at) => 10_000n + BigInt(at)));
  const payment = { ...plain, sats: 1_000_000n, satVb: 2 };
  const [first, ...others] = (await pay(payment, 'all', 'same')).plan!.inputs.map(outpointKey);
  const again = (await pay(payment, 'all', 'same', { takenOnceFound: [first!] })).plan!.inputs.map(outpointKey);
  expect(others.length).toBeGreaterThan(10);
  expect(again).not.toContain(first);
  expect(again.length).toBeGreaterThan(10);
});

it.each([
  ['others take of the largest coins once these have been read', false],
  ['they have ended since', true],
])('are made of the next ones where %s', async (_when, ended) => {
  const coins = plainWallet(40, () => 100_000n).coins;
  const pay = await stored({ coins, inputWeight: 45_000, olderBlocks: 0 });
  const taken = [...coins].reverse().slice(0, 8).map(outpointKey);
  const { plan } = await pay({ ...plain, sats: 690_000n, satVb: 1 }, 'few', 'taken', { takenOnceRead: taken, ended });
  expect(plan?.inputs).toHaveLength(8);
});

it('are all made where they come together and each needs most of what fits into a transaction', async () => {
  const pay = await stored({ coins: plainWallet(60, () => 100_000n).coins, inputWeight: 45_000, olderBlocks: 0 });
  const reads: number[] = [];
  const leases = createCoinLeases();
  const made = await Promise.all(
    Array.from({ length: 7 }, (_, at) =>
      pay({ ...plain, sats: 690_000n, satVb: 1 }, 'few', `${at}`, { leases, reads, commits: true }),
    ),
  );
  expect(made.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  // Eight fit; nobody reads those of more than one other transaction besides.
  expect(Math.max(...reads)).toBeLessThanOrEqual(9 + 8);
});

it('share the workers, however many come at once', async () => {
  const pay = await stored(plainWallet(700, (at) => 10_000n + BigInt(at)));
  const computing = openComputing(
    { network: 'regtest', randomBytes: bytesFrom('workers') },
    { size: 1, maxWaitMs: 90_000 },
  );
  onTestFinished(() => computing.close());
  const leases = createCoinLeases();
  const payment = { ...plain, sats: 8_000n, satVb: 1 };
  const made = await Promise.all(
    Array.from({ length: 48 }, (_, at) => pay(payment, 'all', `${at}`, { leases, computing })),
  );
  expect(made.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  const spent = made.flatMap(({ plan }) => plan!.inputs.map(outpointKey));
  expect(new Set(spent).size).toBe(spent.length);
});

it('read and search no more once they are given up', async () => {
  const { coins, ...form } = plainWallet(1_400, (at) => 10_000n + BigInt(at));
  const inFours = coins.map((coin, at) => ({
    ...coin,
    ...{ index: at >> 2, scriptPubKey: scriptOf(at >> 2) },
    ...(at === 0 ? { height: null, own: true, amountSats: 99_000n } : {}),
  }));
  const pay = await stored({ ...form, coins: inFours });
  const givenUp = new AbortController();
  let runs = 0;
  const computing: Computing<PlanningJobs> = {
    async run(_name, _given, { signal }) {
      runs++;
      givenUp.abort(new DomainError('insufficient_funds', 'nobody waits for it'));
      throw signal!.reason;
    },
  };
  const { refusal } = await pay({ ...plain, sats: 8_000n, satVb: 1 }, 'usual', 'given up', {
    computing,
    signal: givenUp.signal,
  });
  expect(refusal?.message).toBe('nobody waits for it');
  expect(runs).toBe(1);
});

it('say that there may be a cheaper set where not all coins were looked at', async () => {
  const pay = await stored(plainWallet(700, () => 10_000n));
  const payment = { ...plain, sats: 25_000n, satVb: 1 };
  expect((await pay(payment, 'all', 'bound')).plan).toMatchObject({ bounded: false });
  expect((await pay(payment, 'usual', 'bound')).plan).toMatchObject({ bounded: true });
  expect((await pay({ ...payment, include: [0, 1, 2] }, 'usual', 'bound')).plan).not.toHaveProperty('bounded');
});
