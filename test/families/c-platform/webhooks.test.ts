/** Webhooks by HTTP, delivered to an endpoint on loopback. Days pass on the clock. */
import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { eventually } from '../../builders/service-process.ts';
import { type Received, startReceiver, verified } from '../../builders/webhook-receiver.ts';

const WEBHOOKS = '/api/v1/webhooks';
const HOUR = 3_600_000;

let now = Date.now();
let service: TestApp;
beforeAll(async () => {
  service = await startTestApp({ clock: () => now, env: { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } });
});
afterAll(() => service.close());

async function receiver() {
  const made = await startReceiver();
  onTestFinished(() => made.close());
  return made;
}
async function webhook(given: Json, options = {}): Promise<Json> {
  const { status, body } = await service.post(
    WEBHOOKS,
    { events: ['webhook.disabled', 'security.*'], ...given },
    options,
  );
  expect(status, JSON.stringify(body)).toBe(201);
  onTestFinished(async () => void (await service.call('DELETE', `${WEBHOOKS}/${body.webhook_id}`)));
  return body;
}
const get = async (id: string): Promise<Json> => (await service.get(`${WEBHOOKS}/${id}`)).body;
/** Something that is told of: the key's name comes back as its id in `target`. */
const happening = async (): Promise<string> =>
  (await service.post('/api/v1/api-keys', { name: 'reader', scopes: ['wallets:read'] })).body.api_key_id;
const targets = (received: readonly Received[]): string[] => received.map(({ body }) => body.data.target);

