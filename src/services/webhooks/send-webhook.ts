/** One attempt to deliver a message to an endpoint. */
import { type SignedMessage, webhookHeaders } from '../../core/webhooks/webhook-signature.ts';
import { SendFailed, type Sending } from '../../engines/sending/sending.ts';
import type { WebhookRecord } from '../../store/repositories/webhooks.ts';
import type { WebhookKeys } from './webhook-keys.ts';

const TIMEOUT_MS = 15_000;
const ANSWER_BYTES = 4 * 1024;
export const GONE = 410;

export interface Attempt {
  readonly delivered: boolean;
  /** null: no response. */
  readonly httpStatus: number | null;
  readonly latencyMs: number;
  /** Why it failed. */
  readonly error: string | null;
  /** The start of the response; null if it was empty, or if only OUTBOUND_ALLOWED_NETWORKS permits the address. */
  readonly answer: string | null;
  readonly attemptedAt: number;
}

/** An attempt fails when the signal aborts, and after 15 seconds. It never throws because of the endpoint. */
export function createSendWebhook(deps: {
  sending: Pick<Sending, 'http'>;
  keys: Pick<WebhookKeys, 'keyOf' | 'secretsOf'>;
  clock: () => number;
  timeoutMs?: number;
  /** Before each step (scheduling/turns.ts). */
  turn?: () => Promise<void>;
}) {
  const { sending, keys, clock, timeoutMs = TIMEOUT_MS, turn } = deps;
  return async (
    webhook: Pick<WebhookRecord, 'accountId' | 'webhookId' | 'url' | 'secrets'>,
    message: SignedMessage,
    signal: AbortSignal,
  ): Promise<Attempt> => {
    await turn?.();
    const at = clock();
    const { key } = keys.keyOf(webhook.accountId);
    const signed = webhookHeaders(message, { at, secrets: keys.secretsOf(webhook, at), key });
    const headers = { 'content-type': 'application/json', ...signed };
    const { url } = webhook;
    const request = { method: 'POST', url, headers, body: message.body, ca: null, replyBytes: ANSWER_BYTES } as const;
    const startedAt = performance.now();
    const ended = (attempt: Pick<Attempt, 'httpStatus' | 'error' | 'answer'>): Attempt => ({
      delivered: attempt.error === null,
      latencyMs: Math.round(performance.now() - startedAt),
      attemptedAt: at,
      ...attempt,
    });
    try {
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const { status, body, opened } = await sending.http(request, { signal: bounded, turn });
      // PostgreSQL does not store NUL.
      const answer = opened || body === '' ? null : body.replaceAll('\0', '\ufffd');
      return ended({ httpStatus: status, error: problemOf(status), answer });
    } catch (error) {
      if (!(error instanceof SendFailed)) throw error;
      return ended({ httpStatus: null, error: `${error.step}: ${error.message}`, answer: null });
    }
  };
}

export type SendWebhook = ReturnType<typeof createSendWebhook>;

function problemOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status === GONE) return 'the endpoint answers 410 Gone';
  return `the endpoint answers ${status}${status >= 300 && status < 400 ? ': redirects are not followed' : ''}`;
}
