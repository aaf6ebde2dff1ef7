/** A database of the first version, with what a service had in it, is brought forward. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../src/store/contents.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { silent } from '../../builders/stores.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ashlar-older-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('accounts and API keys of version 1', () => {
  it('keep what they were; the first account runs the service; an account has the tier of its highest key', async () => {
    const path = join(directory, 'ashlar.db');
    const open = (migrations = MIGRATIONS) =>
      openSqliteStore({ path, role: 'service', log: silent, clock: Date.now, migrations });
    await (await open(MIGRATIONS.slice(0, 1))).close();
    const database = new DatabaseSync(path);
    database.exec(`
      insert into accounts (account_id, name, created_at, frozen_at, transaction_count) values
        ('acc_late', 'default', 9, null, 0), ('acc_first', 'default', 1, null, 3), ('acc_large', 'large', 2, 5, 0),
        ('acc_small', 'small', 3, null, 0);
      insert into api_keys (key_id, account_id, name, prefix, secret_hash, role, scopes, tier, expires_at, created_at) values
        ('key_1', 'acc_first', 'k', 'AAAAAAA1', 'h', 'admin', '["*"]', 'standard', 7, 1),
        ('key_2', 'acc_large', 'k', 'AAAAAAA2', 'h', 'viewer', '["*"]', 'pro', null, 1),
        ('key_3', 'acc_large', 'k', 'AAAAAAA3', 'h', 'viewer', '["*"]', 'enterprise', null, 1),
        ('key_4', 'acc_small', 'k', 'AAAAAAA4', 'h', 'viewer', '["*"]', 'free', null, 1);`);
    database.close();

    const store = await open();
    try {
      const accounts = (await store.read.accounts.list()).map(({ accountId, platform, tier }) => [
        accountId,
        platform,
        tier,
      ]);
      expect(accounts).toEqual([
        ['acc_first', true, 'custom'],
        ['acc_large', false, 'enterprise'],
        ['acc_small', false, 'standard'],
        ['acc_late', false, 'standard'],
      ]);
      expect(await store.read.accounts.find('acc_large')).toMatchObject({ frozenAt: 5, frozenReason: null });
      expect(await store.read.apiKeys.findByPrefix('AAAAAAA1')).toMatchObject({
        keyId: 'key_1',
        role: 'admin',
        expiresAt: 7,
        requireSignature: true,
        createdBy: null,
        rotatedTo: null,
        overlapEndsAt: null,
      });
    } finally {
      await store.close();
    }
  });
});
