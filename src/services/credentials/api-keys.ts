/** API keys: `ak_<8>_<43>` in base62, of which only the SHA-256 is stored. */
import { hash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import type { Logger } from 'pino';
import { DomainError } from '../../core/errors.ts';
import { base62, newId } from '../../core/ids.ts';
import type { ApiKeyRecord, Role, Tier } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from '../requests/request-context.ts';

const KEY_FORM = /^ak_([0-9A-Za-z]{8})_[0-9A-Za-z]{43}$/;
const CACHED_KEYS = 10_000;
/** How long a key that another process revoked may still be taken for valid here. */
const CACHE_LIFE_MS = 5_000;
const TOUCH_EVERY_MS = 60_000;

export interface NewApiKey {
  accountId: string;
  name: string;
  role: Role;
  scopes: string[];
  tier: Tier;
  limits?: Record<string, number> | null;
  allowedIps?: string[] | null;
  expiresAt?: number | null;
}

export interface ApiKeyService {
  /** The key itself is answered once and never again. Throws `not_found` for an unknown account. */
  create(key: NewApiKey): Promise<{ apiKey: string; record: ApiKeyRecord }>;
  list(accountId: string): Promise<ApiKeyRecord[]>;
  /** Effective at once in this process, within seconds in others. Throws `not_found`. */
  revoke(accountId: string, keyId: string): Promise<void>;
  /** Throws `unauthorized` for an unknown, expired or revoked key, `forbidden` for an address it does not allow. */
  verify(presented: string, remoteAddress: string): Promise<Caller>;
  /** The same where the key was seen a moment ago; null where the database is to be asked. Spares most requests the wait. */
  verifyCached(presented: string, remoteAddress: string): Caller | null;
}

/** A fresh key and the record to store for it. */
export function newApiKey(
  key: NewApiKey,
  randomBytes: (size: number) => Uint8Array,
  at: number,
): { apiKey: string; record: ApiKeyRecord } {
  const prefix = base62(randomBytes(16), 8);
  const apiKey = `ak_${prefix}_${base62(randomBytes(64), 43)}`;
  const record: ApiKeyRecord = {
    keyId: newId('key', randomBytes),
    accountId: key.accountId,
    name: key.name,
    prefix,
    secretHash: secretHash(apiKey),
    role: key.role,
    scopes: key.scopes,
    tier: key.tier,
    limits: key.limits ?? null,
    allowedIps: key.allowedIps ?? null,
    requireSignature: true,
    createdBy: null,
    rotatedTo: null,
    overlapEndsAt: null,
    expiresAt: key.expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: at,
  };
  return { apiKey, record };
}

/** Compared where there is no such key, so that an unknown one takes as long as a wrong one. */
const NO_HASH = Buffer.alloc(32);

interface CachedKey {
  record: ApiKeyRecord;
  secretHash: Buffer;
  caller: Caller;
  allowed: BlockList | null;
  loadedAt: number;
  touchedAt: number;
}

export function createApiKeys(deps: {
  store: Store;
  randomBytes: (size: number) => Uint8Array;
  clock: () => number;
  log: Logger;
}): ApiKeyService {
  const { store, randomBytes, clock, log } = deps;
  const cache = new Map<string, CachedKey>();
  let revocations = 0;

  function cached(prefix: string, at: number): CachedKey | null {
    const key = cache.get(prefix);
    return key !== undefined && at - key.loadedAt < CACHE_LIFE_MS ? key : null;
  }

  async function load(prefix: string, at: number): Promise<CachedKey | null> {
    const known = cached(prefix, at);
    if (known !== null) return known;
    const before = cache.get(prefix);
    const revocationsBefore = revocations;
    const record = await store.read.apiKeys.findByPrefix(prefix);
    const account = record === null ? null : await store.read.accounts.find(record.accountId);
    if (record === null || account === null) {
      cache.delete(prefix);
      return null;
    }
    const fresh: CachedKey = {
      record,
      secretHash: Buffer.from(record.secretHash, 'hex'),
      caller: {
        accountId: record.accountId,
        accountFrozen: account.frozenAt !== null,
        platform: account.platform,
        credential: {
          kind: 'api_key',
          id: record.keyId,
          role: record.role,
          scopes: record.scopes,
          tier: record.tier,
          limits: record.limits,
          requireSignature: true,
          signingKey: 'any',
        },
      },
      allowed: record.allowedIps === null ? null : addressList(record.allowedIps),
      loadedAt: at,
      touchedAt: before?.touchedAt ?? record.lastUsedAt ?? 0,
    };
    // A record read before a revocation must not be cached after it.
    if (revocations !== revocationsBefore) return fresh;
    if (cache.size >= CACHED_KEYS) cache.delete(cache.keys().next().value as string);
    cache.set(prefix, fresh);
    return fresh;
  }

  function touch(key: CachedKey, at: number): void {
    if (at - key.touchedAt < TOUCH_EVERY_MS) return;
    key.touchedAt = at;
    const { accountId, keyId } = key.record;
    store
      .write((tx) => tx.apiKeys.touch(accountId, keyId, at))
      .catch((error: unknown) => log.debug({ keyId, err: String(error) }, 'last use of a key was not noted'));
  }

  function admit(key: CachedKey | null, presented: string, remoteAddress: string, at: number): Caller {
    const same = timingSafeEqual(key?.secretHash ?? NO_HASH, hash('sha256', presented, 'buffer'));
    if (key === null || !same) throw new DomainError('unauthorized', 'the API key is not known');
    const { revokedAt, expiresAt } = key.record;
    if (revokedAt !== null) throw new DomainError('unauthorized', 'the API key was revoked');
    if (expiresAt !== null && expiresAt <= at) throw new DomainError('unauthorized', 'the API key has expired');
    if (key.allowed !== null && !key.allowed.check(remoteAddress, isIP(remoteAddress) === 6 ? 'ipv6' : 'ipv4')) {
      throw new DomainError('forbidden', 'the API key does not allow requests from this address');
    }
    touch(key, at);
    return key.caller;
  }

  return {
    async create(key) {
      const made = newApiKey(key, randomBytes, clock());
      await store.write(async (tx) => {
        if ((await tx.accounts.find(key.accountId)) === null) {
          throw new DomainError('not_found', `there is no account ${key.accountId}`);
        }
        await tx.apiKeys.insert(made.record);
      });
      return made;
    },
    list: (accountId) => store.read.apiKeys.list(accountId),
    async revoke(accountId, keyId) {
      const revoked = await store.write((tx) => tx.apiKeys.revoke(accountId, keyId, clock()));
      revocations++;
      for (const [prefix, key] of cache) {
        if (key.record.keyId === keyId) cache.delete(prefix);
      }
      if (!revoked) throw new DomainError('not_found', `there is no API key ${keyId} to revoke`);
    },
    async verify(presented, remoteAddress) {
      const at = clock();
      return admit(await load(prefixOf(presented), at), presented, remoteAddress, at);
    },
    verifyCached(presented, remoteAddress) {
      const at = clock();
      const key = cached(prefixOf(presented), at);
      return key === null ? null : admit(key, presented, remoteAddress, at);
    },
  };
}

function prefixOf(presented: string): string {
  const prefix = keyPrefix(presented);
  if (prefix === '') {
    throw new DomainError('unauthorized', 'the API key is malformed: it looks like ak_<8 characters>_<43 characters>');
  }
  return prefix;
}

/** A list of addresses and CIDR blocks. Throws `invalid_value` naming the entry that is neither. */
export function addressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const version = isIP(address);
    const length = bits === undefined ? null : Number(bits);
    const longest = version === 6 ? 128 : 32;
    if (version === 0 || (length !== null && !(/^\d{1,3}$/.test(bits as string) && length <= longest))) {
      throw new DomainError('invalid_value', `"${entry}" is neither an IP address nor a block such as 10.0.0.0/8`);
    }
    const family = version === 6 ? 'ipv6' : 'ipv4';
    if (length === null) list.addAddress(address, family);
    else list.addSubnet(address, length, family);
  }
  return list;
}

/** What is stored of a key. */
export const secretHash = (apiKey: string): string => hash('sha256', apiKey, 'hex');

/** The 8 public characters of a key, '' where it is none. */
export const keyPrefix = (apiKey: string): string => KEY_FORM.exec(apiKey)?.[1] ?? '';
