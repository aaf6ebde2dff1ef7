/** An account has so many scripts watched at most, however they are asked for; the chain and payments are never refused for it. */
import { afterEach, expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { GAP_LIMIT } from '../../../src/services/wallets/script-pool.ts';
import type { WalletRecord } from '../../../src/store/records.ts';
import { startTestApp } from '../../builders/app.ts';
import { backupNaming, PASSPHRASE } from './claiming-backup.ts';
import { openWalletSetup, refusalOf, type WalletSetup } from './wallet-setup.ts';

const HOT = { name: 'Hot', type: 'segwit', backupType: 'none' } as const;
const OF_WALLET = 2 * GAP_LIMIT;
let house: WalletSetup;
afterEach(() => house?.[Symbol.asyncDispose]());

const create = async (accountId: AccountId = 'acc_one') =>
  (await house.wallets.create(HOT, house.context(accountId))).wallet;
const reserve = ({ walletId }: WalletRecord) =>
  house.wallets.reserveAddress(walletId, { change: false, label: null }, house.context());
const kept = () => house.store.read.scripts.count('acc_one');
/** Of every wallet, one by one. */
async function counted(): Promise<number> {
  const { data } = await house.store.read.wallets.list('acc_one', {}, { limit: 100, offset: 0 });
  const all = await Promise.all(data.map(({ walletId }) => house.store.read.scripts.all('acc_one', walletId)));
  return all.flat().length;
}

it('wallets and addresses are refused beyond it, of this account alone, and nothing of them is kept', async () => {
  house = await openWalletSetup({ maxWatchedScripts: 2 * OF_WALLET + 1 });
  const first = await create();
  const asked = await Promise.all([create(), refusalOf(create()), refusalOf(create())]);
  expect(asked[1]).toMatchObject({
    code: 'policy_refused',
    message: expect.stringContaining('80 scripts watched already'),
  });
  expect(asked[1]).toEqual(asked[2]);
  expect(asked[1]?.message).toContain('40 more would be above the 81');
  await reserve(first);
  const refused = await refusalOf(reserve(first));
  expect(refused).toMatchObject({ code: 'policy_refused', message: expect.stringContaining('MAX_WATCHED_SCRIPTS') });
  expect([await kept(), await counted()]).toEqual([81, 81]);
  expect((await house.store.read.wallets.find('acc_one', first.walletId))?.nextExternalIndex).toBe(1);
  expect((await create('acc_two')).accountId).toBe('acc_two');
});

it('a payment takes its change from the gap, and then from the last address again', async () => {
  house = await openWalletSetup({ maxWatchedScripts: OF_WALLET + 1 });
  const wallet = await create();
  const pay = async () => {
    const lease = await house.pool.leaseChange(wallet);
    await house.store.write((tx) => house.pool.commitChange(tx, wallet, lease));
    return lease.index;
  };
  const indexes: number[] = [];
  for (let at = 0; at < GAP_LIMIT + 4; at++) indexes.push(await pay());
  expect(indexes).toEqual([...Array.from({ length: GAP_LIMIT + 1 }, (_, index) => index), 20, 20, 20]);
  expect([await kept(), await counted()]).toEqual([OF_WALLET + 1, OF_WALLET + 1]);
});

it('what the chain pays is followed beyond it', async () => {
  house = await openWalletSetup({ maxWatchedScripts: OF_WALLET });
  const wallet = await create();
  await house.follow();
  await house.synced();
  await house.chain.mine(1, house.pool.model(wallet).scriptAt(false, GAP_LIMIT - 1).scriptPubKey);
  await house.synced();
  expect([await kept(), await counted()]).toEqual([OF_WALLET + GAP_LIMIT, OF_WALLET + GAP_LIMIT]);
});

it('a backup that claims more is restored as far as it goes, and its scan says why it ends', async () => {
  house = await openWalletSetup({ maxWatchedScripts: 2_500 });
  const given = { name: 'Claims', type: 'watch-only', backupType: 'none', backupPassphrase: PASSPHRASE } as const;
  const { wallet } = await house.wallets.create({ ...given, backup: await backupNaming(9_000, 0) }, house.context());
  await house.follow();
  const { scan } = await house.scanned(wallet.walletId);
  expect(scan).toMatchObject({ state: 'failed', error: expect.stringMatching(/MAX_WATCHED_SCRIPTS/) });
  const most = await kept();
  expect(most).toBe(await counted());
  expect(most).toBeGreaterThan(1_500);
  expect(most).toBeLessThanOrEqual(2_500);
  expect(await refusalOf(reserve(wallet))).toMatchObject({
    code: 'state_conflict',
    field: 'wallet_id',
    message: expect.stringContaining('MAX_WATCHED_SCRIPTS'),
  });
});

it('is 422 over the wire', async () => {
  const service = await startTestApp({ env: { MAX_WATCHED_SCRIPTS: '1000' } });
  try {
    const make = () => service.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' });
    for (let at = 0; at < 25; at++) expect((await make()).status).toBe(201);
    const refused = await make();
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ error: { details: { code: 'policy_refused' } } });
  } finally {
    await service.close();
  }
});
