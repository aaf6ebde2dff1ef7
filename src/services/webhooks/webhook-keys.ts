/** The keys that sign webhooks: each webhook's secrets, encrypted in its row, and one key per account, derived from a key of the service. */

import { createHmac, type KeyObject } from 'node:crypto';
import type { AccountId } from '../../core/ids.ts';
import { ed25519Of, rawPublicKey } from '../../core/keys/ed25519.ts';
import { createLru } from '../../core/lru.ts';
import { thumbprintOf } from '../../core/request-signatures/signing-algorithm.ts';
import { webhookSecret } from '../../core/webhooks/webhook-signature.ts';
import type { WebhookRecord } from '../../store/repositories/webhooks.ts';
import { createTextCipher } from '../secrets/text-cipher.ts';
import type { PublishedKey } from '../tokens/token-keys.ts';
import type { SecretHolder } from './webhook-rights.ts';

/** How long both secrets sign after a rotation. */
const OVERLAP_MS = 24 * 3_600_000;
const SECRET_BYTES = 32;
const KEPT_KEYS = 1_000;
const CURVE = { kty: 'OKP', crv: 'Ed25519' } as const;

interface AccountKey {
  readonly key: KeyObject;
  /** As Standard Webhooks writes public keys: `whpk_` and 32 bytes in base64. */
  readonly publicKey: string;
  /** RFC 7638. */
  readonly kid: string;
}

interface KeptSecret {
  readonly secret: string;
  /** Epoch milliseconds; null: no end. */
  readonly until: number | null;
  /** To whom it was shown; not stored with older ones. */
  readonly by?: SecretHolder;
}

type Sealed = Pick<WebhookRecord, 'webhookId' | 'secrets'>;

/** Both keys of the service (services/secrets/service-key.ts) have 32 bytes. */
export function createWebhookKeys(deps: {
  secretsKey: Uint8Array;
  signingKey: Uint8Array;
  randomBytes: (size: number) => Uint8Array;
}) {
  const { secretsKey, signingKey, randomBytes } = deps;
  const cipher = createTextCipher(secretsKey, randomBytes);
  const keys = createLru<string, AccountKey>(KEPT_KEYS);
  const binding = (webhookId: string): string => `webhook ${webhookId}`;

  const sealed = (webhookId: string, secrets: readonly KeptSecret[]): string =>
    cipher.encrypt(JSON.stringify(secrets), binding(webhookId));
  const opened = ({ webhookId, secrets }: Sealed): KeptSecret[] =>
    JSON.parse(cipher.decrypt(secrets, binding(webhookId))) as KeptSecret[];

  /** The one without an end. */
  const current = (webhook: Sealed): KeptSecret => opened(webhook).find(({ until }) => until === null)!;

  function keyOf(accountId: AccountId): AccountKey {
    const known = keys.get(accountId);
    if (known !== undefined) return known;
    const key = ed25519Of(createHmac('sha256', signingKey).update(`webhooks of ${accountId}`).digest());
    const raw = rawPublicKey(key);
    const kid = thumbprintOf({ ...CURVE, x: raw.toString('base64url') });
    return keys.set(accountId, { key, publicKey: `whpk_${raw.toString('base64')}`, kid });
  }

  return {
    keyOf,
    /** As in a key set. Also for unknown accounts, so that callers cannot find out which exist. */
    published(accountId: AccountId): PublishedKey & { public_key: string } {
      const { key, publicKey, kid } = keyOf(accountId);
      const x = rawPublicKey(key).toString('base64url');
      return { ...CURVE, x, kid, use: 'sig', alg: 'EdDSA', public_key: publicKey };
    },
    /** As the webhook shows it. */
    publicKeyOf(accountId: AccountId): Pick<AccountKey, 'publicKey' | 'kid'> {
      const { publicKey, kid } = keyOf(accountId);
      return { publicKey, kid };
    },
    newSecret(webhookId: string, { makerKind, makerId }: SecretHolder): { secret: string; secrets: string } {
      const secret = webhookSecret(randomBytes(SECRET_BYTES));
      return { secret, secrets: sealed(webhookId, [{ secret, until: null, by: { makerKind, makerId } }]) };
    },
    /** The previous secret, if it is kept, continues to sign beside the new one for a day; older ones do not. */
    rotated(
      webhook: Sealed,
      { makerKind, makerId }: SecretHolder,
      { at, keepsPrevious }: { at: number; keepsPrevious: boolean },
    ): { secret: string; secrets: string } {
      const secret = webhookSecret(randomBytes(SECRET_BYTES));
      const previous = keepsPrevious ? [{ ...current(webhook), until: at + OVERLAP_MS }] : [];
      const secrets = [{ secret, until: null, by: { makerKind, makerId } }, ...previous];
      return { secret, secrets: sealed(webhook.webhookId, secrets) };
    },
    /** Who was shown the current secret; null: it is not known. */
    secretHolder: (webhook: Sealed): SecretHolder | null => current(webhook).by ?? null,
    /** The secrets that sign now. */
    secretsOf: (webhook: Sealed, at: number): string[] =>
      opened(webhook)
        .filter(({ until }) => until === null || until > at)
        .map(({ secret }) => secret),
  };
}

export type WebhookKeys = ReturnType<typeof createWebhookKeys>;
