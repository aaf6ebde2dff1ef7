/** Whatever callers, node and chain do in whatever order: a coin is held by one living transaction, and the books end as the chain says. */
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { outpointKey, type Txid } from '../../../src/core/outpoint.ts';
import type { WalletRecord } from '../../../src/store/records.ts';
import type { Store } from '../../../src/store/store.ts';
import { withPostgres } from '../../builders/stores.ts';
import { BTC, openPayments, outsider, type Payments, rate } from './payments-setup.ts';

/** Counted from the newest. */
const which = fc.nat(4);
const action = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('pay' as const), parts: fc.integer({ min: 8, max: 60 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('pay-itself' as const), parts: fc.integer({ min: 8, max: 60 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant('bump' as const), which, feeRate: fc.integer({ min: 3, max: 60 }) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('cancel' as const), which }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cpfp' as const), which }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('abandon' as const), which }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('node' as const),
      answers: fc.constantFrom('pass', 'pass', 'away', 'away', 'never', 'full'),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ type: 'mine' as const }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('mine-one' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: 3 }),
      remine: fc.boolean(),
      which,
    }),
  },
  { weight: 3, arbitrary: fc.constant({ type: 'resend' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'settle' as const }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

const ALIVE = ['signed', 'broadcast', 'confirmed'];

async function records(p: Payments) {
  const { data } = await p.store.read.transactions.list(p.accountId, {}, { limit: 1_000, offset: 0 });
  return await Promise.all(data.map(async ({ txid }) => (await p.store.read.transactions.find(p.accountId, txid))!));
}

async function assertHeldOnce(p: Payments): Promise<void> {
  const all = await records(p);
  const alive = all.filter((record) => ALIVE.includes(record.status));
  const spenders = new Map<string, Txid[]>();
  for (const record of alive) {
    for (const { prev } of await p.store.read.transactions.inputs(p.accountId, record.txid)) {
      spenders.set(outpointKey(prev), [...(spenders.get(outpointKey(prev)) ?? []), record.txid]);
    }
  }
  const living = new Set(alive.map((record) => record.txid));
  for (const { txid } of all) {
    for (const coin of await p.store.read.ledger.coinsOf(txid)) {
      if (!coin.live) continue;
      const by = spenders.get(outpointKey(coin)) ?? [];
      // Held by a living spender; by a replacement that keeps others off; free only where nothing living spends it.
      if (coin.spentBy === null) expect(by, `spenders of the free coin ${outpointKey(coin)}`).toEqual([]);
      else expect([...living], `who holds ${outpointKey(coin)}`).toContain(coin.spentBy);
    }
  }
}

/** Each change is told once, and the last one told is how the record stands. */
async function assertTold(p: Payments): Promise<void> {
  while ((await p.store.write((tx) => tx.events.number(1_000))) > 0);
  const told = new Map<string, string>();
  for (const event of await p.store.read.events.after(0n, 10_000, {
    accountId: p.accountId,
    channel: 'transactions',
  })) {
    const { txid, status, block_height: height } = JSON.parse(event.data);
    expect(told.get(txid), `told of ${txid}`).not.toBe(`${status} ${height}`);
    told.set(txid, `${status} ${height}`);
  }
  for (const { txid, status, blockHeight } of await records(p)) expect(told.get(txid)).toBe(`${status} ${blockHeight}`);
}

async function run(p: Payments, wallet: WalletRecord, own: string, one: Action): Promise<void> {
  const pick = async (n: number) => {
    const ours = (await records(p)).filter((record) => record.raw && record.kind !== 'deposit');
    return ours[n % Math.max(1, ours.length)];
  };
  const context = p.context();
  switch (one.type) {
    case 'pay':
    case 'pay-itself': {
      const address = one.type === 'pay' ? outsider(`payee ${one.parts}`) : own;
      const recipients = [{ address, amount: BTC / BigInt(one.parts) }];
      await p.transactions.create(p.pay(wallet, 0n, { recipients }), { dryRun: false }, context);
      return;
    }
    case 'node': {
      const refused = { never: 'bad-txns-vout-empty', full: 'mempool min fee not met' } as const;
      p.onBroadcast(() => {
        if (one.answers === 'pass') return 'pass';
        if (one.answers === 'away') return 'unreachable';
        const key = one.answers as 'never' | 'full';
        return { result: 'refused', reason: refused[key], final: key === 'never' };
      });
      return;
    }
    case 'mine':
      await p.chain.mine(1, `0014${'00'.repeat(20)}`);
      return;
    case 'reorg': {
      const excluded = await pick(one.which);
      await p.chain.reorganize(one.depth, { remine: one.remine, exclude: excluded ? [excluded.txid] : [] });
      return;
    }
    case 'resend':
      await p.broadcaster.resend();
      return;
    case 'settle':
      await p.settle();
      return;
  }
  const target = await pick(one.which);
  if (!target) return;
  if (one.type === 'mine-one') await p.chain.mineTransactions([target.raw!]);
  else if (one.type === 'bump') {
    await p.transactions.bump(target.txid, { feeRate: rate(String(one.feeRate)), replaceDescendants: true }, context);
  } else if (one.type === 'cancel') await p.transactions.cancel(target.txid, { replaceDescendants: true }, context);
  else if (one.type === 'cpfp') await p.transactions.cpfp(target.txid, { feeRate: rate('70') }, context);
  else await p.transactions.abandon(target.txid, context);
}

async function check(numRuns: number, openStore?: () => Promise<Store>): Promise<void> {
  const codes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(action, { minLength: 10, maxLength: 40 }), async (twoCoins, actions) => {
      const store = await openStore?.();
      const p = await openPayments(store ? { store } : {});
      const wallet = await p.newWallet();
      // Few coins, so that payments build on each other.
      await p.fund(wallet, twoCoins ? [BTC, BTC / 2n] : [BTC]);
      const own = await p.newAddress(wallet);
      for (const one of actions) {
        await run(p, wallet, own, one).catch((error) => {
          if (error instanceof Error && 'code' in error)
            codes.set(String(error.code), (codes.get(String(error.code)) ?? 0) + 1);
          else if (!/mineTransactions|refused|missing|spent|block|known/i.test(String(error))) throw error;
        });
        await p.settle();
        await assertHeldOnce(p);
      }
      p.onBroadcast(() => 'pass');
      for (let blocks = 0; blocks < 8; blocks++) {
        await p.broadcaster.resend();
        await p.mine();
        await assertHeldOnce(p);
      }
      await assertTold(p);
      const left = (await records(p)).filter((record) => ['signed', 'broadcast'].includes(record.status));
      expect(left.map(({ txid, status, reason, kind }) => ({ txid, status, reason, kind }))).toEqual([]);
      const tip = (await p.store.read.ledger.tip())!.height;
      const balance = await p.store.read.coins.balance(p.accountId, wallet.walletId, tip);
      expect(balance.pendingSats).toBe(0n);
      expect((await p.store.read.coins.balanceAt(p.accountId, wallet.walletId, tip)).confirmedSats).toBe(
        balance.confirmedSats,
      );
      // The node counts the same.
      let counted = 0n;
      for (const { txid } of await records(p)) {
        for (const coin of await p.store.read.ledger.coinsOf(txid)) {
          counted += (await p.chain.utxo(coin))?.amountSats ?? 0n;
        }
      }
      expect(counted).toBe(balance.confirmedSats);
    }),
    { numRuns },
  );
  expect(codes.size).toBeGreaterThan(0);
}

it('random payments, replacements, refusals, blocks and reorgs leave every coin with one holder', () => check(30));

it('and so it is on PostgreSQL, where jobs run side by side', async () => {
  const postgres = await withPostgres();
  const stores: Store[] = [];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    await postgres.stop();
  });
  await check(6, async () => {
    stores.push(await postgres.openStore());
    return stores.at(-1)!;
  });
});
