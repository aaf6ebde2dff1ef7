/** Rules and security notices, in the application and by push to a push service on loopback. Days pass on the clock. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createSimulatedChain } from '../../../src/chain/simulated/simulated-chain.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { startPushReceiver } from '../../builders/push-receiver.ts';
import { eventually } from '../../builders/service-process.ts';
import { collectedLog } from '../../secrets/collected.ts';

const RULES = '/api/v1/notifications/rules';
const PREFERENCES = '/api/v1/mobile/preferences';
const HOUR = 3_600_000;
/** Of local time, nobody's night. */
let now = Date.parse('2026-11-20T10:00:00Z');
const clock = (): number => now;
const env = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', PUSH_CONTACT: 'mailto:ops@example.com' };

let service: TestApp;
let receiver: Awaited<ReturnType<typeof startPushReceiver>>;
beforeAll(async () => {
  receiver = await startPushReceiver();
  service = await startTestApp({ clock, env });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

async function rule(given: Json, apiKey = service.adminKey): Promise<Json> {
  const { status, body, text } = await service.post(RULES, given, { apiKey });
  expect(status, text).toBe(201);
  return body;
}
/** Something that is told of; answers the key's id. */
const happening = async (app = service): Promise<string> =>
  (await app.post('/api/v1/api-keys', { name: 'reader', scopes: ['wallets:read'] })).body.api_key_id;
/** Of rules, unless said: in order. */
const inbox = async (apiKey = service.adminKey, app = service): Promise<Json[]> =>
  (await app.get('/api/v1/notifications?limit=100', { apiKey })).body.data.reverse();
const told = async (ruleId: string, apiKey = service.adminKey, app = service): Promise<Json[]> =>
  (await inbox(apiKey, app)).filter(({ data }) => data.rule_id === ruleId);
const get = async (ruleId: string): Promise<Json> => (await service.get(`${RULES}/${ruleId}`)).body;

describe('a rule', () => {
  it('whose digest waits by a clock that was ahead tells when that is set right', async () => {
    let ahead = 72 * HOUR;
    const app = await startTestApp({ clock: () => now + ahead });
    onTestFinished(() => app.close());
    const given = { events: ['security.key_created'], channel: 'in_app', digest: 'daily' };
    const { rule_id } = (await app.post(RULES, given)).body;
    await happening(app);
    const { notificationRules } = app.app.store.read;
    const found = async () => notificationRules.find(app.accountId, rule_id);
    await eventually('it is gathered', async () => (await found())?.gathered === 1);
    ahead = 0;
    await eventually('it is told', async () => (await told(rule_id, app.adminKey, app)).length === 1);
  });

  it('tells its maker of each event, once', async () => {
    const { rule_id, to } = await rule({ events: ['security.key_created'], channel: 'in_app' });
    expect(Object.keys(to)).toEqual(['credential_id']);
    const made = [await happening(), await happening(), await happening()];
    const all = await eventually('all are told', async () => {
      const found = await told(rule_id);
      return found.length >= 3 && found;
    });
    const inOrder = all.sort((a, b) => a.data.seq - b.data.seq);
    expect(inOrder.map(({ data }) => data.target)).toEqual(made);
    expect(all[0]).toMatchObject({ subject: 'An API key, OAuth client or signing key was made', status: 'sent' });
    expect(all[0].body).toContain(`\`${made[0]}\``);
    await service.call('DELETE', `${RULES}/${rule_id}`);
    expect((await service.get(`${RULES}/${rule_id}`)).status).toBe(404);
  });

  it('tells of payments above an amount, of its wallets alone', async () => {
    const wallet = async () =>
      (await service.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' })).body.wallet_id;
    const [payer, ours, other] = [await wallet(), await wallet(), await wallet()];
    const address = async (of: string) => (await service.post(`/api/v1/wallets/${of}/addresses`)).body.address;
    await service.post('/api/v1/bitcoin/blocks', { count: 3, address: await address(payer) });
    await service.simulated.mine(100, '51');
    await service.synced();
    const given = { events: ['transaction.broadcast'], channel: 'in_app', amount_over: '0.5', wallets: [ours] };
    const { rule_id } = await rule(given);
    const pay = async (to: string, amount: string) => {
      const recipients = [{ address: await address(to), amount }];
      const { body, text } = await service.post('/api/v1/transactions', {
        wallet_id: payer,
        recipients,
        fee_rate: '2',
        rbf: true,
      });
      expect(body.status, text).toBe('broadcast');
      return body.txid;
    };
    await pay(ours, '0.5');
    await pay(other, '0.7');
    const large = await pay(ours, '0.6');
    const found = await eventually('it is told', async () => {
      const all = await told(rule_id);
      return all.length > 0 && all;
    });
    expect(found.map(({ data }) => data.txid)).toEqual([large]);
    expect(found[0]).toMatchObject({
      subject: expect.stringMatching(/: 0\.60000000 BTC internal$/),
      data: { direction: 'internal', amount: '0.60000000' },
    });
    expect(found[0].body).toContain('amount: `0.60000000`');
  });

  it('is refused where it would never tell, and warns where it reaches nobody yet', async () => {
    const { rule_id } = await rule({ events: ['block.connected'], channel: 'in_app' });
    const never = { status: 400, field: 'events[0]' };
    const refused = async (method: string, path: string, given: Json): Promise<Json> => {
      const { status, body } = await service.call(method, path, given);
      return { status, field: body.error.details.field, message: body.error.message };
    };
    expect(await refused('PATCH', `${RULES}/${rule_id}`, { amount_over: '1' })).toMatchObject(never);
    const given = { channel: 'in_app', amount_over: '1', events: ['*', 'deposit.detected', 'block.*'] };
    expect(await refused('POST', RULES, given)).toMatchObject({ ...never, field: 'events[2]' });
    await service.call('DELETE', `${RULES}/${rule_id}`);
    const { field, message } = await refused('POST', RULES, { events: ['*'], channel: 'email' });
    expect([field, message]).toEqual(['to', expect.stringMatching(/^to is required: .* no e-mail address/)]);
    const { rule_id: made, warnings } = await rule({ events: ['webhook.disabled'], channel: 'push' });
    expect(warnings).toEqual([expect.stringMatching(/^key_\w+ has no device/)]);
    await service.call('DELETE', `${RULES}/${made}`);
  });

  it('is within what its maker may read, and ends with its maker', async () => {
    const scopes = ['notifications:write', 'api-keys:write', 'compliance:read'];
    const apiKey = await service.key({ role: 'operator', scopes });
    const refused = await service.post(RULES, { events: ['transaction.confirmed'], channel: 'in_app' }, { apiKey });
    expect(refused).toMatchObject({ status: 403, body: { error: { details: { field: 'events[0]' } } } });
    const lesser = await service.key({ role: 'operator', scopes: ['notifications:write'] });
    const { rule_id, made_by } = await rule({ events: ['*'], channel: 'in_app' }, apiKey);
    await happening();
    await eventually('it is told', async () => (await told(rule_id, apiKey)).length > 0);
    expect((await service.call('DELETE', `${RULES}/${rule_id}`, undefined, { apiKey: lesser })).status).toBe(403);
    await service.call('DELETE', `/api/v1/api-keys/${made_by.id}`);
    await happening();
    const ended = await eventually('it is disabled', async () => {
      const found = await get(rule_id);
      return !found.enabled && found;
    });
    expect(ended.disabled_reason).toContain(made_by.id);
    expect((await service.call('PATCH', `${RULES}/${rule_id}`, { enabled: true })).status).toBe(409);
    const sent = (await service.get('/api/v1/notifications?box=sent&limit=100')).body.data as Json[];
    expect(sent.filter(({ data }) => data.rule_id === rule_id)).toHaveLength(1);
  });

  it('is made by whoever last chose whom it tells, and tells a webhook what the maker of that may read, too', async () => {
    const of = (...scopes: string[]) => service.key({ role: 'operator', scopes });
    const { rule_id, made_by } = await rule({ events: ['*'], channel: 'in_app' }, await of('notifications:write'));
    const changed = async (body: Json) => (await service.call('PATCH', `${RULES}/${rule_id}`, body)).body.made_by.id;
    expect(await changed({ digest: 'hourly' })).toBe(made_by.id);
    expect(await changed({ channel: 'in_app' })).not.toBe(made_by.id);

    const given = { url: 'https://example.com/', events: ['transaction.*'] };
    const options = { apiKey: await of('webhooks:write', 'transactions:read') };
    const { webhook_id } = (await service.post('/api/v1/webhooks', given, options)).body;
    const told = await rule({ events: ['security.key_created'], channel: 'webhook', to: { webhook_id } });
    await happening();
    const why = await eventually('it is disabled', async () => (await get(told.rule_id)).disabled_reason);
    expect(why).toContain('the webhook delivers nothing: key_');

    const mine = { url: 'https://example.com/', events: ['contract.*', 'security.key_created'] };
    const to = { webhook_id: (await service.post('/api/v1/webhooks', mine)).body.webhook_id };
    const apiKey = await service.key({ role: 'admin', scopes: ['*'] });
    await service.post(`/api/v1/webhooks/${to.webhook_id}/rotate-secret`, undefined, { apiKey });
    const byHook = { events: ['security.key_created'], channel: 'webhook', to };
    const [{ rule_id: theirs }, { made_by: holder }] = [await rule(byHook), await rule({ ...byHook }, apiKey)];
    await service.call('DELETE', `/api/v1/api-keys/${holder.id}`);
    await happening();
    const ended = await eventually('it is disabled', async () => (await get(theirs)).disabled_reason);
    expect(ended).toContain(`${holder.id}, which knows its secret`);
    expect((await service.call('PATCH', `${RULES}/${theirs}`, { enabled: true })).body.error.details.field).toBe(
      'to.webhook_id',
    );
  });

  it.each([
    [{ events: ['security.key_created'], channel: 'in_app', timezone: 'Mars' }, 400, 'timezone'],
    [{ events: ['nothing.*'], channel: 'in_app' }, 400, 'events[0]'],
    [{ events: ['*'], channel: 'webhook' }, 400, 'to'],
    [{ events: ['*'], channel: 'in_app', to: { user_id: 'usr_3mVb1k7Q2xYt9LpRw0Zc5A' } }, 404, 'to.user_id'],
    [{ events: ['*'], channel: 'in_app', wallets: ['wal_3mVb1k7Q2xYt9LpRw0Zc5A'] }, 400, 'wallets[0]'],
  ])('%j is refused with %s', async (given, status, field) => {
    expect(await service.post(RULES, given)).toMatchObject({ status, body: { error: { details: { field } } } });
  });

  it('and notices show in what was sent what they say to who may read the events', async () => {
    const [digest, once] = [
      await rule({ events: ['security.key_created'], channel: 'in_app', digest: 'hourly' }),
      await rule({ events: ['security.key_created'], channel: 'in_app' }),
    ];
    const id = await happening();
    await eventually('it is told', async () => (await told(once.rule_id)).length > 0);
    await eventually('it is gathered', async () => (await get(digest.rule_id)).gathered === 1);
    now += HOUR;
    await eventually('the digest is there', async () => (await told(digest.rule_id)).length > 0);
    const sent = async (scopes: string[]) => {
      const apiKey = await service.key({ role: 'operator', scopes: ['notifications:read', ...scopes] });
      const { data } = (await service.get('/api/v1/notifications?box=sent&limit=5', { apiKey })).body;
      const found = (data as Json[]).filter((one) => one.sent_by.id !== null && one.channel === 'in_app');
      const whole = found.map(async (one) => service.get(`/api/v1/notifications/${one.notification_id}`, { apiKey }));
      return { text: JSON.stringify([found, (await Promise.all(whole)).map(({ text }) => text)]), found };
    };
    const [reader, other] = [await sent(['compliance:read']), await sent([])];
    expect(reader.text).toContain(id);
    expect(reader.text).toContain('"types":["security.key_created"]');
    expect(other.text).not.toContain(id);
    expect(other.text).not.toContain('security.');
    expect(other.found[0]).toMatchObject({ body: '', data: null, status: 'sent' });
    for (const { rule_id } of [digest, once]) await service.call('DELETE', `${RULES}/${rule_id}`);
  });
});

it('a digest tells of an hour together, also over a restart', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ashlar-digest-'));
  const chain = await createSimulatedChain({ clock, randomBytes, log: collectedLog() });
  const start = () => startTestApp({ clock, env, dataDir, chain });
  let app = await start();
  onTestFinished(async () => {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const given = { events: ['security.key_created'], channel: 'in_app', digest: 'hourly' };
  const { rule_id } = (await app.post(RULES, given)).body;
  const gathered = (count: number) =>
    eventually(`${count} are gathered`, async () => {
      const { body } = await app.get(`${RULES}/${rule_id}`);
      return body.gathered === count && body;
    });
  const made = [await happening(app), await happening(app)];
  expect((await gathered(2)).next_at).toBe(new Date(Math.ceil((now + 1) / HOUR) * HOUR).toISOString());
  await app.close();
  app = await start();
  made.push(await happening(app));
  await gathered(3);
  expect(await told(rule_id, app.adminKey, app)).toEqual([]);
  now += HOUR;
  const [digest, ...more] = await eventually('the digest is there', async () => {
    const found = await told(rule_id, app.adminKey, app);
    return found.length > 0 && found;
  });
  expect(more).toEqual([]);
  expect(digest).toMatchObject({ subject: '3 events', data: { digest: 'hourly', count: 3 } });
  expect(digest.body.split('\n')).toHaveLength(3);
  for (const id of made) expect(digest.body).toContain(id);
  expect(await gathered(0)).toMatchObject({ next_at: null });
  // Everyone concerned was told of each key, once, though the notices were looked at anew.
  await app.close();
  rewound(dataDir);
  app = await start();
  await happening(app);
  const notices = async () =>
    (await inbox(app.adminKey, app)).filter(({ data }) => data.type === 'security.key_created' && !data.rule_id);
  const all = await eventually('all notices are there', async () => {
    const found = await notices();
    return found.length >= 4 && found;
  });
  expect(new Set(all.map(({ data }) => data.seq)).size).toBe(all.length);
  expect(all).toHaveLength(4);
  expect(all[0].body).toMatch(
    /- target: `reader \(key_\w+\)`\n- by: `.+ \(key_\w+\)`\n- remote_address: `127\.0\.0\.1`$/,
  );
});

/** As after a crash before the place up to which events were read was stored. */
function rewound(dataDir: string): void {
  using database = new DatabaseSync(join(dataDir, 'ashlar.db'));
  database.exec(`update settings set value = '{"seq":"0","at":0}' where name = 'notificationRules.position'`);
}

describe('push', () => {
  const device = async (deviceId: string, subscription: Json) => {
    expect((await service.post('/api/v1/mobile/sync', { device_id: deviceId })).status).toBe(200);
    return service.call('PUT', PREFERENCES, { device_id: deviceId, push_subscription: subscription });
  };
  const pushed = (id: string) => receiver.pushed.filter(({ payload }) => payload.data.target === id);
  const isSubscribed = async (id: string) => (await service.get(`/api/v1/mobile/devices/${id}`)).body.push;

  it('reaches the devices of whom it is for, and notices do without a rule', async () => {
    expect((await device('phone', receiver.subscribe())).status).toBe(200);
    const { rule_id } = await rule({ events: ['security.key_created'], channel: 'push' });
    const id = await happening();
    const both = await eventually('both arrive', async () => pushed(id).length >= 2 && pushed(id));
    expect(receiver.problems).toEqual([]);
    const { push_public_key } = (await service.get(PREFERENCES)).body;
    for (const { vapid } of both) expect(vapid.publicKey).toBe(push_public_key);
    const [notice, ofRule] = [
      both.find(({ payload }) => !payload.data.rule_id)!,
      both.find(({ payload }) => payload.data.rule_id)!,
    ];
    expect(ofRule.payload.data.rule_id).toBe(rule_id);
    expect([notice.headers.urgency, ofRule.headers.urgency]).toEqual(['high', 'normal']);
    await service.call('DELETE', `${RULES}/${rule_id}`);
  });

  it('counts nothing of notices on the day of the account', async () => {
    const delivered = async () =>
      (await service.get('/api/v1/notifications/status')).body.channels.find((one: Json) => one.channel === 'in_app')
        .delivered;
    const before = await delivered();
    const id = await happening();
    await eventually('the notice is there', async () => (await inbox()).some(({ data }) => data.target === id));
    expect(await delivered()).toBe(before);
  });

  it('waits for the end of quiet hours', async () => {
    const quiet_hours = { timezone: 'UTC', from: '22:00', to: '07:00' };
    await service.call('PUT', PREFERENCES, { quiet_hours });
    now = Date.parse('2026-11-21T23:30:00Z');
    const id = await happening();
    const waiting = await eventually('it waits', async () => {
      const { data } = (await service.get('/api/v1/notifications?box=sent&channel=push&limit=100')).body;
      const found = (data as Json[]).find((one) => one.data.target === id);
      const { deliveries } = found ? (await service.get(`/api/v1/notifications/${found.notification_id}`)).body : {};
      return deliveries?.[0].next_try_at === '2026-11-22T07:00:00.000Z' && found;
    });
    expect(waiting.status).toBe('queued');
    // Nobody ends it before they are told.
    const refused = await service.call('DELETE', `/api/v1/notifications/${waiting.notification_id}`);
    expect([refused.status, refused.body.error.details.field]).toEqual([403, 'notification_id']);
    expect(pushed(id)).toEqual([]);
    // In the app it is there at once.
    expect((await inbox()).some(({ data }) => data.target === id)).toBe(true);
    now = Date.parse('2026-11-22T07:00:00Z');
    await eventually('it arrives', async () => pushed(id).length === 1);
    await service.call('PUT', PREFERENCES, {});
  });

  it('is not sent to who has turned it off, who is told in the app all the same', async () => {
    await service.call('PUT', PREFERENCES, { channels: { push: false } });
    const id = await happening();
    const failed = await eventually('it has failed', async () => {
      const { data } = (await service.get('/api/v1/notifications?box=sent&channel=push&limit=100')).body;
      return (data as Json[]).find((one) => one.data.target === id && one.status === 'failed') ?? false;
    });
    const { body } = await service.get(`/api/v1/notifications/${failed.notification_id}`);
    expect(body.deliveries[0].error).toBe('they have turned off the channel push');
    expect(pushed(id)).toEqual([]);
    expect((await inbox()).some(({ data }) => data.target === id)).toBe(true);
    await service.call('PUT', PREFERENCES, {});
  });

  it('removes a subscription that has ended, and keeps those of others', async () => {
    await device('tablet', receiver.subscribe());
    const other = await startPushReceiver();
    onTestFinished(() => other.close());
    await device('watch', other.subscribe());
    receiver.status = 410;
    await happening();
    await eventually('it is removed', async () => !(await isSubscribed('tablet')) && !(await isSubscribed('phone')));
    expect(await isSubscribed('watch')).toBe(true);
    receiver.status = 201;
    await eventually('the other has it', async () => other.pushed.length > 0);
  });

  it.each([
    [{ device_id: 'phone' }, 400, 'push_subscription'],
    [{ device_id: 'nothing', push_subscription: null }, 404, 'device_id'],
  ])('%j is refused', async (body, status, field) => {
    expect(await service.call('PUT', PREFERENCES, body)).toMatchObject({
      status,
      body: { error: { details: { field } } },
    });
  });

  it('subscribes to no private address', async () => {
    const endpoint = 'https://10.0.0.1/push';
    expect(await device('phone', { ...receiver.subscribe(), endpoint })).toMatchObject({
      status: 400,
      body: { error: { details: { field: 'push_subscription.endpoint' } } },
    });
  });

  it('is refused where nobody is named whom push services write to', async () => {
    const bare = await startTestApp();
    onTestFinished(() => bare.close());
    const { status, body } = await bare.post(RULES, { events: ['*'], channel: 'push' });
    expect(status).toBe(422);
    expect(body.error).toMatchObject({
      message: expect.stringContaining('PUSH_CONTACT'),
      details: { code: 'not_configured' },
    });
  });
});
