/** Keys that sign requests (RFC 9421), each enrolled for one credential. The keyid of a signature is the key's RFC 7638 thumbprint. */
import { generateKeyPairSync } from 'node:crypto';
import type { Logger } from 'pino';
import { DomainError } from '../../core/errors.ts';
import { algorithmOf, parsePublicJwk, thumbprintOf } from '../../core/request-signatures/signing-algorithm.ts';
import type { KeyOwner, SigningKeyRecord } from '../../store/repositories/signing-keys.ts';
import type { Repositories, Store } from '../../store/store.ts';
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

/** Who a key may speak for without another credential (family G): loads the credential that it is enrolled for. */
export type LoadCaller = (owner: CredentialReference & { keyId: string }, remoteAddress: string) => Promise<Caller>;

export function createSigningKeys(deps: { store: Store; clock: () => number; log: Pick<Logger, 'debug'> }) {
  const { store, clock, log } = deps;
  const cache = createCredentialCache<SigningKeyRecord>({
    store,
    clock,
    read: (keyId) => store.read.signingKeys.findByKeyId(keyId),
  });
  /** When a key was last noted, by its cached record. */
  const touched = new WeakMap<SigningKeyRecord, number>();

  return {
    /** A fresh Ed25519 pair; the private JWK is answered to its owner once and never stored. */
    newPair,
    /**
     * In the job that makes the credential: enrols the key given with it. Throws `invalid_value` (at `public_key`) for what is no such
     * key, or holds a private one; `already_exists` where it is enrolled.
     */
    async enrol(
      tx: Pick<Repositories, 'signingKeys'>,
      owner: CredentialReference,
      { name, publicJwk }: { name: string; publicJwk: unknown },
    ) {
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
    /** In the job that revokes a credential: its keys too. */
    async revokeAll(tx: Pick<Repositories, 'signingKeys'>, owner: CredentialReference) {
      await tx.signingKeys.revokeAll(owner, clock());
    },
    /** What is enrolled under a keyid, revoked ones too; undefined where the cache cannot tell at once. */
    findCached: (keyId: string) => cache.get(keyId),
    find: (keyId: string) => cache.load(keyId),
    /** Notes the last use of a key, at most once a minute, beside the request. */
    used(key: SigningKeyRecord) {
      const at = clock();
      if (at - (touched.get(key) ?? key.lastUsedAt ?? 0) < TOUCH_EVERY_MS) return;
      touched.set(key, at);
      store
        .write((tx) => tx.signingKeys.touch(key.accountId, key.keyId, at))
        .catch((error: unknown) => log.debug({ keyId: key.keyId, err: error }, 'last use of a key was not noted'));
    },
  };
}

export type SigningKeyService = ReturnType<typeof createSigningKeys>;

function newPair() {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as { x: string; d: string };
  const publicJwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
  return { keyId: thumbprintOf(publicJwk), publicJwk, privateJwk: { ...publicJwk, d } };
}
