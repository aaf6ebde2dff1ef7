import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import type { Balance, CoinRecord } from '../../../src/store/records.ts';
import {
  blockRecord,
  coinRecord,
  outpointOf,
  scriptOf,
  scriptRecord,
  txidOf,
  walletRecord,
} from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

export function coinTests(context: StoreContext): void {
  const insert = (coins: CoinRecord[]) => context.store.write((tx) => tx.ledger.insertCoins(coins));
  const claim = (name: string, by: string, replacing: string[] = []) =>
    context.store.write((tx) => tx.coins.claim('acc_one', [outpointOf(name)], txidOf(by), replacing.map(txidOf)));

  test('spendable coins are live, unspent, unlocked and unfrozen', async () => {
    const good = [coinRecord('confirmed'), coinRecord('unconfirmed', { height: null })];
    await insert([
      ...good,
      coinRecord('dead', { live: false }),
      coinRecord('spent', { spentBy: txidOf('x') }),
      coinRecord('locked', { locked: true }),
      coinRecord('frozen', { frozen: true }),
      coinRecord('elsewhere', { walletId: 'wal_two' }),
    ]);
    expect(await context.store.read.coins.few('acc_one', 'wal_one', 10_000)).toEqual(good);
    expect(await context.store.read.coins.few('acc_two', 'wal_one', 10_000)).toEqual([]);
  });

  test('a pool has the largest spendable coins, some of the others, and what shares their scripts', async () => {
    const { coins: read } = context.store.read;
    const on = (script: number) => ({ index: script, scriptPubKey: scriptOf(script) });
    const all = [
      ...Array.from({ length: 40 }, (_, at) => coinRecord(`s${at}`, { ...on(at), amountSats: BigInt(1_000 + at) })),
      coinRecord('beside the largest', { ...on(39), amountSats: 1n }),
      coinRecord('young', { ...on(50), amountSats: 9_000n, height: 101 }),
      coinRecord('reward', { ...on(51), amountSats: 9_001n, coinbase: true }),
      coinRecord('change', { ...on(52), amountSats: 9_002n, height: null, own: true }),
      coinRecord('deposit', { ...on(53), amountSats: 9_003n, height: null }),
      coinRecord('locked', { ...on(39), locked: true }),
      coinRecord('frozen', { ...on(55), amountSats: 9_005n, frozen: true }),
      coinRecord('spent', { ...on(56), amountSats: 9_006n, spentBy: txidOf('x') }),
      coinRecord('elsewhere', { ...on(39), walletId: 'wal_two' }),
    ];
    await insert(all);
    expect(await read.few('acc_one', 'wal_one', 46)).toEqual([]);
    expect(await read.few('acc_one', 'wal_one', 47)).toHaveLength(45);
    const spendable = { deepest: 100, mature: 99, unconfirmed: 'own' } as const;
    const request = { ...spendable, largest: 2, largestUnconfirmed: 5, places: [] };
    const named = (names: string[]) => names.map((name) => txidOf(name)).sort();
    const poolOf = async (asked: object, account: AccountId = 'acc_one') =>
      (await read.pool(account, 'wal_one', { ...request, ...asked }, { partly: false }))
        .map((coin) => coin.txid)
        .sort();
    expect(await poolOf({})).toEqual(named(['s38', 's39', 'beside the largest', 'change']));
    expect(await poolOf({ unconfirmed: 'all' })).toEqual(
      named(['s38', 's39', 'beside the largest', 'change', 'deposit']),
    );
    expect(await poolOf({ unconfirmed: 'none', deepest: 101, mature: 100 })).toEqual(named(['young', 'reward']));
    expect(await poolOf({ largest: 0, unconfirmed: 'none', places: [0] })).toEqual(named(['s0']));
    expect(await poolOf({}, 'acc_two')).toEqual([]);
    const near = [{ amountSats: 1_010n, above: 2, below: 1 }];
    expect((await read.near('acc_one', 'wal_one', spendable, near)).map((coin) => coin.txid)).toEqual(
      ['s9', 's10', 's11'].map((name) => txidOf(name)),
    );
    const amounts = all.slice(0, 41).map((coin) => coin.amountSats);
    const sats = amounts.reduce((sum, one) => sum + one, 9_002n);
    expect(await read.sums('acc_one', 'wal_one', spendable, 1_000n)).toEqual({
      spendable: { count: 42, sats },
      worthwhile: { count: 40, sats: sats - 1_001n },
      trucSats: 0n,
      immatureSats: 9_001n,
      unconfirmedSats: 9_000n + 9_003n,
    });
  });

  test('more coins are summed than one statement passes, of equal amounts, too', async () => {
    const many = (name: string, count: number, fields: object) =>
      Array.from({ length: count }, (_, at) =>
        coinRecord(`${name}${at}`, { amountSats: BigInt(10 + (at % 2)), ...fields }),
      );
    await insert([
      ...many('confirmed', 10_002, {}),
      ...many('reward', 3, { coinbase: true, height: 100 }),
      ...many('deposit', 5_004, { height: null }),
      ...many('own', 5_001, { height: null, own: true, amountSats: 7n }),
    ]);
    const spendable = { deepest: 100, mature: 1, unconfirmed: 'own' } as const;
    const confirmed = 5_001n * 21n;
    expect(await context.store.read.coins.sums('acc_one', 'wal_one', spendable, 10n)).toEqual({
      spendable: { count: 15_003, sats: confirmed + 35_007n },
      worthwhile: { count: 5_001, sats: 5_001n * 11n },
      trucSats: 0n,
      immatureSats: 31n,
      unconfirmedSats: 2_502n * 21n,
    });
  });

  test('a pool leaves out scripts of which it has not read all coins that are spent together, unless some of them will do', async () => {
    const { coins: read } = context.store.read;
    const coins = Array.from({ length: 900 }, (_, at) =>
      coinRecord(`r${at}`, { amountSats: BigInt(1_000 + at), index: at % 9, scriptPubKey: scriptOf(at % 9) }),
    );
    await insert(coins);
    const request = {
      deepest: 100,
      mature: 1,
      unconfirmed: 'none',
      largest: 9,
      largestUnconfirmed: 0,
      places: [],
    } as const;
    const scriptsOf = async (partly: boolean) => {
      const counts = new Map<string, number>();
      for (const { scriptPubKey } of await read.pool('acc_one', 'wal_one', request, { partly })) {
        counts.set(scriptPubKey, (counts.get(scriptPubKey) ?? 0) + 1);
      }
      return [...counts.values()].sort((a, b) => a - b);
    };
    expect(await scriptsOf(false)).toEqual(Array.from({ length: 6 }, () => 100));
    expect(await scriptsOf(true)).toHaveLength(9);
  });

  test('of payments that want one coin at the same time exactly one gets it', async () => {
    const coins = Array.from({ length: 25 }, (_, i) => coinRecord(`c${i}`));
    await insert(coins);
    const other = await context.beside();
    for (const coin of coins) {
      const wanting = Array.from({ length: 4 }, (_, payment) =>
        (payment % 2 ? other : context.store).write(async (tx) => {
          const missed = await tx.coins.claim('acc_one', [coin], txidOf(`${coin.txid} ${payment}`));
          if (missed.length > 0) throw new Error('coin taken');
          return payment;
        }),
      );
      const outcomes = await Promise.allSettled(wanting);
      const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(winners).toHaveLength(1);
      const [stored] = await context.store.read.ledger.coinsAt([coin]);
      expect(stored?.spentBy).toBe(txidOf(`${coin.txid} ${winners[0]!.value}`));
    }
  });

  test('payments over overlapping sets of coins never share one', async () => {
    const coins = Array.from({ length: 12 }, (_, i) => coinRecord(`c${i}`));
    await insert(coins);
    const payments = Array.from({ length: 24 }, (_, payment) => {
      const wanted = [coins[payment % 12]!, coins[(payment * 5 + 3) % 12]!, coins[(payment * 7 + 1) % 12]!];
      return { by: txidOf(`p${payment}`), wanted: [...new Set(wanted)] };
    });
    const outcomes = await Promise.allSettled(
      payments.map(({ by, wanted }) =>
        context.store.write(async (tx) => {
          if ((await tx.coins.claim('acc_one', wanted, by)).length > 0) throw new Error('coin taken');
        }),
      ),
    );
    const winners = payments.filter((_, payment) => outcomes[payment]!.status === 'fulfilled');
    expect(winners.length).toBeGreaterThan(0);
    const claimed = winners.flatMap(({ wanted }) => wanted.map((coin) => coin.txid));
    expect(new Set(claimed).size).toBe(claimed.length);
    const spent = (await context.store.read.ledger.coinsAt(coins)).filter((coin) => coin.spentBy !== null);
    expect(spent.map((coin) => coin.txid).sort()).toEqual(claimed.sort());
  });

  test('a claim names the coins it could not have', async () => {
    await insert([
      coinRecord('free'),
      coinRecord('dead', { live: false }),
      coinRecord('spent', { spentBy: txidOf('x') }),
    ]);
    const wanted = ['free', 'dead', 'spent', 'unknown'].map((name) => outpointOf(name));
    const missed = await context.store.write((tx) => tx.coins.claim('acc_one', wanted, txidOf('p')));
    expect(missed).toEqual(wanted.slice(1));
    const foreign = await context.store.write((tx) => tx.coins.claim('acc_two', [outpointOf('free')], txidOf('q')));
    expect(foreign).toEqual([outpointOf('free')]);
  });

  test('a replacement takes the coins of what it replaces, and gives them back', async () => {
    await insert([coinRecord('c')]);
    expect(await claim('c', 'first')).toEqual([]);
    expect(await claim('c', 'second', ['stranger'])).toEqual([outpointOf('c')]);
    expect(await claim('c', 'second', ['stranger', 'first'])).toEqual([]);
    await context.store.write((tx) => tx.coins.release('acc_one', txidOf('second'), txidOf('first')));
    const spender = async () => (await context.store.read.ledger.coinsAt([outpointOf('c')]))[0]?.spentBy;
    expect(await spender()).toBe(txidOf('first'));
    await context.store.write((tx) => tx.coins.release('acc_two', txidOf('first')));
    expect(await spender()).toBe(txidOf('first'));
    await context.store.write((tx) => tx.coins.release('acc_one', txidOf('first')));
    expect(await spender()).toBeNull();
  });

  test('a coin that two wallets of the account share is claimed in both', async () => {
    await insert([coinRecord('c'), coinRecord('c', { walletId: 'wal_two' })]);
    expect(await claim('c', 'p')).toEqual([]);
    expect(await context.store.read.coins.few('acc_one', 'wal_two', 10_000)).toEqual([]);
  });

  test('flags: lock, freeze, label; false for a coin that is not there', async () => {
    const { store } = context;
    await insert([coinRecord('c')]);
    const flags = { locked: true, label: 'cold' };
    expect(await store.write((tx) => tx.coins.setFlags('acc_one', 'wal_one', outpointOf('c'), flags))).toBe(true);
    expect(await store.read.coins.findMany('acc_one', [outpointOf('c'), outpointOf('none')])).toEqual([
      coinRecord('c', flags),
    ]);
    expect(await store.write((tx) => tx.coins.setFlags('acc_one', 'wal_one', outpointOf('c'), {}))).toBe(true);
    expect(await store.write((tx) => tx.coins.setFlags('acc_one', 'wal_two', outpointOf('c'), flags))).toBe(false);
    expect(await store.write((tx) => tx.coins.setFlags('acc_two', 'wal_one', outpointOf('c'), {}))).toBe(false);
  });

  test('lists of unspent coins filter by state and script', async () => {
    const { store } = context;
    const script = scriptRecord(4);
    await store.write((tx) => tx.scripts.insertMissing([script]));
    await insert([
      coinRecord('a', { scriptPubKey: script.scriptPubKey, index: 4 }),
      coinRecord('b', { locked: true }),
      coinRecord('c', { height: null }),
      coinRecord('d', { frozen: true }),
      coinRecord('spent', { spentBy: txidOf('x') }),
    ]);
    const txids = async (filter: Parameters<typeof store.read.coins.list>[2]) =>
      (await store.read.coins.list('acc_one', 'wal_one', filter, { limit: 10, offset: 0 })).data.map((c) => c.txid);
    expect(await txids({})).toEqual(['d', 'c', 'b', 'a'].map(txidOf));
    expect(await txids({ locked: true })).toEqual([txidOf('b')]);
    expect(await txids({ frozen: true })).toEqual([txidOf('d')]);
    expect(await txids({ confirmed: false })).toEqual([txidOf('c')]);
    expect(await txids({ scriptPubKey: script.scriptPubKey })).toEqual([txidOf('a')]);
    expect(await txids({ scriptPubKey: 'unknown' })).toEqual([]);
  });

  const someCoin = fc.record({
    amountSats: fc.bigInt({ min: 1n, max: 21_000_000_00_000_000n / 100n }),
    coinbase: fc.boolean(),
    live: fc.boolean(),
    locked: fc.boolean(),
    frozen: fc.boolean(),
    height: fc.option(fc.integer({ min: 0, max: 250 }), { nil: null }),
    spent: fc.option(fc.option(fc.integer({ min: 0, max: 250 }), { nil: null }), { nil: undefined }),
  });
  const sum = (coins: CoinRecord[]) => coins.reduce((total, coin) => total + coin.amountSats, 0n);
  const expected = (coins: CoinRecord[], tip: number): Balance => {
    const immature = (coin: CoinRecord) => coin.coinbase && coin.height !== null && tip - coin.height + 1 < 100;
    return {
      confirmedSats: sum(coins.filter((coin) => coin.height !== null && !immature(coin))),
      pendingSats: sum(coins.filter((coin) => coin.height === null)),
      immatureSats: sum(coins.filter(immature)),
      lockedSats: sum(coins.filter((coin) => coin.locked || coin.frozen)),
    };
  };

  test('balances, now and at any height, are the sums over the coins', async () => {
    const { store } = context;
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(someCoin, { maxLength: 25 }),
        fc.integer({ min: 0, max: 260 }),
        async (drawn, height) => {
          const walletId = `wal_run${++run}` as const;
          const coins = drawn.map(({ spent, ...coin }, i) =>
            coinRecord(`${run} ${i}`, {
              ...coin,
              walletId,
              spentBy: spent === undefined ? null : txidOf('spender'),
              spentHeight: spent ?? null,
            }),
          );
          await store.write(async (tx) => {
            await tx.wallets.insert(walletRecord(walletId));
            await tx.ledger.insertCoins(coins);
          });
          const live = coins.filter((coin) => coin.live);
          const unspent = live.filter((coin) => coin.spentBy === null);
          expect(await store.read.coins.balance('acc_one', walletId, height)).toEqual(expected(unspent, height));
          const inChain = live.filter(
            (coin) =>
              coin.height !== null &&
              coin.height <= height &&
              !(coin.spentHeight !== null && coin.spentHeight <= height),
          );
          expect(await store.read.coins.balanceAt('acc_one', walletId, height)).toEqual(expected(inChain, height));
        },
      ),
      { numRuns: 40 },
    );
  });

  test('of more coins than one statement passes: sums, totals and deep pages; a reorg meanwhile is seen whole or not at all', async () => {
    const { store } = context;
    const scriptPubKey = `0014${'ab'.repeat(20)}`;
    await store.write(async (tx) => {
      await tx.ledger.insertBlocks([blockRecord(11)]);
      await tx.scripts.insertMissing([scriptRecord(0, { scriptPubKey, address: 'theirs' })]);
    });
    for (let height = 1; height <= 11; height++) {
      const amounts = { amountSats: 1n, scriptPubKey, height };
      await insert(Array.from({ length: 1_000 }, (_, vout) => coinRecord(`block ${height}`, { ...amounts, vout })));
    }
    const { coins } = store.read;
    expect((await coins.balanceAt('acc_one', 'wal_one', 7)).confirmedSats).toBe(7_000n);
    const place = (at: number) => [txidOf(`block ${11 - Math.floor(at / 1_000)}`), 999 - (at % 1_000)];
    // From the start, from the end, each in one statement and in two.
    for (const offset of [0, 4_000, 5_400, 5_600, 10_500, 10_998, 11_000, 11_001]) {
      for (const filter of [{}, { scriptPubKey }]) {
        const { total, data } = await coins.list('acc_one', 'wal_one', filter, { limit: 3, offset });
        const places = [offset, offset + 1, offset + 2].filter((at) => at < 11_000).map(place);
        expect([offset, total, data.map(({ txid, vout }) => [txid, vout])]).toEqual([offset, 11_000, places]);
      }
    }

    const sum = coins.balanceAt('acc_one', 'wal_one', 11);
    await store.write(async (tx) => {
      await tx.ledger.deleteBlock(11);
      await tx.ledger.insertBlocks([blockRecord(11, 'other')]);
      await tx.ledger.updateCoinsOf(txidOf('block 1'), { height: 1, live: false });
      await tx.ledger.updateCoinsOf(txidOf('block 11'), { height: null, live: true });
    });
    expect([11_000n, 9_000n]).toContain((await sum).confirmedSats);
  });

  test('a coinbase output is immature below 100 confirmations and confirmed from then on', async () => {
    const { coins } = context.store.read;
    await insert([coinRecord('mined', { coinbase: true, height: 50, amountSats: 7n })]);
    for (const [tip, confirmedSats, immatureSats] of [
      [50, 0n, 7n],
      [148, 0n, 7n],
      [149, 7n, 0n],
    ] as const) {
      expect(await coins.balance('acc_one', 'wal_one', tip)).toMatchObject({ confirmedSats, immatureSats });
      expect(await coins.balanceAt('acc_one', 'wal_one', tip)).toMatchObject({ confirmedSats, immatureSats });
    }
  });

  test('balances of many wallets at once: each its own, nothing of another account', async () => {
    await insert([
      coinRecord('a', { amountSats: 1n }),
      coinRecord('b', { amountSats: 2n, walletId: 'wal_two' }),
      coinRecord('c', { amountSats: 4n, walletId: 'wal_other', accountId: 'acc_two' }),
    ]);
    const balances = await context.store.read.coins.balances('acc_one', ['wal_one', 'wal_two', 'wal_other'], 100);
    expect([...balances].map(([walletId, balance]) => [walletId, balance.confirmedSats])).toEqual([
      ['wal_one', 1n],
      ['wal_two', 2n],
      ['wal_other', 0n],
    ]);
  });
}
