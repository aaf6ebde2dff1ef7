/** Keys that sign requests (RFC 9421), each enrolled for one credential. The keyid of a signature is the key's RFC 7638 thumbprint. */
import { generateKeyPairSync } from 'node:crypto';
import type { Logger } from 'pino';
import { DomainError } from '../../core/errors.ts';
import {
  algorithmOf,
  type PrivateJwk,
  type PublicJwk,
  parsePublicJwk,
  thumbprintOf,
} from '../../core/request-signatures/signing-algorithm.ts';
import type { Repositories, Store } from '../../store/store.ts';
import type { KeyOwner, SigningKeyRecord } from '../../store/tables/signing-keys.ts';
import type { Caller } from '../requests/request-context.ts';
import { createCredentialCache } from './credential-cache.ts';

export {
  type PrivateJwk,
  SIGNATURE_ALGORITHMS,
} from '../../core/request-signatures/signing-algorithm.ts';
export type { SigningKeyRecord };

const TOUCH_EVERY_MS = 60_000;

/** The owner of a key. */
type CredentialReference = KeyOwner;

export interface SigningKeyService {
  /** A fresh Ed25519 pair; the private JWK is answered to its owner once and never stored. */
  newPair(): { keyId: string; publicJwk: PublicJwk; privateJwk: PrivateJwk };
  /**
   * In the job that makes the credential: enrols the key given with it. Throws `invalid_value` (at `public_key`) for what is no such
   * key, or holds a private one; `already_exists` where it is enrolled.
   */
  enrol(
    tx: Pick<Repositories, 'signingKeys'>,
    owner: CredentialReference,
    key: { name: string; publicJwk: unknown },
  ): Promise<SigningKeyRecord>;
  /** In the job that revokes a credential: its keys too. */
  revokeAll(tx: Pick<Repositories, 'signingKeys'>, owner: CredentialReference): Promise<void>;
  /** What is enrolled under a keyid, revoked ones too; undefined where the cache cannot tell at once. */
  findCached(keyId: string): SigningKeyRecord | null | undefined;
  find(keyId: string): Promise<SigningKeyRecord | null>;
  /** Notes the last use of a key, at most once a minute, beside the request. */
  used(key: SigningKeyRecord): void;
}

/** Who a key may speak for without another credential (family G): loads the credential that it is enrolled for. */
export type LoadCaller = (owner: CredentialReference, remoteAddress: string) => Promise<Caller>;

export function createSigningKeys(deps: {
  store: Store;
  clock: () => number;
  log: Pick<Logger, 'debug'>;
}): SigningKeyService {
  const { store, clock, log } = deps;
  const cache = createCredentialCache<SigningKeyRecord>({
    store,
    clock,
    read: (keyId) => store.read.signingKeys.findByKeyId(keyId),
  });
  /** When a key was last noted, by its cached record. */
  const touched = new WeakMap<SigningKeyRecord, number>();

  return {
    newPair,
    async enrol(tx, owner, { name, publicJwk }) {
      const jwk = parsePublicJwk(publicJwk);
      const record: SigningKeyRecord = {
        keyId: thumbprintOf(jwk),
        accountId: owner.accountId,
        credentialKind: owner.kind,
        credentialId: owner.id,
        name,
        algorithm: algorithmOf(jwk),
        publicJwk: jwk,
        revokedAt: null,
        lastUsedAt: null,
        createdAt: clock(),
      };
      if (!(await tx.signingKeys.insert(record))) {
        throw new DomainError(
          'already_exists',
          'this public key was enrolled before: each key is enrolled once, for one credential; make a new pair',
          { field: 'public_key' },
        );
      }
      return record;
    },
    async revokeAll(tx, owner) {
      await tx.signingKeys.revokeAll(owner, clock());
    },
    findCached: (keyId) => cache.get(keyId),
    find: (keyId) => cache.load(keyId),
    used(key) {
      const at = clock();
      if (at - (touched.get(key) ?? key.lastUsedAt ?? 0) < TOUCH_EVERY_MS) return;
      touched.set(key, at);
      store
        .write((tx) => tx.signingKeys.touch(key.accountId, key.keyId, at))
        .catch((error: unknown) => log.debug({ keyId: key.keyId, err: error }, 'last use of a key was not noted'));
    },
  };
}

function newPair(): { keyId: string; publicJwk: PublicJwk; privateJwk: PrivateJwk } {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as { x: string; d: string };
  const publicJwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
  return { keyId: thumbprintOf(publicJwk), publicJwk, privateJwk: { ...publicJwk, d } };
}
