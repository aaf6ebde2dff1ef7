/** Who presents an API key, and from where: the secret in constant time, then revocation, end and address. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { BlockList } from 'node:net';
import type { Logger } from 'pino';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { ApiKeyRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { type Caller, NO_ACCOUNT } from '../requests/request-context.ts';
import { addressList, listAllows } from './address-list.ts';
import { createCredentialCache } from './credential-cache.ts';
import { callerFrom, endOf } from './credential-record.ts';
import { CredentialRefused } from './credential-refused.ts';
import { keyPrefix } from './new-api-key.ts';

const TOUCH_EVERY_MS = 60_000;

export interface ApiKeyVerifier {
  /** Throws `unauthorized` for an unknown, expired or revoked key, `forbidden` for an address it does not allow. */
  verify(presented: string, remoteAddress: string): Promise<Caller>;
  /** The same where the key was seen a moment ago; null where the database is to be asked. Spares most requests the wait. */
  verifyCached(presented: string, remoteAddress: string): Caller | null;
  /** Who a key is, by its id: for requests that a key's signature alone speaks for. Throws as `verify` does. */
  callerOf(accountId: AccountId, keyId: string, remoteAddress: string): Promise<Caller>;
}

interface KnownKey {
  readonly record: ApiKeyRecord;
  readonly secretHash: Buffer;
  readonly caller: Caller;
  readonly allowed: BlockList | null;
  readonly endsAt: number;
  touchedAt: number;
}

/** Compared where there is no such key, so that an unknown one takes as long as a wrong one. */
const NO_HASH = Buffer.alloc(32);

export function createApiKeyVerifier(deps: {
  store: Pick<Store, 'read' | 'write' | 'onCredentials' | 'pollForeignCommits'>;
  signaturePolicy: 'required' | 'per-key';
  clock: () => number;
  log: Pick<Logger, 'debug'>;
}): ApiKeyVerifier {
  const { store, signaturePolicy, clock, log } = deps;
  const byPrefix = createCredentialCache({ store, clock, read: (prefix) => readByPrefix(prefix) });
  const byId = createCredentialCache({
    store,
    clock,
    async read(place) {
      const [accountId = '', keyId = ''] = place.split(' ');
      return known(await store.read.apiKeys.find(accountId as AccountId, keyId));
    },
  });

  const readByPrefix = async (prefix: string) => known(await store.read.apiKeys.findByPrefix(prefix));

  async function known(record: ApiKeyRecord | null): Promise<KnownKey | null> {
    // Asked where there is no such key, too: how long a refusal takes tells nothing.
    const account = await store.read.accounts.find(record?.accountId ?? NO_ACCOUNT);
    const { accountId, keyId } = record ?? { accountId: NO_ACCOUNT, keyId: '' };
    const line = await store.read.apiKeys.firstOfLine(accountId, keyId);
    const budgeted = (await store.read.aiBudgets.find(accountId, line)) !== null;
    if (record === null || account === null) return null;
    const credential = { kind: 'api_key', id: keyId, signingKey: 'any', budgeted } as const;
    return {
      record,
      secretHash: Buffer.from(record.secretHash, 'hex'),
      caller: callerFrom(record, account, credential, signaturePolicy),
      allowed: record.allowedIps === null ? null : addressList(record.allowedIps),
      endsAt: endOf(record) ?? Number.POSITIVE_INFINITY,
      touchedAt: record.lastUsedAt ?? 0,
    };
  }

  function touch(key: KnownKey, at: number): void {
    if (at - key.touchedAt < TOUCH_EVERY_MS) return;
    key.touchedAt = at;
    const { accountId, keyId } = key.record;
    store
      .write((tx) => tx.apiKeys.touch(accountId, keyId, at))
      .catch((error: unknown) => log.debug({ keyId, err: error }, 'last use of a key was not noted'));
  }

  function admit(key: KnownKey, remoteAddress: string, at: number): Caller {
    const { revokedAt, expiresAt } = key.record;
    if (revokedAt !== null) throw new CredentialRefused('unauthorized', 'the API key was revoked', key.caller);
    if (key.endsAt <= at) {
      const expired = expiresAt !== null && expiresAt <= at;
      throw new CredentialRefused(
        'unauthorized',
        expired ? 'the API key has expired' : 'the API key was rotated: use the new one',
        key.caller,
      );
    }
    if (key.allowed !== null && !listAllows(key.allowed, remoteAddress)) {
      throw new CredentialRefused('forbidden', 'the API key does not allow requests from this address', key.caller);
    }
    touch(key, at);
    return key.caller;
  }

  const isSecretOf = (key: KnownKey | null | undefined, presented: string): boolean =>
    timingSafeEqual(key?.secretHash ?? NO_HASH, hash('sha256', presented, 'buffer')) && key != null;

  return {
    verifyCached(presented, remoteAddress) {
      const key = byPrefix.get(prefixOf(presented));
      // A wrong secret is looked up as an unknown key is.
      return key != null && isSecretOf(key, presented) ? admit(key, remoteAddress, clock()) : null;
    },
    async verify(presented, remoteAddress) {
      const prefix = prefixOf(presented);
      const seen = byPrefix.get(prefix);
      const key =
        seen == null || isSecretOf(seen, presented) ? await byPrefix.load(prefix) : await readByPrefix(prefix);
      if (key === null || !isSecretOf(key, presented)) {
        if (key === null) isSecretOf(null, presented);
        throw new DomainError('unauthorized', 'the API key is not known');
      }
      return admit(key, remoteAddress, clock());
    },
    async callerOf(accountId, keyId, remoteAddress) {
      const key = await byId.load(`${accountId} ${keyId}`);
      if (key === null) throw new DomainError('unauthorized', 'the API key is not known');
      return admit(key, remoteAddress, clock());
    },
  };
}

function prefixOf(presented: string): string {
  const prefix = keyPrefix(presented);
  if (prefix === '') {
    throw new DomainError(
      'unauthorized',
      'the API key is malformed: it must look like ak_<8 characters>_<43 characters>',
    );
  }
  return prefix;
}
