/** What the database is asked when a key is presented, and when what was known of it is forgotten. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiKeyService } from '../../../src/services/credentials/api-keys.ts';
import type { Repositories, Store } from '../../../src/store/store.ts';
import { apiKeysOn } from '../../builders/api-keys.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, type TemporarySqlite } from '../../builders/stores.ts';

const KEY = { accountId: 'acc_one', name: 'k', role: 'operator', tier: 'standard' } as const;
const HERE = '127.0.0.1';
let sqlite: TemporarySqlite;
let asked: string[];
let apiKeys: ApiKeyService;
let now: number;
const clock = () => now;

/** The store, telling which of its queries were asked. */
function watched(store: Store): Store {
  const telling = <T extends object>(name: string, repository: T): T =>
    new Proxy(repository, {
      get(target, method) {
        const call = Reflect.get(target, method) as (...input: unknown[]) => unknown;
        return (...input: unknown[]) => {
          asked.push(`${name}.${String(method)}`);
          return call.apply(target, input);
        };
      },
    });
  const read: Repositories = {
    ...store.read,
    apiKeys: telling('apiKeys', store.read.apiKeys),
    accounts: telling('accounts', store.read.accounts),
  };
  return { ...store, read };
}

beforeEach(async () => {
  sqlite = await openTemporarySqlite();
  now = 1_800_000_000_000;
  asked = [];
  await sqlite.store.write((tx) => tx.accounts.insert(accountRecord('acc_one')));
  apiKeys = apiKeysOn(watched(sqlite.store), { clock });
});
afterEach(() => sqlite.close());

const make = async (given = {}) => {
  const made = await apiKeys.create({ ...KEY, scopes: ['*'], ...given });
  asked = [];
  return made;
};
const otherSecret = (apiKey: string) => apiKey.slice(0, -1) + (apiKey.endsWith('0') ? '1' : '0');

describe('verification', () => {
  it('asks the database once, then nothing', async () => {
    const { apiKey } = await make();
    expect(apiKeys.verifyCached(apiKey, HERE)).toBeNull();
    await apiKeys.verify(apiKey, HERE);
    expect(asked).toEqual(['apiKeys.findByPrefix', 'accounts.find', 'apiKeys.firstOfLine']);
    asked = [];
    expect(apiKeys.verifyCached(apiKey, HERE)?.credential.role).toBe('operator');
    await apiKeys.verify(apiKey, HERE);
    expect(asked).toEqual([]);
  });

  it('does the same for an unknown key as for a wrong secret, known to the cache or not', async () => {
    const { apiKey } = await make();
    const refused = async (presented: string) => {
      asked = [];
      expect(apiKeys.verifyCached(presented, HERE)).toBeNull();
      await expect(apiKeys.verify(presented, HERE)).rejects.toThrow('the API key is not known');
      return asked;
    };
    const unknown = await refused(`ak_00000000_${'0'.repeat(43)}`);
    expect(unknown).toEqual(['apiKeys.findByPrefix', 'accounts.find', 'apiKeys.firstOfLine']);
    expect(await refused(otherSecret(apiKey))).toEqual(unknown);
    await apiKeys.verify(apiKey, HERE);
    expect(await refused(otherSecret(apiKey))).toEqual(unknown);
    expect(apiKeys.verifyCached(apiKey, HERE)).not.toBeNull();
  });

  it('refuses what is malformed without asking', async () => {
    for (const presented of ['', 'ak_', 'nonsense', `ak_0000000_${'0'.repeat(44)}`]) {
      await expect(apiKeys.verify(presented, HERE)).rejects.toThrow('malformed');
    }
    expect(asked).toEqual([]);
  });

  it.each<[string, (keyId: string) => Promise<unknown>, RegExp | null]>([
    ['a revoked key', (keyId) => apiKeys.revoke('acc_one', keyId), /revoked/],
    [
      'a key rotated without overlap',
      (keyId) => apiKeys.rotate('acc_one', keyId, { overlapSeconds: 0, createdBy: null }),
      /rotated/,
    ],
    ['a frozen account', () => sqlite.store.write((tx) => tx.accounts.freeze('acc_one', 1, null)), null],
  ])('knows at once of %s, by key and by id', async (_, change, refused) => {
    const { apiKey, record } = await make();
    await apiKeys.verify(apiKey, HERE);
    await apiKeys.callerOf('acc_one', record.keyId, HERE);
    await change(record.keyId);
    for (const look of [
      async () => apiKeys.verifyCached(apiKey, HERE) ?? apiKeys.verify(apiKey, HERE),
      () => apiKeys.callerOf('acc_one', record.keyId, HERE),
    ]) {
      if (refused === null) expect((await look()).accountFrozen).toBe(true);
      else await expect(look()).rejects.toThrow(refused);
    }
  });

  it('ends a key at its expiry or at the end of its overlap, whichever is first, without asking again', async () => {
    const { apiKey, record } = await make({ expiresAt: now + 3_000 });
    await apiKeys.rotate('acc_one', record.keyId, { overlapSeconds: 2, createdBy: null });
    await apiKeys.verify(apiKey, HERE);
    now += 1_999;
    expect(apiKeys.verifyCached(apiKey, HERE)).not.toBeNull();
    now += 1;
    expect(() => apiKeys.verifyCached(apiKey, HERE)).toThrow('rotated');
    now += 1_000;
    expect(() => apiKeys.verifyCached(apiKey, HERE)).toThrow('expired');
  });

  it("by id knows an account's own keys only", async () => {
    const { record } = await make();
    await expect(apiKeys.callerOf('acc_two', record.keyId, HERE)).rejects.toThrow('not known');
    await expect(apiKeys.callerOf('acc_one', 'key_none', HERE)).rejects.toThrow('not known');
  });

  it('has every key sign where the policy wants it, whatever the key was issued with', async () => {
    const { apiKey } = await make({ requireSignature: false });
    expect((await apiKeys.verify(apiKey, HERE)).credential.requireSignature).toBe(true);
    const free = apiKeysOn(sqlite.store, { clock, signaturePolicy: 'per-key' });
    expect((await free.verify(apiKey, HERE)).credential.requireSignature).toBe(false);
  });

  it('notes the last use once a minute', async () => {
    const { apiKey, record } = await make();
    const used = async () => {
      await sqlite.store.write(async () => {});
      return (await sqlite.store.read.apiKeys.find('acc_one', record.keyId))?.lastUsedAt;
    };
    await apiKeys.verify(apiKey, HERE);
    const first = now;
    expect(await used()).toBe(first);
    now += 59_999;
    await apiKeys.verify(apiKey, HERE);
    expect(await used()).toBe(first);
    now += 1;
    await apiKeys.verify(apiKey, HERE);
    expect(await used()).toBe(now);
  });
});
