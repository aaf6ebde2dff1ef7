import { expect, test } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import type { Repositories } from '../../../src/store/store.ts';
import { accountRecord, apiKeyRecord, walletRecord } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const PAGE = { limit: 10, offset: 0 };

export function credentialTests(context: StoreContext): void {
  test('accounts are listed newest first, by name, and by whether they are frozen', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.accounts.insert(accountRecord('acc_three', { createdAt: 1_700_000_000_001, name: 'same' }));
      await tx.accounts.insert(accountRecord('acc_four', { createdAt: 1_700_000_000_002, name: 'same', frozenAt: 5 }));
    });
    const ids = async (filter: Parameters<Repositories['accounts']['page']>[0], page = PAGE) =>
      (await store.read.accounts.page(filter, page)).data.map(({ accountId }) => accountId);
    expect(await ids({})).toEqual(['acc_four', 'acc_three', 'acc_two', 'acc_one']);
    expect(await ids({ name: 'same' })).toEqual(['acc_four', 'acc_three']);
    expect(await ids({ frozen: true })).toEqual(['acc_four']);
    expect(await ids({ name: 'same', frozen: false })).toEqual(['acc_three']);
    const first = await store.read.accounts.page({}, { limit: 3, offset: 0 });
    expect(first).toMatchObject({ total: 4, hasMore: true });
    const rest = await store.read.accounts.page({}, { ...PAGE, cursor: first.nextCursor as string });
    expect(rest).toMatchObject({ total: 4, offset: 3, hasMore: false, nextCursor: null });
    expect(rest.data.map(({ accountId }) => accountId)).toEqual(['acc_one']);
    expect(await ids({}, { limit: 2, offset: 1 })).toEqual(['acc_three', 'acc_two']);
  });

  test('of accounts made at once under one name, in two processes, one is made', async () => {
    const beside = await context.beside();
    const make = (store: typeof beside, id: AccountId) =>
      store.write((tx) => tx.accounts.insertUnderNewName(accountRecord(id, { name: 'wanted' })));
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, i) => make(i % 2 === 0 ? context.store : beside, `acc_new_${i}`)),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    expect((await context.store.read.accounts.page({ name: 'wanted' }, PAGE)).total).toBe(1);
  });

  test('an account is frozen once and unfrozen once', async () => {
    const { store } = context;
    expect(await store.write((tx) => tx.accounts.freeze('acc_one', 7, 'why'))).toBe(true);
    expect(await store.write((tx) => tx.accounts.freeze('acc_one', 8, 'again'))).toBe(false);
    expect(await store.read.accounts.find('acc_one')).toMatchObject({ frozenAt: 7, frozenReason: 'why' });
    expect((await store.read.accounts.find('acc_two'))?.frozenAt).toBeNull();
    expect(await store.write((tx) => tx.accounts.unfreeze('acc_one'))).toBe(true);
    expect(await store.write((tx) => tx.accounts.unfreeze('acc_one'))).toBe(false);
    expect(await store.read.accounts.find('acc_one')).toMatchObject({ frozenAt: null, frozenReason: null });
    expect(await store.write((tx) => tx.accounts.freeze('acc_none', 7, null))).toBe(false);
  });

  test('API keys are listed newest first, by name, role and whether they stand at a time', async () => {
    const { store } = context;
    const keys = [
      apiKeyRecord({ keyId: 'key_1', prefix: 'AAAAAAA1', createdAt: 1, name: 'a' }),
      apiKeyRecord({ keyId: 'key_2', prefix: 'AAAAAAA2', createdAt: 2, name: 'a', role: 'admin', expiresAt: 100 }),
      apiKeyRecord({ keyId: 'key_3', prefix: 'AAAAAAA3', createdAt: 3, revokedAt: 50 }),
      apiKeyRecord({ keyId: 'key_4', prefix: 'AAAAAAA4', createdAt: 3, rotatedTo: 'key_5', overlapEndsAt: 80 }),
      apiKeyRecord({ keyId: 'key_5', prefix: 'AAAAAAA5', createdAt: 4, overlapEndsAt: 200, expiresAt: 90 }),
    ];
    await store.write(async (tx) => {
      for (const key of keys) await tx.apiKeys.insert(key);
      await tx.apiKeys.insert(apiKeyRecord({ keyId: 'key_6', prefix: 'AAAAAAA6', accountId: 'acc_two' }));
    });
    const ids = async (filter: Parameters<Repositories['apiKeys']['page']>[1]) => {
      const { data, total } = await store.read.apiKeys.page('acc_one', filter, PAGE);
      expect(total).toBe(data.length);
      return data.map(({ keyId }) => keyId);
    };
    expect(await ids({})).toEqual(['key_5', 'key_4', 'key_3', 'key_2', 'key_1']);
    expect(await ids({ name: 'a' })).toEqual(['key_2', 'key_1']);
    expect(await ids({ role: 'admin' })).toEqual(['key_2']);
    expect(await ids({ active: { is: true, at: 60 } })).toEqual(['key_5', 'key_4', 'key_2', 'key_1']);
    expect(await ids({ active: { is: true, at: 80 } })).toEqual(['key_5', 'key_2', 'key_1']);
    expect(await ids({ active: { is: false, at: 100 } })).toEqual(['key_5', 'key_4', 'key_3', 'key_2']);
    expect(await store.read.apiKeys.find('acc_one', 'key_4')).toEqual(keys[3]);
    expect(await store.read.apiKeys.find('acc_two', 'key_4')).toBeNull();
    const first = await store.read.apiKeys.page('acc_one', {}, { limit: 2, offset: 0 });
    const rest = await store.read.apiKeys.page('acc_one', {}, { ...PAGE, cursor: first.nextCursor as string });
    expect(rest.data.map(({ keyId }) => keyId)).toEqual(['key_3', 'key_2', 'key_1']);
  });

  test('an API key gets one successor, not after it was revoked and not from another account', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.apiKeys.insert(apiKeyRecord({ keyId: 'key_a', prefix: 'AAAAAAAA' }));
      await tx.apiKeys.insert(apiKeyRecord({ keyId: 'key_b', prefix: 'BBBBBBBB', revokedAt: 5 }));
    });
    const succeed = (account: AccountId, keyId: string, to: string) =>
      store.write((tx) => tx.apiKeys.succeed(account, keyId, { keyId: to, overlapEndsAt: 9 }));
    expect(await succeed('acc_two', 'key_a', 'key_c')).toBe(false);
    expect(await succeed('acc_one', 'key_b', 'key_c')).toBe(false);
    const attempts = await Promise.all(['key_c', 'key_d', 'key_e'].map((to) => succeed('acc_one', 'key_a', to)));
    expect(attempts.filter(Boolean)).toHaveLength(1);
    const { rotatedTo, overlapEndsAt } = (await store.read.apiKeys.find('acc_one', 'key_a'))!;
    expect([rotatedTo, overlapEndsAt]).toEqual([['key_c', 'key_d', 'key_e'][attempts.indexOf(true)], 9]);
  });

  const changes: [string, (tx: Repositories) => Promise<unknown>][] = [
    ['a revoked key', (tx) => tx.apiKeys.revoke('acc_one', 'key_a', 5)],
    ['a rotated key', (tx) => tx.apiKeys.succeed('acc_one', 'key_a', { keyId: 'key_b', overlapEndsAt: 9 })],
    ['a frozen account', (tx) => tx.accounts.freeze('acc_one', 5, null)],
    ['an account that goes on', (tx) => tx.accounts.unfreeze('acc_two')],
  ];
  test.each(changes)('of %s every process has heard when the writer is answered', async (_, change) => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.apiKeys.insert(apiKeyRecord({ keyId: 'key_a', prefix: 'AAAAAAAA' }));
      await tx.accounts.freeze('acc_two', 1, null);
    });
    const beside = await context.beside();
    const heard = { here: 0, there: 0 };
    store.onCredentials(() => heard.here++);
    beside.onCredentials(() => heard.there++);
    await beside.write(change);
    // A look-up asks so.
    store.pollForeignCommits();
    expect(heard.here).toBeGreaterThan(0);
    expect(heard.there).toBeGreaterThan(0);
    const before = heard.there;
    await beside.write(change);
    expect(heard.there).toBe(before);
  });

  test('what a process reads after it heard is what the other wrote', async () => {
    const { store } = context;
    await store.write((tx) => tx.apiKeys.insert(apiKeyRecord({ keyId: 'key_a', prefix: 'AAAAAAAA' })));
    const beside = await context.beside();
    const seen: (number | null | undefined)[] = [];
    let reading: Promise<unknown> = Promise.resolve();
    store.onCredentials(() => {
      reading = store.read.apiKeys.find('acc_one', 'key_a').then((key) => seen.push(key?.revokedAt));
    });
    await beside.write((tx) => tx.apiKeys.revoke('acc_one', 'key_a', 5));
    store.pollForeignCommits();
    await reading;
    expect(seen.at(-1)).toBe(5);
  });

  test('what the master key wraps is found in every account, and nothing else', async () => {
    const { store } = context;
    const secret = { keyId: 'k', wrappedKey: 'w', iv: 'i', ciphertext: 'c', tag: 't' };
    await store.write(async (tx) => {
      await tx.wallets.insert(walletRecord('wal_a', { secret }));
      await tx.wallets.insert(walletRecord('wal_b', { secret, accountId: 'acc_two' }));
      for (const name of ['key:b', 'key:a', 'key;', 'ke', 'key']) await tx.settings.set(name, `of ${name}`);
    });
    const { wrappedKeys } = store.read;
    expect(await wrappedKeys.countWalletSecrets()).toBe(2);
    expect((await wrappedKeys.walletSecrets('', 9)).map(({ walletId }) => walletId)).toEqual(['wal_a', 'wal_b']);
    expect(await wrappedKeys.walletSecrets('wal_a', 9)).toEqual([{ walletId: 'wal_b', secret }]);
    expect(await wrappedKeys.settings('key:')).toEqual([
      { name: 'key:a', value: 'of key:a' },
      { name: 'key:b', value: 'of key:b' },
    ]);
    await store.write((tx) => tx.wrappedKeys.replaceWalletSecret('wal_b', { ...secret, wrappedKey: 'x' }));
    expect((await store.read.wallets.find('acc_two', 'wal_b'))?.secret?.wrappedKey).toBe('x');
    expect((await store.read.wallets.find('acc_one', 'wal_a'))?.secret?.wrappedKey).toBe('w');
  });
}
