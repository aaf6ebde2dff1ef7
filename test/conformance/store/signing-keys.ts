import { expect, test } from 'vitest';
import type { KeyOwner, SigningKeyRecord } from '../../../src/store/repositories/signing-keys.ts';
import type { StoreContext } from '../store.ts';

const OWNER: KeyOwner = { accountId: 'acc_one', kind: 'api_key', id: 'key_one' };
const key = (keyId: string, patch: Partial<SigningKeyRecord> = {}): SigningKeyRecord => ({
  keyId,
  accountId: 'acc_one',
  credentialKind: 'api_key',
  credentialId: 'key_one',
  name: 'n',
  algorithm: 'ed25519',
  publicJwk: { kty: 'OKP', crv: 'Ed25519', x: 'x' },
  revokedAt: null,
  lastUsedAt: null,
  createdAt: 1_000,
  ...patch,
});
const PAGE = { limit: 10, offset: 0 };

export function signingKeyTests(context: StoreContext): void {
  test('a key is enrolled once in the service, and found by whoever asks within its account', async () => {
    const { store } = context;
    const p256 = key('a', { algorithm: 'ecdsa-p256-sha256', publicJwk: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' } });
    expect(await store.write((tx) => tx.signingKeys.insert(p256))).toBe(true);
    expect(await store.write((tx) => tx.signingKeys.insert(key('a', { accountId: 'acc_two' })))).toBe(false);
    expect(await store.read.signingKeys.findByKeyId('a')).toEqual(p256);
    expect(await store.read.signingKeys.find('acc_one', 'a')).toEqual(p256);
    expect(await store.read.signingKeys.find('acc_two', 'a')).toBeNull();
  });

  test('keys are listed newest first, by credential and by whether they are revoked', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.signingKeys.insert(key('a'));
      await tx.signingKeys.insert(key('b', { createdAt: 2_000, credentialId: 'key_two' }));
      await tx.signingKeys.insert(key('c', { createdAt: 2_000, revokedAt: 3_000 }));
      await tx.signingKeys.insert(key('d', { accountId: 'acc_two' }));
      await tx.signingKeys.insert(key('e', { createdAt: 500, credentialKind: 'person' }));
    });
    const ids = async (filter: Parameters<typeof store.read.signingKeys.page>[1], page = PAGE) =>
      (await store.read.signingKeys.page('acc_one', filter, page)).data.map(({ keyId }) => keyId).join('');
    expect(await ids({})).toBe('cbae');
    expect(await ids({ owner: { kind: 'api_key', id: 'key_one' } })).toBe('ca');
    expect(await ids({ owner: { kind: 'person', id: 'key_one' } })).toBe('e');
    expect(await ids({ revoked: false })).toBe('bae');
    expect(await ids({ revoked: true })).toBe('c');
    expect(await ids({}, { limit: 2, offset: 1 })).toBe('ba');
    const first = await store.read.signingKeys.page('acc_one', {}, { limit: 1, offset: 0 });
    expect(first).toMatchObject({ total: 4, hasMore: true });
    const rest = await store.read.signingKeys.page('acc_one', {}, { ...PAGE, cursor: first.nextCursor as string });
    expect(rest.data.map(({ keyId }) => keyId).join('')).toBe('bae');
  });

  test('a key is revoked once, all of a credential at a time, and every process hears of it', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      for (const id of ['a', 'b', 'c']) await tx.signingKeys.insert(key(id));
      await tx.signingKeys.insert(key('other', { credentialId: 'key_two' }));
    });
    let heard = 0;
    store.onCredentials(() => {
      heard++;
    });
    expect(await store.write((tx) => tx.signingKeys.revoke('acc_two', 'a', 5))).toBe(false);
    expect(heard).toBe(0);
    expect(await store.write((tx) => tx.signingKeys.revoke('acc_one', 'a', 5))).toBe(true);
    expect(heard).toBe(1);
    expect(await store.write((tx) => tx.signingKeys.revoke('acc_one', 'a', 6))).toBe(false);
    expect(await store.read.signingKeys.countStanding(OWNER)).toBe(2);
    expect(await store.write((tx) => tx.signingKeys.revokeAll(OWNER, 7))).toBe(2);
    expect((await store.read.signingKeys.findByKeyId('a'))?.revokedAt).toBe(5);
    expect((await store.read.signingKeys.findByKeyId('other'))?.revokedAt).toBeNull();
    await store.write((tx) => tx.signingKeys.touch('acc_one', 'other', 8));
    expect((await store.read.signingKeys.findByKeyId('other'))?.lastUsedAt).toBe(8);
  });

  test('a nonce is spent once per key, for one request; two stores agree', async () => {
    const { store } = context;
    const other = await context.beside();
    const spent = { keyId: 'a', nonce: 'n', fingerprint: 'f', expiresAt: 10 };
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? store : other).write((tx) => tx.signatureNonces.spend({ ...spent, fingerprint: `f${i}` })),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'spent')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(9);
    const winner = `f${outcomes.indexOf('spent')}`;
    expect(await other.read.signatureNonces.find('a', 'n')).toBe(winner);
    const spend = (given: Partial<typeof spent>) =>
      store.write((tx) => tx.signatureNonces.spend({ ...spent, ...given }));
    expect(await spend({ fingerprint: winner })).toBe('resent');
    expect(await spend({ keyId: 'b' })).toBe('spent');
    expect(await spend({ nonce: 'm', expiresAt: 20 })).toBe('spent');
    expect(await store.read.signatureNonces.find('b', 'm')).toBeNull();
    expect(await store.write((tx) => tx.signatureNonces.deleteExpired(10))).toBe(2);
    expect(await spend({})).toBe('spent');
  });
}
