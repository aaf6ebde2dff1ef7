/** Token keys, OAuth clients and revoked tokens. */
import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import type { OAuthClientRecord } from '../../../src/store/repositories/oauth-clients.ts';
import type { TokenKeyRecord } from '../../../src/store/repositories/token-keys.ts';
import type { StoreContext } from '../store.ts';

const tokenKey = (generation: number, patch: Partial<TokenKeyRecord> = {}): TokenKeyRecord => ({
  generation,
  keyId: `kid_${generation}`,
  publicJwk: { kty: 'OKP', crv: 'Ed25519', x: 'x' },
  sealedPrivateKey: 'v1.sealed',
  signsFrom: 1_700_000_000_000,
  revokedAt: null,
  createdAt: 1_700_000_000_000,
  ...patch,
});

const client = (clientId: string, patch: Partial<OAuthClientRecord> = {}): OAuthClientRecord => ({
  clientId,
  accountId: 'acc_one',
  name: 'reporting',
  role: 'operator',
  scopes: ['wallets:read'],
  tier: 'custom',
  limits: { requests_per_minute: 5 },
  allowedIps: ['10.0.0.0/8'],
  requireSignature: false,
  mayGrant: true,
  countsAs: 'usr_ada',
  secretHash: 'ab'.repeat(32),
  previousSecretHash: null,
  previousSecretUntil: null,
  expiresAt: 1_800_000_000_000,
  revokedAt: null,
  lastUsedAt: null,
  createdAt: 1_700_000_000_000,
  ...patch,
});

export function oauthTests(context: StoreContext): void {
  /** How often listeners of changed credentials were called meanwhile. */
  async function changes(work: () => Promise<unknown>): Promise<number> {
    let heard = 0;
    const stop = context.store.onCredentials(() => {
      heard++;
    });
    await work();
    stop();
    return heard;
  }

  describe('token keys', () => {
    it('keep their order, are inserted once per generation, and tell every process', async () => {
      const { store } = context;
      const insert = (key: TokenKeyRecord) => store.write((tx) => tx.tokenKeys.insert(key));
      expect(await insert(tokenKey(2, { revokedAt: 5 }))).toBe(true);
      expect(await changes(() => insert(tokenKey(1)))).toBe(1);
      expect(await changes(async () => expect(await insert(tokenKey(2, { keyId: 'another' }))).toBe(false))).toBe(0);
      expect(await insert(tokenKey(3, { keyId: 'kid_1' }))).toBe(false);
      expect(await store.read.tokenKeys.list()).toEqual([tokenKey(1), tokenKey(2, { revokedAt: 5 })]);
    });

    it('are revoked once, and forget their private half', async () => {
      const { store } = context;
      await store.write((tx) => tx.tokenKeys.insert(tokenKey(1)));
      const revoke = (at: number) => store.write((tx) => tx.tokenKeys.revoke('kid_1', at));
      expect(await changes(async () => expect(await revoke(10)).toBe(true))).toBe(1);
      expect(await revoke(20)).toBe(false);
      await store.write((tx) => tx.tokenKeys.forgetPrivateKey('kid_1'));
      expect(await store.read.tokenKeys.list()).toEqual([tokenKey(1, { revokedAt: 10, sealedPrivateKey: null })]);
    });
  });

  describe('OAuth clients', () => {
    it('come back as they were, to their account alone', async () => {
      const { store } = context;
      const bare = client('cli_bare', { limits: null, allowedIps: null, expiresAt: null, requireSignature: true });
      await store.write(async (tx) => {
        await tx.oauthClients.insert(client('cli_one'));
        await tx.oauthClients.insert(bare);
      });
      expect(await store.read.oauthClients.find('acc_one', 'cli_one')).toEqual(client('cli_one'));
      expect(await store.read.oauthClients.find('acc_two', 'cli_one')).toBeNull();
      expect(await store.read.oauthClients.findByClientId('cli_bare')).toEqual(bare);
      expect(await store.read.oauthClients.findByClientId('cli_none')).toBeNull();
    });

    it('rotate their secret, are revoked and touched, by their account alone', async () => {
      const { store } = context;
      await store.write((tx) => tx.oauthClients.insert(client('cli_one')));
      const fresh = { secretHash: 'cd'.repeat(32), previousSecretUntil: 1_700_000_060_000, countsAs: 'usr_bob' };
      const rotate = (account: AccountId) => store.write((tx) => tx.oauthClients.rotate(account, 'cli_one', fresh));
      const revoke = (account: AccountId) => store.write((tx) => tx.oauthClients.revoke(account, 'cli_one', 7));
      const touch = (account: AccountId, at: number) =>
        store.write((tx) => tx.oauthClients.touch(account, 'cli_one', at));
      expect([await rotate('acc_two'), await revoke('acc_two')]).toEqual([false, false]);
      await touch('acc_two', 99);
      expect(await store.read.oauthClients.findByClientId('cli_one')).toEqual(client('cli_one'));
      expect(await changes(async () => expect(await rotate('acc_one')).toBe(true))).toBe(1);
      expect(await changes(() => touch('acc_one', 8))).toBe(0);
      expect(await changes(async () => expect(await revoke('acc_one')).toBe(true))).toBe(1);
      expect([await rotate('acc_one'), await revoke('acc_one')]).toEqual([false, false]);
      expect(await store.read.oauthClients.findByClientId('cli_one')).toEqual(
        client('cli_one', { ...fresh, previousSecretHash: 'ab'.repeat(32), lastUsedAt: 8, revokedAt: 7 }),
      );
    });

    it('are listed in pages, newest first', async () => {
      const { store } = context;
      await store.write(async (tx) => {
        for (const n of [1, 2, 3]) {
          await tx.oauthClients.insert(client(`cli_${n}`, { createdAt: 1_700_000_000_000 + Math.min(n, 2) }));
        }
        await tx.oauthClients.insert(client('cli_other', { accountId: 'acc_two' }));
      });
      const first = await store.read.oauthClients.list('acc_one', { limit: 2, offset: 0 });
      expect(first).toMatchObject({ total: 3, hasMore: true });
      const rest = await store.read.oauthClients.list('acc_one', {
        limit: 2,
        offset: 0,
        cursor: first.nextCursor ?? '',
      });
      const ids = [...first.data, ...rest.data].map(({ clientId }) => clientId);
      expect(ids).toEqual(['cli_3', 'cli_2', 'cli_1']);
      expect(rest).toMatchObject({ offset: 2, hasMore: false, nextCursor: null });
      const second = await store.read.oauthClients.list('acc_one', { limit: 2, offset: 1 });
      expect(second.data.map(({ clientId }) => clientId)).toEqual(['cli_2', 'cli_1']);
    });
  });

  describe('revoked tokens', () => {
    it('are there until they would have ended, and tell every process', async () => {
      const { store } = context;
      const revoke = (tokenId: string, expiresAt: number) =>
        store.write((tx) => tx.revokedTokens.insert({ tokenId, accountId: 'acc_one', expiresAt }));
      expect(await store.read.revokedTokens.has('tok_one')).toBe(false);
      expect(await changes(() => revoke('tok_one', 100))).toBe(1);
      await revoke('tok_one', 100);
      await revoke('tok_two', 101);
      expect(await store.write((tx) => tx.revokedTokens.deleteExpired(100))).toBe(1);
      expect(await store.read.revokedTokens.has('tok_one')).toBe(false);
      expect(await store.read.revokedTokens.has('tok_two')).toBe(true);
    });
  });
}
