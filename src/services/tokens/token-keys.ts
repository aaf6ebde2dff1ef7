/** The keys that sign access tokens: shared by all processes through the database, rotated on a schedule, revoked at once. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { DomainError } from '../../core/errors.ts';
import type { TokenKeyRecord } from '../../store/repositories/token-keys.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { type RecordChange, recordsNothing } from '../audit/record-change.ts';
import { createCredentialCache } from '../credentials/credential-cache.ts';
import type { TextCipher } from '../secrets/text-cipher.ts';
import {
  PUBLISHED_AHEAD_MS,
  publishedAt,
  rotationDueAt,
  scheduleOf,
  signerAt,
  type TokenKeySchedule,
} from './token-key-schedule.ts';

/** A key as the key set shows it (RFC 7517). */
export interface PublishedKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
}

export interface TokenKeys {
  /** Makes the first key, or the next one where it is due. */
  signer(): Promise<{ keyId: string; privateKey: KeyObject }>;
  /** Those that tokens may be signed with now, and those that will sign next. */
  published(): Promise<PublishedKey[]>;
  /** SPKI PEM of a published key; null where none has that id, or had it too long ago. */
  publicPem(keyId: string): Promise<string | null>;
  /** Whether a key is published; undefined where the database is to be asked. */
  isPublishedCached(keyId: string): boolean | undefined;
  /** Publishes the next key, which signs from some minutes later; where one is waiting for its turn already, answers that. */
  rotate(): Promise<TokenKeyRecord>;
  /** For a key that was compromised: its tokens are refused from now on. Throws `not_found`. */
  revoke(keyId: string): Promise<void>;
  list(): Promise<TokenKeyRecord[]>;
  /** Rotates where it is due and forgets private halves that are no longer needed; answers how many. */
  maintain(): Promise<number>;
}

interface KnownKeys {
  readonly records: readonly TokenKeyRecord[];
  readonly schedule: TokenKeySchedule<TokenKeyRecord>;
}

const ALL = 'all';
const binding = (keyId: string): string => `token key ${keyId}`;

