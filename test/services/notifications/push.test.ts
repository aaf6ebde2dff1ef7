/** Push messages, to a push service on loopback that decrypts and verifies by the RFCs. */
import { createECDH, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSending } from '../../../src/engines/sending/create-sending.ts';
import { createSendPush, type PushMessage, payloadOf } from '../../../src/services/notifications/push/send-push.ts';
import { isAuthSecret, isPushKey, vapidKeysOf } from '../../../src/services/notifications/push/vapid.ts';
import { decrypted, startPushReceiver } from '../../builders/push-receiver.ts';

let receiver: Awaited<ReturnType<typeof startPushReceiver>>;
beforeAll(async () => {
  receiver = await startPushReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.status = 201;
  receiver.pushed.length = 0;
  receiver.problems.length = 0;
});

const keys = vapidKeysOf(randomBytes(32));
const message: PushMessage = {
  ...{ id: 'ntf_3mVb1k7Q2xYt9LpRw0Zc5A', subject: 'Payment', body: 'A payment waits – approve it', urgent: true },
  data: { txid: '6f2b', amount: '0.00150000' },
};
const sender = (allowedNetworks: string[]) =>
  createSendPush({ sending: createSending({ allowedNetworks }), keys, contact: 'mailto:ops@example.com' });
const open = sender(['127.0.0.1/32']);
const { signal } = new AbortController();

it('decrypts the example of RFC 8291', () => {
  const browser = createECDH('prime256v1');
  browser.setPrivateKey('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', 'base64url');
  const auth = Buffer.from('BTBZMqHH6r4Tts7J_aSIgg', 'base64url');
  const body =
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN';
  expect(decrypted(Buffer.from(body, 'base64url'), { ecdh: browser, auth })).toBe(
    'When I grow up, I want to be a watermelon',
  );
});

describe('a push message', () => {
  it('arrives encrypted for its device, and signed by the service', async () => {
    expect(await open(receiver.subscribe(), message, signal)).toEqual({ is: 'delivered' });
    expect(receiver.problems).toEqual([]);
    const [{ headers, payload, vapid }] = receiver.pushed as [(typeof receiver.pushed)[0]];
    const { id, subject, body, data } = message;
    expect(payload).toEqual({ notification_id: id, subject, body, data });
    expect(vapid).toMatchObject({ publicKey: keys.publicKey, sub: 'mailto:ops@example.com' });
    expect(headers).toMatchObject({ ttl: '2419200', urgency: 'high', topic: id, 'content-encoding': 'aes128gcm' });
    expect(Number(headers['content-length'])).toBeLessThanOrEqual(4_096);
  });

  it('opens for nobody else', async () => {
    const [one, other] = [receiver.subscribe(), receiver.subscribe()];
    await open({ ...one, endpoint: other.endpoint }, message, signal);
    expect(receiver.pushed).toEqual([]);
    expect(receiver.problems).toHaveLength(1);
  });

  it.each([
    [404, { is: 'gone' }],
    [410, { is: 'gone' }],
    [429, { is: 'failed', error: 'the push service answers 429' }],
    [302, { is: 'failed', error: 'the push service answers 302' }],
  ])('of a push service that answers %s', async (status, outcome) => {
    receiver.status = status;
    expect(await open(receiver.subscribe(), message, signal)).toEqual(outcome);
  });

  it('goes to no private address', async () => {
    const closed = sender([]);
    for (const origin of [receiver.origin, 'https://127.0.0.1', 'https://[::ffff:127.0.0.1]', 'https://0x7f.1']) {
      const subscription = { ...receiver.subscribe(), endpoint: `${origin}/push/0` };
      expect(await closed(subscription, message, signal)).toMatchObject({ is: 'failed', error: /^resolve: / });
    }
    expect(receiver.pushed).toEqual([]);
  });

  it('is cut where a push service would not take it', async () => {
    const long = { ...message, body: '"🔑'.repeat(4_000), data: { note: 'x'.repeat(4_000) } };
    expect(await open(receiver.subscribe(), long, signal)).toEqual({ is: 'delivered' });
    const [{ headers, payload }] = receiver.pushed as [(typeof receiver.pushed)[0]];
    expect(Number(headers['content-length'])).toBeGreaterThan(4_080);
    expect(Number(headers['content-length'])).toBeLessThanOrEqual(4_096);
    expect(payload.body).toMatch(/^("🔑)+"?…$/u);
    expect(JSON.parse(payloadOf({ ...message, data: long.data }).toString())).toMatchObject({
      body: message.body,
      data: {},
    });
  });
});

it('tells keys of a subscription from others', () => {
  const { publicKey } = vapidKeysOf(randomBytes(32));
  const off = Buffer.from(publicKey, 'base64url');
  off[64] = off[64]! ^ 1;
  expect(isPushKey(publicKey)).toBe(true);
  for (const text of [off.toString('base64url'), publicKey.slice(0, -4), `${publicKey}=`, ''])
    expect(isPushKey(text)).toBe(false);
  expect([16, 15, 17].map((size) => isAuthSecret(randomBytes(size).toString('base64url')))).toEqual([
    true,
    false,
    false,
  ]);
});

it('has one key pair of a key of the service', () => {
  const seed = randomBytes(32);
  expect(vapidKeysOf(seed)).toEqual(vapidKeysOf(seed));
  expect(vapidKeysOf(seed)).not.toEqual(vapidKeysOf(randomBytes(32)));
});
