/** The master key changed on PostgreSQL beside a replica that runs. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WalletId } from '../../../src/core/ids.ts';
import { openKeyProvider } from '../../../src/services/secrets/open-key-provider.ts';
import { rotateMasterKey } from '../../../src/services/secrets/rotate-master-key.ts';
import { createSecretBox } from '../../../src/services/secrets/secret-box.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { accountRecord, walletRecord } from '../../builders/store-records.ts';
import { silent, type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';

let postgres: TemporaryPostgres;
let stores: Store[];
let folder: string;

beforeAll(async () => {
  postgres = await withPostgres();
  folder = mkdtempSync(join(tmpdir(), 'ashlar-keys-'));
  const url = await postgres.newDatabase();
  const open = () => openPostgresStore({ url, log: silent, clock: Date.now });
  stores = [await open(), await open()];
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('opens for a new start all that was there, and what the replica still writes; two at once take turns', async () => {
  const [replica, tool] = stores as [Store, Store];
  const path = join(folder, 'master.key');
  writeFileSync(path, randomBytes(32), { mode: 0o600 });
  const open = (store: Store) => openKeyProvider({ store, dataDir: folder, masterKeyFile: path, randomBytes });
  const binding = (walletId: WalletId) => ({ walletId, purpose: 'wallet-keys' }) as const;
  const running = createSecretBox({ provider: await open(replica), randomBytes });
  const makeWallet = async (walletId: WalletId) => {
    const secret = await running.encrypt(Buffer.from(walletId), binding(walletId));
    await replica.write((tx) => tx.wallets.insert(walletRecord(walletId, { secret })));
  };
  await replica.write((tx) => tx.accounts.insert(accountRecord('acc_one')));
  for (let i = 0; i < 250; i++) await makeWallet(`wal_${i}`);

  const rotate = (store: Store) =>
    store.exclusively('masterKey', new AbortController().signal, () => rotateMasterKey({ store, path, randomBytes }));
  await Promise.all([rotate(tool), makeWallet('wal_meanwhile'), rotate(replica)]);
  await makeWallet('wal_late');

  const provider = await open(tool);
  const box = createSecretBox({ provider, randomBytes });
  const kept = await tool.read.wrappedKeys.walletSecrets('', 1_000);
  expect(kept).toHaveLength(252);
  for (const { walletId, secret } of kept) {
    expect(String(Buffer.from(await box.decrypt(secret, binding(walletId))))).toBe(walletId);
  }
  const [rewrapped] = kept;
  await expect(running.decrypt(rewrapped!.secret, binding(rewrapped!.walletId))).rejects.toMatchObject({
    code: 'unavailable',
  });
});
