/** One attempt to hand a push service a message for a device: encrypted for the device alone (RFC 8291), signed by this service (RFC 8292). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SendFailed, type Sending } from '../../../engines/sending/sending.ts';
import type { PushSubscription, VapidKeys } from './vapid.ts';

/** That a push service takes (RFC 8030 §7.2), less what the encryption adds. */
const MOST_BYTES = 4_096 - 103;
/** So long it keeps what it cannot deliver, seconds. */
const TTL = 28 * 24 * 3_600;
const TIMEOUT_MS = 15_000;

export interface PushMessage {
  /** A later one of the same id replaces one that the push service still has (RFC 8030 §5.4). */
  readonly id: string;
  readonly subject: string;
  readonly body: string;
  readonly data: object;
  readonly urgent: boolean;
}

/** `gone`: the subscription has ended, and nothing reaches it any more. */
export type PushOutcome = { readonly is: 'delivered' | 'gone' } | { readonly is: 'failed'; readonly error: string };

export function createSendPush(deps: {
  sending: Pick<Sending, 'http'>;
  keys: VapidKeys;
  /** mailto: or https:, whom push services write to. */
  contact: string;
}) {
  const { sending, keys, contact } = deps;
  let last = Promise.resolve();
  /** One message is encrypted in a turn of the event loop: that takes 2 ms. */
  const turnToEncrypt = (): Promise<void> => (last = last.then(() => nextTurn()));
  return async (
    { endpoint, keys: device }: PushSubscription,
    message: PushMessage,
    signal: AbortSignal,
  ): Promise<PushOutcome> => {
    // Few send any: it is not loaded at the start.
    const { default: webPush } = await import('web-push');
    await turnToEncrypt();
    const { cipherText } = webPush.encrypt(device.p256dh, device.auth, payloadOf(message), 'aes128gcm');
    const { origin, href: url } = new URL(endpoint);
    const vapid = webPush.getVapidHeaders(origin, contact, keys.publicKey, keys.privateKey, 'aes128gcm');
    const headers = {
      authorization: vapid.Authorization,
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      ttl: String(TTL),
      urgency: message.urgent ? 'high' : 'normal',
      topic: message.id,
    };
    const request = { method: 'POST', url, headers, body: cipherText, ca: null, replyBytes: 0 } as const;
    try {
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      return outcomeOf((await sending.http(request, { signal: bounded })).status);
    } catch (error) {
      if (!(error instanceof SendFailed)) throw error;
      return { is: 'failed', error: `${error.step}: ${error.message}` };
    }
  };
}
export type SendPush = ReturnType<typeof createSendPush>;

function outcomeOf(status: number): PushOutcome {
  if (status >= 200 && status < 300) return { is: 'delivered' };
  if (status === 404 || status === 410) return { is: 'gone' };
  return { is: 'failed', error: `the push service answers ${status}` };
}

/** JSON; its body is cut where it would be too long. */
export function payloadOf({ id, subject, body, data }: PushMessage): Buffer {
  const whole = (text: string, more: object) =>
    Buffer.from(JSON.stringify({ notification_id: id, subject, body: text, data: more }));
  if (whole(body, data).length <= MOST_BYTES) return whole(body, data);
  const left = whole(body, {});
  if (left.length <= MOST_BYTES) return left;
  const characters = [...body];
  let [least, most] = [0, characters.length];
  while (least < most) {
    const middle = (least + most + 1) >> 1;
    if (whole(`${characters.slice(0, middle).join('')}…`, {}).length <= MOST_BYTES) least = middle;
    else most = middle - 1;
  }
  return whole(`${characters.slice(0, least).join('')}…`, {});
}