describe('a webhook', () => {
  it('gets each event of its types once, in order, signed for the library that verifies', async () => {
    const to = await receiver();
    const { webhook_id, secret, public_key } = await webhook({ url: to.url, events: ['security.key_created'] });
    const made = [await happening(), await happening(), await happening()];
    await service.call('DELETE', `/api/v1/api-keys/${made[0]}`);
    made.push(await happening());
    await eventually('all have arrived', async () => to.taken.length >= 4);
    expect(targets(to.taken)).toEqual(made);
    expect(new Set(to.taken.map(({ id }) => id)).size).toBe(4);
    const [first] = to.taken as [Received];
    expect(verified(first, secret)).toEqual({
      type: 'security.key_created',
      timestamp: new Date(now).toISOString(),
      seq: expect.any(Number),
      ...{ account_id: service.accountId, webhook_id, network: 'regtest' },
      data: {
        notice: 'key_created',
        operation: 'api-key.create',
        target: made[0],
        credential: { kind: 'api_key', id: expect.any(String) },
        remote_address: '127.0.0.1',
      },
    });
    expect(() => verified({ ...first, text: first.text.replace('created', 'revoked') }, secret)).toThrow();
    const keys = await service.get(`/.well-known/webhook-keys.json?account_id=${service.accountId}`, { apiKey: null });
    expect(keys.body.keys[0]).toMatchObject({ public_key });
    const key = createPublicKey({ key: keys.body.keys[0], format: 'jwk' });
    const { headers, text } = first;
    const own = headers['webhook-signature']!.split(' ')
      .find((one) => one.startsWith('v1a,'))!
      .slice(4);
    const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`);
    expect(verify(null, content, key, Buffer.from(own, 'base64'))).toBe(true);
    const last = await eventually('the last is noted', async () => {
      const { data } = (await service.get(`${WEBHOOKS}/${webhook_id}/deliveries`)).body;
      return (data as Json[]).find(({ delivery_id }) => delivery_id === to.taken[3]?.id) ?? false;
    });
    expect(last).toMatchObject({ delivery_id: to.taken[3]!.id, status: 'delivered', attempts: 1, http_status: 200 });
    // Only OUTBOUND_ALLOWED_NETWORKS opens it.
    expect(last.answer).toBeNull();
  });

  it('shows its secret once, and both sign for a day after another is made', async () => {
    const to = await receiver();
    const { webhook_id, secret } = await webhook({ url: to.url });
    expect(JSON.stringify(await get(webhook_id))).not.toContain('whsec_');
    const rotated = (await service.post(`${WEBHOOKS}/${webhook_id}/rotate-secret`)).body;
    const attempt = async () => {
      expect((await service.post(`${WEBHOOKS}/${webhook_id}/test`)).body).toMatchObject({ delivered: true });
      return to.taken.at(-1) as Received;
    };
    const during = await attempt();
    for (const one of [secret, rotated.secret])
      expect(verified(during, one)).toMatchObject({ type: 'webhook.test', seq: null });
    now += 24 * HOUR;
    const after = await attempt();
    expect(after.headers['webhook-signature']).not.toContain(during.headers['webhook-signature']);
    const held = (one: string): boolean => {
      try {
        // The library takes no message that is older than five minutes; this clock is ahead.
        return Boolean(verifiedAt(after, one));
      } catch {
        return false;
      }
    };
    expect([held(secret), held(rotated.secret)]).toEqual([false, true]);
  });

  it('is not held up by an endpoint that answers 101', async () => {
    const to = await receiver();
    to.answer = (response) => {
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    };
    const { webhook_id } = await webhook({ url: to.url, enabled: false });
    const { body } = await service.post(`${WEBHOOKS}/${webhook_id}/test`);
    expect(body).toMatchObject({ delivered: false, error: expect.stringContaining('101') });
  });

  it('stays its maker’s: another adds no events, and nobody takes it over once the maker has ended', async () => {
    const ofKey = async (apiKey: string, events: string[]) => {
      const { webhook_id, made_by } = await webhook({ url: 'https://example.com/', events }, { apiKey });
      return { path: `${WEBHOOKS}/${webhook_id}`, maker: made_by.id as string };
    };
    const end = (keyId: string) => service.call('DELETE', `/api/v1/api-keys/${keyId}`);
    const lesser = { role: 'operator', scopes: ['webhooks:read', 'webhooks:write'] } as const;
    const { path, maker } = await ofKey(await service.key(lesser), ['*']);
    const patch = (body: Json) => service.call('PATCH', path, body);
    expect((await patch({ description: 'by an admin' })).body.made_by.id).toBe(maker);
    expect((await patch({ events: ['security.*'] })).status).toBe(403);
    await end(maker);
    expect((await patch({ enabled: true })).status).toBe(409);

    const greater = await ofKey(await service.key({ role: 'admin', scopes: ['*'] }), ['security.*']);
    const theirs = greater.path;
    const apiKey = await service.key(lesser);
    await end(greater.maker);
    const asked = [
      await service.call('PATCH', theirs, { enabled: true }, { apiKey }),
      await service.post(`${theirs}/rotate-secret`, undefined, { apiKey }),
      await service.call('DELETE', theirs, undefined, { apiKey }),
    ];
    expect(asked.map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  it('is made by whoever last chose its URL, within the rights of both, and stops when one who knows its secret ends', async () => {
    const to = await receiver();
    const { webhook_id } = await webhook({ url: 'https://example.com/', events: ['security.*'] });
    const path = `${WEBHOOKS}/${webhook_id}`;
    const rights = { role: 'operator', scopes: ['compliance:read', 'webhooks:write'] } as const;
    const apiKey = await service.key(rights);
    const mover = (await service.call('PATCH', path, { url: to.url }, { apiKey })).body.made_by.id;
    const { makerRole, makerScopes } = (await service.app.store.read.webhooks.find(service.accountId, webhook_id))!;
    expect([makerRole, [...makerScopes].sort()]).toEqual(['operator', rights.scopes]);
    const rotator = await service.key({ role: 'admin', scopes: ['*'] });
    await service.post(`${path}/rotate-secret`, undefined, { apiKey: rotator });
    expect((await get(webhook_id)).made_by.id).toBe(mover);
    const stopped = async (end: string) => {
      await service.call('DELETE', `/api/v1/api-keys/${end}`);
      await happening();
      return eventually('it is disabled', async () => {
        const { enabled, disabled_reason } = await get(webhook_id);
        return !enabled && (disabled_reason as string);
      });
    };
    const knows = (await webhook({ url: to.url, enabled: false }, { apiKey: rotator })).made_by.id;
    expect(await stopped(knows)).toContain(`${knows}, which knows its secret`);
    const test = () => service.post(`${path}/test`);
    expect((await test()).body.error.message).toContain(`${knows}, which knows its secret`);
    await service.post(`${path}/rotate-secret`);
    expect((await test()).body.delivered).toBe(true);
    // What the one that has ended knows signs no more: one by the new secret, one by the account's key.
    expect(to.taken.pop()!.headers['webhook-signature']!.split(' ')).toHaveLength(2);
    expect((await service.call('PATCH', path, { enabled: true })).status).toBe(200);
    await happening();
    await eventually('it goes on', async () => to.taken.length > 0);
    expect(await stopped(mover)).toContain(`${mover}, which set it up`);
  });
});

/** Without the library's look at the time. */
function verifiedAt(received: Received, secret: string): Json {
  const real = Date.now;
  Date.now = () => now;
  try {
    return verified(received, secret);
  } finally {
    Date.now = real;
  }
}
