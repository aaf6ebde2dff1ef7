import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScriptPool } from '../../../src/services/wallets/database-script-pool.ts';
import { GAP_LIMIT } from '../../../src/services/wallets/script-pool.ts';
import type { WalletRecord } from '../../../src/store/records.ts';
import { transactionRecord } from '../../builders/store-records.ts';
import { openWalletSetup, refusalOf, type WalletSetup } from './wallet-setup.ts';

describe('the script pool', () => {
  let house: WalletSetup;
  beforeAll(async () => {
    house = await openWalletSetup();
  });
  afterAll(() => house[Symbol.asyncDispose]());
  const fresh = async (): Promise<WalletRecord> =>
    (await house.wallets.create({ name: 'Pool', type: 'segwit', backupType: 'none' }, house.context())).wallet;
  const highest = (wallet: WalletRecord, change: boolean) =>
    house.store.read.scripts.highestIndex(wallet.accountId, wallet.walletId, change);
  const use = (wallet: WalletRecord, change: boolean, index: number) =>
    house.store.write(async (tx) => {
      const { scriptPubKey } = house.pool.model(wallet).scriptAt(change, index);
      await tx.ledger.markScriptsUsed([{ walletId: wallet.walletId, scriptPubKey }], Date.now());
      await house.pool.topUp(tx, wallet, change);
    });

  it('watches the gap limit of both branches from the start', async () => {
    const wallet = await fresh();
    expect([await highest(wallet, false), await highest(wallet, true)]).toEqual([GAP_LIMIT - 1, GAP_LIMIT - 1]);
    expect(await house.store.write((tx) => house.pool.topUp(tx, wallet, false))).toEqual([]);
  });

  it('reserves every index once, however many ask at once, and keeps the gap beyond', async () => {
    const wallet = await fresh();
    const taken = await Promise.all(
      Array.from({ length: 40 }, () =>
        house.wallets.reserveAddress(wallet.walletId, { change: false, label: null }, house.context()),
      ),
    );
    expect(taken.map(({ script }) => script.index).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 40 }, (_, i) => i),
    );
    expect(await highest(wallet, false)).toBe(39 + GAP_LIMIT);
  });

  it('never gives out what was paid before it was reserved', async () => {
    const wallet = await fresh();
    await use(wallet, false, 7);
    const { script } = await house.wallets.reserveAddress(
      wallet.walletId,
      { change: false, label: null },
      house.context(),
    );
    expect(script.index).toBe(8);
    expect(await highest(wallet, false)).toBe(8 + GAP_LIMIT);
  });

  it('keeps the gap limit beyond the highest reserved or used script, whatever happens', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('reserve' as const), change: fc.boolean(), index: fc.constant(0) }),
      fc.record({ kind: fc.constant('use' as const), change: fc.boolean(), index: fc.nat({ max: 60 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const wallet = await fresh();
        const given = { true: new Set<number>(), false: new Set<number>() };
        const used = { true: -1, false: -1 };
        for (const { kind, change, index } of steps) {
          const branch = `${change}` as const;
          if (kind === 'use') {
            if (index > (await highest(wallet, change))) continue;
            await use(wallet, change, index);
            used[branch] = Math.max(used[branch], index);
          } else {
            const { script } = await house.wallets.reserveAddress(
              wallet.walletId,
              { change, label: null },
              house.context(),
            );
            expect(given[branch].has(script.index)).toBe(false);
            expect(script.index).toBeGreaterThan(used[branch]);
            given[branch].add(script.index);
          }
        }
        for (const branch of ['true', 'false'] as const) {
          const last = Math.max(used[branch], ...given[branch], -1);
          expect(await highest(wallet, branch === 'true')).toBe(Math.max(last + GAP_LIMIT, GAP_LIMIT - 1));
        }
      }),
      { numRuns: 15 },
    );
  });

  it('leases change to one payment at a time and gives back what was not committed', async () => {
    const wallet = await fresh();
    const [first, second] = await Promise.all([house.pool.leaseChange(wallet), house.pool.leaseChange(wallet)]);
    expect([first.index, second.index]).toEqual([0, 1]);
    house.pool.returnChange(wallet, first);
    await house.store.write((tx) => house.pool.commitChange(tx, wallet, second));
    const third = await house.pool.leaseChange(wallet);
    expect(third.index).toBe(0);
    await house.store.write((tx) => house.pool.commitChange(tx, wallet, third));
    expect((await house.pool.leaseChange(wallet)).index).toBe(2);
    expect(await highest(wallet, true)).toBe(1 + GAP_LIMIT);
    const script = await house.store.read.scripts.find(wallet.accountId, wallet.walletId, true, 1);
    expect(script?.reservedAt).not.toBeNull();
  });

  it('shows what would be leased next, in its order, and takes nothing', async () => {
    const wallet = await fresh();
    const leases = [];
    for (let ahead = 0; ahead < 3; ahead++) leases.push(await house.pool.leaseChange(wallet));
    for (const lease of [leases[2]!, leases[0]!]) house.pool.returnChange(wallet, lease);
    const shown = [];
    for (let ahead = 0; ahead < 4; ahead++) shown.push(await house.pool.peekChange(wallet, ahead));
    for (const one of shown) house.pool.returnChange(wallet, one);
    const taken = [];
    for (let ahead = 0; ahead < 4; ahead++) taken.push((await house.pool.leaseChange(wallet)).index);
    expect([shown.map(({ index }) => index), taken]).toEqual([
      [0, 2, 3, 4],
      [0, 2, 3, 4],
    ]);
  });

  it('a payment takes its place in the wallet and its change in one statement, and counts scripts with itself', async () => {
    const wallet = await fresh();
    const lease = await house.pool.leaseChange(wallet);
    const before = await house.store.read.scripts.count('acc_one');
    const { gapIsFilled, taken } = await house.store.write(async (tx) => {
      const made = await house.pool.commitPayment(tx, wallet, lease);
      expect(await tx.scripts.count('acc_one')).toBe(before);
      const record = transactionRecord('paid', { walletId: wallet.walletId });
      await tx.transactions.insert(
        record,
        [],
        [{ walletId: wallet.walletId, receivedSats: 1n, sentSats: 2n }],
        made.taken,
      );
      return made;
    });
    expect(gapIsFilled).toBe(true);
    expect(taken).toEqual({ walletId: wallet.walletId, ordinal: 1n, scripts: 1n });
    expect(await house.store.read.scripts.count('acc_one')).toBe(before + 1);
    const kept = await house.store.read.wallets.find('acc_one', wallet.walletId);
    expect(kept).toMatchObject({ transactionCount: 1, nextInternalIndex: 1 });
    expect(await highest(wallet, true)).toBe(GAP_LIMIT);
  });

  it('a commit that rolled back can be made again', async () => {
    const wallet = await fresh();
    const lease = await house.pool.leaseChange(wallet);
    const failed = house.store.write(async (tx) => {
      await house.pool.commitChange(tx, wallet, lease);
      throw new Error('the payment was not made');
    });
    await expect(failed).rejects.toThrow('not made');
    await house.store.write((tx) => house.pool.commitChange(tx, wallet, lease));
  });

  it('refuses change that another process has taken, and gives out fresh change then', async () => {
    const wallet = await fresh();
    const elsewhere = createScriptPool({ store: house.store, clock: Date.now });
    const [ours, theirs] = [await house.pool.leaseChange(wallet), await elsewhere.leaseChange(wallet)];
    expect(theirs.index).toBe(ours.index);
    await house.store.write((tx) => elsewhere.commitChange(tx, wallet, theirs));
    const refused = house.store.write((tx) => house.pool.commitChange(tx, wallet, ours));
    expect(await refusalOf(refused)).toMatchObject({ code: 'state_conflict' });
    house.pool.returnChange(wallet, ours);
    expect((await house.pool.leaseChange(wallet)).index).toBe(1);
  });
});
