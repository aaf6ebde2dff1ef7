/** Keys that sign access tokens, over months of a clock that the test moves. */
import { randomBytes } from 'node:crypto';
import { jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publishedAt, scheduleOf, signerAt } from '../../../src/services/tokens/token-key-schedule.ts';
import type { Store } from '../../../src/store/store.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite } from '../../builders/stores.ts';
import { testSubject, tokenParts } from '../../builders/token-parts.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const sealKey = randomBytes(32);
let now: number;
const clock = () => now;
let store: Store;
let close: () => Promise<void>;
let tokens: ReturnType<typeof tokenParts>;

beforeEach(async () => {
  now = Date.parse('2026-11-21T12:00:00Z');
  ({ store, close } = await openTemporarySqlite());
  await store.write((tx) => tx.accounts.insert(accountRecord('acc_one')));
  tokens = tokenParts(store, clock, sealKey);
});
afterEach(() => close());

const kids = async () => (await tokens.keys.published()).map(({ kid }) => kid);
const signer = async () => (await tokens.keys.signer()).keyId;

describe('token keys', () => {
  it('are made when first needed, sign at once, and are shown without their private half', async () => {
    const keyId = await signer();
    const published = await tokens.keys.published();
    expect(published).toEqual([
      { kty: 'OKP', crv: 'Ed25519', x: expect.any(String), kid: keyId, use: 'sig', alg: 'EdDSA' },
    ]);
    const { token } = await tokens.accessTokens.issue(testSubject());
    const { x = '', ...rest } = published[0] ?? {};
    await jwtVerify(token, { ...rest, x } as never, { currentDate: new Date(now) });
  });

  it('keep their private half sealed in the database', async () => {
    const { privateKey } = await tokens.keys.signer();
    const { d } = privateKey.export({ format: 'jwk' });
    const [record] = await store.read.tokenKeys.list();
    expect(record?.sealedPrivateKey).toMatch(/^v1\./);
    expect(JSON.stringify(record)).not.toContain(d);
    await expect(tokenParts(store, clock).keys.signer()).rejects.toThrow();
  });

  it('are the same in every process, also where two make the first one at once', async () => {
    const other = tokenParts(store, clock, sealKey);
    const made = await Promise.all([tokens.keys.signer(), other.keys.signer(), tokens.keys.signer()]);
    expect(new Set(made.map(({ keyId }) => keyId)).size).toBe(1);
    expect(await store.read.tokenKeys.list()).toHaveLength(1);
  });

  it('rotate on their schedule: the next is published before it signs, the last until its tokens have ended', async () => {
    const first = await signer();
    now += 30 * DAY - 10 * MINUTE - 1;
    expect(await kids()).toEqual([first]);
    now += 1;
    const [, second = ''] = await kids();
    expect(second).not.toBe('');
    expect(await signer()).toBe(first);

    now += 10 * MINUTE - 1;
    expect(await signer()).toBe(first);
    const { token } = await tokens.accessTokens.issue(testSubject());
    const issuedAt = now;
    now += 1;
    expect(await signer()).toBe(second);

    // Whoever fetched the set when the token was issued, or fetches it until the token's end, can verify it.
    while (now < issuedAt + 15 * MINUTE) {
      const key = (await tokens.keys.published()).find(({ kid }) => kid === first);
      await jwtVerify(token, key as never, { currentDate: new Date(now) });
      expect(await tokens.keys.publicPem(first)).not.toBeNull();
      now += MINUTE;
    }
    now = issuedAt + 17 * MINUTE;
    expect(await kids()).toEqual([second]);
    expect(await tokens.keys.publicPem(first)).toBeNull();
    expect(tokens.keys.isPublishedCached(first)).toBe(false);
  });

  it('are maintained beside requests: the next made in time, private halves forgotten that sign no more', async () => {
    const first = await signer();
    expect(await tokens.keys.maintain()).toBe(0);
    now += 30 * DAY - 5 * MINUTE;
    await tokens.keys.maintain();
    expect(await kids()).toHaveLength(2);
    now += 11 * MINUTE;
    expect(await tokens.keys.maintain()).toBe(1);
    const records = await store.read.tokenKeys.list();
    expect(records.map(({ keyId, sealedPrivateKey }) => [keyId === first, sealedPrivateKey === null])).toEqual([
      [true, true],
      [false, false],
    ]);
    // Its tokens are verified all the same.
    expect(await kids()).toContain(first);
  });

  it('rotate by hand, once for as long as the next one waits', async () => {
    const first = await signer();
    const next = await tokens.keys.rotate();
    expect((await tokens.keys.rotate()).keyId).toBe(next.keyId);
    expect(await kids()).toEqual([first, next.keyId]);
    expect(await signer()).toBe(first);
    now += 10 * MINUTE;
    expect(await signer()).toBe(next.keyId);
    expect((await tokens.keys.rotate()).keyId).not.toBe(next.keyId);
  });

  it('are revoked at once, with a successor; nobody signs with an old one again', async () => {
    const first = await signer();
    const second = (await tokens.keys.rotate()).keyId;
    now += 10 * MINUTE;
    expect(await signer()).toBe(second);
    await tokens.keys.revoke(second);
    const third = await signer();
    expect([first, second]).not.toContain(third);
    expect(await kids()).toEqual([first, third]);
    await expect(tokens.keys.revoke(second)).rejects.toMatchObject({ code: 'not_found' });
    await expect(tokens.keys.revoke('nobody')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('that wait for their turn can be revoked, and the present one goes on', async () => {
    const first = await signer();
    const second = (await tokens.keys.rotate()).keyId;
    await tokens.keys.revoke(second);
    now += 10 * MINUTE;
    expect(await signer()).toBe(first);
    expect(await kids()).toEqual([first]);
  });

  it('take over early where the present one is revoked while the next one waits', async () => {
    const first = await signer();
    const second = (await tokens.keys.rotate()).keyId;
    await tokens.keys.revoke(first);
    expect(await signer()).toBe(second);
    expect(await kids()).toEqual([second]);
    expect(await store.read.tokenKeys.list()).toHaveLength(2);
  });

  it('sign in a process whose clock is behind', async () => {
    const first = await signer();
    now -= 5_000;
    expect(await tokenParts(store, clock, sealKey).keys.signer()).toMatchObject({ keyId: first });
  });
});

describe('a schedule', () => {
  const key = (generation: number, signsFrom: number, revokedAt: number | null = null) => ({
    generation,
    keyId: `k${generation}`,
    signsFrom,
    revokedAt,
  });

  it('never has two that sign, and always has the signer among the published', () => {
    const keys = [key(1, 0), key(2, 100 * MINUTE), key(3, 200 * MINUTE, 250 * MINUTE), key(4, 250 * MINUTE)];
    const schedule = scheduleOf(keys);
    for (let at = 0; at < 400 * MINUTE; at += MINUTE) {
      const signing = signerAt(schedule, at);
      expect(publishedAt(schedule, at)).toContain(signing);
    }
    expect(signerAt(schedule, 99 * MINUTE)?.keyId).toBe('k1');
    expect(signerAt(schedule, 199 * MINUTE)?.keyId).toBe('k2');
    expect(signerAt(schedule, 260 * MINUTE)?.keyId).toBe('k4');
  });
});
