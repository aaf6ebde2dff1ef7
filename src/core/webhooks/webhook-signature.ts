/** Headers of a webhook as Standard Webhooks 1.0 has them (https://www.standardwebhooks.com). */
import { createHmac, type KeyObject, sign } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/** Of 24 to 64 random bytes. */
export const webhookSecret = (bytes: Uint8Array): string => SECRET_PREFIX + Buffer.from(bytes).toString('base64');

export interface SignedMessage {
  /** The same each time that the event is sent to the endpoint. */
  readonly id: string;
  /** JSON in UTF-8. */
  readonly body: Buffer;
}

/**
 * A signature `v1` (HMAC-SHA256) by each secret and one `v1a` (Ed25519) by the key, over `<id>.<Unix seconds>.<body>`; `at` in milliseconds
 * is when it is sent, each time anew.
 */
export function webhookHeaders(
  { id, body }: SignedMessage,
  { at, secrets, key }: { at: number; secrets: readonly string[]; key: KeyObject },
) {
  const timestamp = String(Math.floor(at / 1000));
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const shared = secrets.map((secret) => {
    const bytes = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', bytes).update(content).digest('base64')}`;
  });
  const own = `v1a,${sign(null, content, key).toString('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': [...shared, own].join(' '),
  };
}
