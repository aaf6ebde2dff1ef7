/** A backup says by itself how many addresses were given out: they come back, but never many in one write job. */
import { afterEach, expect, it } from 'vitest';
import { RESTORED_AT_ONCE } from '../../../src/services/wallets/restored-scripts.ts';
import { GAP_LIMIT } from '../../../src/services/wallets/script-pool.ts';
import type { Store } from '../../../src/store/store.ts';
import { startTestApp } from '../../builders/app.ts';
import { openTemporarySqlite } from '../../builders/stores.ts';
import { calibrated, measured } from '../../builders/worst/thread-cpu.ts';
import { backupNaming, PASSPHRASE } from './claiming-backup.ts';
import { openWalletSetup, refusalOf } from './wallet-setup.ts';

const closing: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

it('the addresses of a large wallet come back whole with its scan, and none is given out twice before', async () => {
  const house = await openWalletSetup();
  closing.push(() => house[Symbol.asyncDispose]());
  const script = (wallet: never, index: number) => house.pool.model(wallet).scriptAt(false, index);
  const given = { name: 'Exchange', type: 'watch-only', backupType: 'none', backupPassphrase: PASSPHRASE } as const;
  const [context, last, change] = [house.context(), 2_600, 1_200];
  const probe = await house.wallets.create({ ...given, backup: await backupNaming(0, 0) }, context);
  const { address, scriptPubKey } = script(probe.wallet as never, last - 1);
  const labels = JSON.stringify({ type: 'addr', ref: address, label: 'Customer' });
  await house.chain.mine(1, scriptPubKey);

  const { wallet } = await house.wallets.create(
    { ...given, backup: await backupNaming(last, change, labels) },
    context,
  );
  const highest = (branch: boolean) => house.store.read.scripts.highestIndex('acc_one', wallet.walletId, branch);
  const reserve = () => house.wallets.reserveAddress(wallet.walletId, { change: false, label: null }, context);
  for (const branch of [false, true]) expect(await highest(branch)).toBe(RESTORED_AT_ONCE - 1);
  expect(await refusalOf(reserve())).toMatchObject({ code: 'state_conflict' });
  // Of a field: no payment is built anew for it.
  expect(await refusalOf(house.pool.leaseChange(wallet))).toMatchObject({ code: 'state_conflict', field: 'wallet_id' });

  await house.follow();
  expect((await house.scanned(wallet.walletId)).scan.state).toBe('idle');
  for (const [branch, next] of [
    [false, last],
    [true, change],
  ] as const)
    expect(await highest(branch)).toBe(next - 1 + GAP_LIMIT);
  const all = await house.store.read.scripts.all('acc_one', wallet.walletId);
  expect(all.filter(({ reservedAt }) => reservedAt !== null)).toHaveLength(last + change);
  expect(all.find((one) => one.address === address)).toMatchObject({ label: 'Customer', usedAt: expect.any(Number) });
  expect((await reserve()).script.index).toBe(last);
  expect((await house.pool.leaseChange(wallet)).index).toBe(change);
});

it('one that names as many as there may be is answered after a few, and holds nobody up', async () => {
  const sqlite = await openTemporarySqlite();
  closing.push(sqlite.close);
  const jobs: number[] = [];
  const counted: Store = {
    ...sqlite.store,
    write: (job) =>
      sqlite.store.write(async (tx) => {
        const at = jobs.push(0) - 1;
        const insertMissing: typeof tx.scripts.insertMissing = async (scripts) => {
          jobs[at]! += scripts.length;
          await tx.scripts.insertMissing(scripts);
        };
        return job({ ...tx, scripts: { ...tx.scripts, insertMissing } });
      }),
  };
  const service = await startTestApp({ store: counted });
  closing.push(() => service.close());
  const backup = await backupNaming(100_000, 100_000);
  const body = { name: 'Claims', type: 'watch-only', backup_type: 'none', backup, backup_passphrase: PASSPHRASE };
  const { made, longestMs } = await measured(() => service.post('/api/v1/wallets', body));
  expect(made.status, made.text).toBe(201);
  expect(Math.max(...jobs)).toBe(2 * RESTORED_AT_ONCE);
  // Ten times what a request may compute at once: what it was before is a hundred times.
  expect(longestMs / calibrated()).toBeLessThan(10);
  const highest = () => service.app.store.read.scripts.highestIndex(service.accountId, made.body.wallet_id, false);
  await expect.poll(highest, { timeout: 90_000 }).toBeGreaterThan(2 * RESTORED_AT_ONCE);
  expect(Math.max(...jobs)).toBe(2 * RESTORED_AT_ONCE);
}, 180_000);
