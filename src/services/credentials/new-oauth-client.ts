/** The form of OAuth clients: `cli_…` and a secret `cs_<43 base62 characters>`, 256 bits, of which only the SHA-256 is stored. */
import { hash, timingSafeEqual } from 'node:crypto';
import { base62, newId } from '../../core/ids.ts';
import type { OAuthClientRecord } from '../../store/repositories/oauth-clients.ts';
import { freshCredential, type NewCredential } from './credential-record.ts';

export const CLIENT_ID = /^cli_[0-9A-Za-z]{22}$/;

/** A fresh client and the record to store for it. */
export function newOAuthClient(
  client: NewCredential,
  randomBytes: (size: number) => Uint8Array,
  at: number,
): { clientSecret: string; record: OAuthClientRecord } {
  const clientSecret = `cs_${base62(randomBytes(64), 43)}`;
  const record: OAuthClientRecord = {
    ...freshCredential(client, clientSecret, at),
    clientId: newId('cli', randomBytes),
    previousSecretHash: null,
    previousSecretUntil: null,
  };
  return { clientSecret, record };
}

/** Compared where there is no such client or no such secret, so that every refusal takes as long. */
const NO_HASH = '00'.repeat(32);

/** Whether a secret is the client's, or the one before while it still serves. */
export function isSecretOf(client: OAuthClientRecord | null, secret: string, at: number): boolean {
  const presented = hash('sha256', secret, 'buffer');
  const same = (expected: string | null) => timingSafeEqual(Buffer.from(expected ?? NO_HASH, 'hex'), presented);
  const present = same(client?.secretHash ?? null);
  const previous = same(client?.previousSecretHash ?? null);
  const previousServes = (client?.previousSecretUntil ?? Number.NEGATIVE_INFINITY) > at;
  return client !== null && (present || (previous && previousServes));
}
