/** Which events a webhook delivers, and with what data: of one wallet, of every type, again, and none to a private address. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { EVENT_TYPES, type EventType, type EventTypeEntry } from '../../../src/core/events/event-types.ts';
import { createSending } from '../../../src/engines/sending/create-sending.ts';
import { createWebhookMessages } from '../../../src/services/webhooks/webhook-messages.ts';
import type { StoredEvent } from '../../../src/store/records.ts';
import type { Store } from '../../../src/store/store.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { eventually } from '../../builders/service-process.ts';
import { webhookRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite } from '../../builders/stores.ts';
import { type Received, startReceiver } from '../../builders/webhook-receiver.ts';
import { insertWebhook, startWebhooks, withAccounts } from '../../builders/webhook-world.ts';
import { PRIVATE_ADDRESSES, PRIVATE_HOSTS, TRICKY_URLS } from '../../engines/sending/private-targets.ts';

const WEBHOOKS = '/api/v1/webhooks';
let service: TestApp;
let closed: TestApp;
beforeAll(async () => {
  service = await startTestApp({ env: { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32' } });
  closed = await startTestApp();
});
afterAll(() => Promise.all([service.close(), closed.close()]));

async function receiver() {
  const made = await startReceiver();
  onTestFinished(() => made.close());
  return made;
}
async function webhook(given: Json): Promise<{ path: string; id: string }> {
  const { status, body, text } = await service.post(WEBHOOKS, given);
  expect(status, text).toBe(201);
  const path = `${WEBHOOKS}/${body.webhook_id}`;
  onTestFinished(async () => void (await service.call('DELETE', path)));
  return { path, id: body.webhook_id };
}
const happening = async (): Promise<string> =>
  (await service.post('/api/v1/api-keys', { name: 'reader', scopes: ['wallets:read'] })).body.api_key_id;
const targets = (received: readonly Received[]): string[] => received.map(({ body }) => body.data.target);
const noted = (path: string, count: number) =>
  eventually(`${count} deliveries are noted`, async () => {
    const { data, pagination } = (await service.get(`${path}/deliveries`)).body;
    return pagination.total === count ? (data as Json[]) : false;
  });

describe('a webhook of one wallet', () => {
  const made = async (): Promise<string> =>
    (await service.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' })).body.wallet_id;
  const address = async (wallet: string): Promise<string> =>
    (await service.post(`/api/v1/wallets/${wallet}/addresses`)).body.address;

  it('is told of what pays it and what it pays, also from and to wallets of the account, and of nothing else', async () => {
    const [payer, payee, other] = [await made(), await made(), await made()];
    await service.post('/api/v1/bitcoin/blocks', { count: 2, address: await address(payer) });
    await service.simulated.mine(100, '51');
    await service.synced();
    const to = await receiver();
    await webhook({ url: to.url, events: ['transaction.*', 'deposit.detected'], wallets: [payee] });
    const pay = async (wallet: string, amount: string): Promise<string> => {
      const recipients = [{ address: await address(wallet), amount }];
      const { body, text } = await service.post('/api/v1/transactions', {
        ...{ wallet_id: payer, recipients, fee_rate: '2', rbf: true },
      });
      expect(body.status, text).toBe('broadcast');
      return body.txid;
    };
    const [ours] = [await pay(payee, '0.5'), await pay(other, '0.5')];
    await service.post('/api/v1/bitcoin/blocks', { count: 1, address: await address(payee) });
    const types = ({ body: { type, data } }: Received) => `${type} ${data.direction}`;
    const awaited = ['deposit.detected incoming', 'transaction.confirmed internal'];
    await eventually('both are told of', async () => awaited.every((one) => to.taken.map(types).includes(one)));
    const between = to.taken.filter(({ body }) => body.data.direction === 'internal');
    expect(between.map(({ body }) => [body.type, body.data.txid, body.data.wallet_id])).toEqual([
      ['transaction.signed', ours, payer],
      ['transaction.broadcast', ours, payer],
      ['transaction.confirmed', ours, payer],
    ]);
    const rest = to.taken.filter((one) => !between.includes(one)).map(({ body }) => body.data.wallet_id);
    expect([...new Set(rest)]).toEqual([payee]);
    const { body: record } = await service.get(`/api/v1/transactions/${ours}`);
    expect(between[2]?.body.data).toEqual(record);
  });
});

it.each(
  Object.entries(EVENT_TYPES) as [EventType, EventTypeEntry][],
)('%s tells its update over its record', async (type, { channel, example, record }) => {
  const asked: string[] = [];
  const reads = async (ref: string) => {
    asked.push(ref);
    return { of_record: true, status: 'later', confirmations: 3 };
  };
  const records = { [record ?? 'none']: reads };
  const retracts = /retracted|disconnected/.test(type);
  const event = {
    ...{ eventId: 9n, seq: 9n, accountId: 'acc_one' as const, channel },
    ...{ ref: '', data: JSON.stringify(example), createdAt: 5 },
  };
  const stored: StoredEvent = { ...event, retractsSeq: retracts ? 4n : null };
  const of = async (given: typeof records | Record<string, () => Promise<null>>) => {
    const store = { read: { settings: { get: async () => null } } } as unknown as Store;
    const messages = createWebhookMessages({ store, records: given, network: 'regtest' });
    const message = await messages.of(webhookRecord('whk_one'), stored, { role: 'admin', scopes: ['*'] });
    return JSON.parse(String(message?.body));
  };
  const body = await of(records);
  const whole = record === null ? {} : { of_record: true, status: 'later', confirmations: 3 };
  expect(body).toEqual({
    ...{ type, timestamp: new Date(5).toISOString(), seq: 9, account_id: 'acc_one', webhook_id: 'whk_one' },
    ...{ network: 'regtest', data: { ...whole, ...example }, ...(retracts && { retracts: 4 }) },
  });
  const { txid, contract_id, approval_id } = example as Json;
  expect(asked).toEqual(record === null ? [] : [txid ?? contract_id ?? approval_id]);
  expect((await of({ [record ?? 'none']: async () => null })).data).toEqual(example);
});

describe('what was delivered', () => {
  it('is replayed in order, with the same ids, before what is new', async () => {
    const to = await receiver();
    const { path } = await webhook({ url: to.url, events: ['security.key_created'] });
    const made = [await happening(), await happening(), await happening()];
    await noted(path, 3);
    const [first] = to.taken as [Received];
    const replay = (body: Json) => service.post(`${path}/replay`, body);
    for (const given of [{}, { after_seq: 1, since: '2026-11-20T10:00:00Z' }])
      expect((await replay(given)).body.error.message).toBe('body must have either after_seq or since');
    expect((await replay({ after_seq: first.body.seq })).status).toBe(200);
    made.push(await happening());
    await noted(path, 4);
    await eventually('all have arrived', async () => to.taken.length === 6);
    expect(targets(to.taken)).toEqual([...made.slice(0, 3), ...made.slice(1)]);
    expect(to.taken.slice(3, 5).map(({ id }) => id)).toEqual(to.taken.slice(1, 3).map(({ id }) => id));
    expect((await replay({ since: new Date(first.body.timestamp).toISOString() })).status).toBe(200);
    await eventually('all arrive again', async () => to.taken.length === 10);
    expect(targets(to.taken.slice(6))).toEqual(made);
    const beyond = await replay({ after_seq: to.taken.at(-1)!.body.seq + 1_000 });
    const { code, field } = beyond.body.error.details;
    expect([beyond.status, code, field]).toEqual([400, 'invalid_value', 'after_seq']);
  });

  it('is redelivered once, with the same id, and the cursor stays', async () => {
    const to = await receiver();
    const { path } = await webhook({ url: to.url, events: ['security.key_created'] });
    const made = [await happening(), await happening()];
    const deliveries = await noted(path, 2);
    const [, { delivery_id }] = deliveries as [Json, Json];
    const before = (await service.get(path)).body.delivered_seq;
    const again = await service.post(`${path}/deliveries/${delivery_id}/redeliver`);
    expect([again.status, again.body.attempts, again.body.status]).toEqual([200, 2, 'delivered']);
    expect(targets(to.taken)).toEqual([...made, made[0]]);
    expect(to.taken[2]!.id).toBe(to.taken[0]!.id);
    expect((await service.get(path)).body.delivered_seq).toBe(before);
    const kept = (await service.get(`${path}/deliveries`)).body.data.find(
      (one: Json) => one.delivery_id === delivery_id,
    );
    expect(kept.attempts).toBe(2);
    const other = await webhook({ url: to.url, events: ['*'] });
    expect((await service.post(`${other.path}/deliveries/${delivery_id}/redeliver`)).status).toBe(404);
    await service.call('PATCH', path, { events: ['webhook.disabled'] });
    expect((await service.post(`${path}/deliveries/${delivery_id}/redeliver`)).status).toBe(409);
  });

  it('is shown to those who may read it', async () => {
    const to = await receiver();
    const { path } = await webhook({ url: to.url, events: ['security.key_created'] });
    await happening();
    await noted(path, 1);
    const total = async (...scopes: string[]): Promise<number> => {
      const apiKey = await service.key({ role: 'operator', scopes });
      return (await service.get(`${path}/deliveries`, { apiKey })).body.pagination.total;
    };
    expect(await total('webhooks:read')).toBe(0);
    expect(await total('webhooks:read', 'compliance:read')).toBe(1);
  });
});

describe('a private address', () => {
  it.each(PRIVATE_HOSTS.map((host) => `https://${host}/`))('%s is refused', async (url) => {
    const { status, text } = await closed.post(WEBHOOKS, { url, events: ['*'] });
    expect([status, text]).toEqual([expect.any(Number), expect.stringContaining('url')]);
    expect(Math.floor(status / 100), text).toBe(4);
  });
  it.each(
    TRICKY_URLS.map((url) => [JSON.stringify(url), url.replace('PORT', '8443')]),
  )('%s is refused', async (_, url) => {
    const { status, text } = await closed.post(WEBHOOKS, { url, events: ['*'] });
    expect(Math.floor(status / 100), text).toBe(4);
  });

  it('is not connected to when a name answers it, nor when a stored URL holds it', async () => {
    const sqlite = await openTemporarySqlite();
    onTestFinished(() => sqlite[Symbol.asyncDispose]());
    const { store } = sqlite;
    await withAccounts(store, 'acc_one');
    const to = await receiver();
    const { port } = new URL(to.url);
    const names = PRIVATE_ADDRESSES.map((_, at) => `n${at}.example.com`);
    const urls = [...names, ...PRIVATE_HOSTS]
      .map((host) => `https://${host}:${port}/`)
      .filter((url) => URL.canParse(url));
    const resolve = async (hostname: string) => {
      const address = PRIVATE_ADDRESSES[names.indexOf(hostname)] ?? '127.0.0.1';
      return [{ address, family: address.includes(':') ? 6 : 4 }];
    };
    for (const [at, url] of urls.entries()) await insertWebhook(store, `whk_${at}`, { accountId: 'acc_one', url });
    startWebhooks(store, { sending: createSending({ allowedNetworks: [], resolve }) });
    const credential = { kind: 'api_key', id: 'key_one' } as const;
    const data = { notice: 'key_created', operation: 'api-key.create', target: 'x', credential };
    await store.write((tx) => tx.events.append({ accountId: 'acc_one', channel: 'security', ref: 'x', data }));
    const all = async () => (await store.read.webhooks.list('acc_one', { limit: 500, offset: 0 })).data;
    await eventually('each has failed', async () => (await all()).every(({ failures }) => failures === 1));
    expect((await all()).map(({ lastError }) => lastError?.slice(0, 9))).toEqual(urls.map(() => 'resolve: '));
    expect(to.seen).toEqual([]);
  });
});