/** `cipher` encrypts private halves under a key of the service, which the key provider wraps. */
export function createTokenKeys(deps: {
  store: Store;
  cipher: TextCipher;
  clock: () => number;
  /** For the command line: in the job of what was asked for. Absent: nothing is recorded. What is due by itself never is. */
  recordChange?: RecordChange;
}): TokenKeys {
  const { store, cipher, clock, recordChange = recordsNothing } = deps;
  const privateKeys = new Map<string, KeyObject>();
  const pems = new Map<string, string>();

  const known = (records: readonly TokenKeyRecord[]): KnownKeys => ({ records, schedule: scheduleOf(records) });
  const cache = createCredentialCache<KnownKeys>({
    store,
    clock,
    read: async () => known(await store.read.tokenKeys.list()),
  });
  const load = async (): Promise<KnownKeys> => (await cache.load(ALL)) as KnownKeys;

  async function newKey(generation: number, signsFrom: number): Promise<TokenKeyRecord> {
    const { privateKey } = generateKeyPairSync('ed25519');
    const { x = '', d = '' } = privateKey.export({ format: 'jwk' });
    const publicJwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
    const keyId = await calculateJwkThumbprint(publicJwk, 'sha256');
    const sealedPrivateKey = cipher.encrypt(d, binding(keyId));
    return { generation, keyId, publicJwk, sealedPrivateKey, signsFrom, revokedAt: null, createdAt: clock() };
  }

  /** Makes the next key where `wanted` still says so; another process may have been first. */
  async function makeNext(
    wanted: (keys: KnownKeys, now: number) => number | null,
    record: RecordChange = recordsNothing,
  ): Promise<void> {
    const before = known(await store.read.tokenKeys.list());
    const signsFrom = wanted(before, clock());
    if (signsFrom === null) return;
    const key = await newKey((before.records.at(-1)?.generation ?? 0) + 1, signsFrom);
    await store.write(async (tx) => {
      if (!(await tx.tokenKeys.insert(key))) return;
      await record(tx, { operation: 'token-key.rotate', accountId: null, target: key.keyId });
    });
    cache.clear();
  }

  /** At once where nobody signs: there is nobody to have fetched an older set either. */
  const whenDue = ({ schedule }: KnownKeys, now: number): number | null => {
    if (signerAt(schedule, now) === null) return now;
    return rotationDueAt(schedule) <= now ? now + PUBLISHED_AHEAD_MS : null;
  };

  async function current(): Promise<KnownKeys> {
    const keys = await load();
    if (whenDue(keys, clock()) === null) return keys;
    await makeNext(whenDue);
    return load();
  }

  function privateKeyOf({ keyId, publicJwk, sealedPrivateKey }: TokenKeyRecord): KeyObject {
    let key = privateKeys.get(keyId);
    if (key === undefined) {
      if (sealedPrivateKey === null) throw new Error(`the private half of token key ${keyId} was forgotten`);
      const d = cipher.decrypt(sealedPrivateKey, binding(keyId));
      key = createPrivateKey({ key: { ...publicJwk, d }, format: 'jwk' });
      privateKeys.set(keyId, key);
    }
    return key;
  }

  function pemOf({ keyId, publicJwk }: TokenKeyRecord): string {
    let pem = pems.get(keyId);
    if (pem === undefined) {
      pem = createPublicKey({ key: publicJwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' }) as string;
      pems.set(keyId, pem);
    }
    return pem;
  }

  const isWaiting = ({ schedule }: KnownKeys, now: number): TokenKeyRecord | undefined => {
    const last = schedule.turns.at(-1)?.key;
    return last !== undefined && last.signsFrom > now ? last : undefined;
  };

  async function forgetOld(): Promise<number> {
    const { records, schedule } = await load();
    const needed = new Set(schedule.turns.filter(({ signsUntil }) => clock() < signsUntil).map(({ key }) => key.keyId));
    const old = records.filter(({ keyId, sealedPrivateKey }) => sealedPrivateKey !== null && !needed.has(keyId));
    if (old.length === 0) return 0;
    await store.write(async (tx) => {
      for (const { keyId } of old) await tx.tokenKeys.forgetPrivateKey(keyId);
    });
    for (const { keyId } of old) privateKeys.delete(keyId);
    cache.clear();
    return old.length;
  }

  return {
    async signer() {
      const key = signerAt((await current()).schedule, clock());
      if (key === null) throw new Error('no key signs access tokens, though one was just made');
      return { keyId: key.keyId, privateKey: privateKeyOf(key) };
    },
    async published() {
      const keys = publishedAt((await current()).schedule, clock());
      return keys.map(({ keyId, publicJwk }) => ({ ...publicJwk, kid: keyId, use: 'sig', alg: 'EdDSA' }));
    },
    async publicPem(keyId) {
      const key = publishedAt((await load()).schedule, clock()).find((one) => one.keyId === keyId);
      return key === undefined ? null : pemOf(key);
    },
    isPublishedCached(keyId) {
      const keys = cache.get(ALL);
      if (keys === undefined || keys === null) return undefined;
      const turn = keys.schedule.turns.find(({ key }) => key.keyId === keyId);
      return turn !== undefined && clock() < turn.publishedUntil;
    },
    async rotate() {
      const before = await current();
      const waiting = isWaiting(before, clock());
      if (waiting !== undefined) return waiting;
      const unlessWaiting = (keys: KnownKeys, now: number) =>
        isWaiting(keys, now) === undefined ? now + PUBLISHED_AHEAD_MS : null;
      await makeNext(unlessWaiting, recordChange);
      return isWaiting(await load(), clock()) ?? ((await load()).records.at(-1) as TokenKeyRecord);
    },
    async revoke(keyId) {
      const at = clock();
      const keys = known(await store.read.tokenKeys.list());
      const without = scheduleOf(keys.records.map((key) => (key.keyId === keyId ? { ...key, revokedAt: at } : key)));
      // Its successor is made with the revocation, so that no moment is without a key.
      const successor =
        signerAt(without, at) === null ? await newKey((keys.records.at(-1)?.generation ?? 0) + 1, at) : null;
      await store.write(async (tx: Repositories) => {
        if (!(await tx.tokenKeys.revoke(keyId, at))) {
          throw new DomainError('not_found', `there is no token key ${keyId} to revoke`);
        }
        if (successor !== null) await tx.tokenKeys.insert(successor);
        await recordChange(tx, { operation: 'token-key.revoke', accountId: null, target: keyId });
      });
      privateKeys.delete(keyId);
      cache.clear();
    },
    list: () => store.read.tokenKeys.list(),
    async maintain() {
      await current();
      return forgetOld();
    },
  };
}
