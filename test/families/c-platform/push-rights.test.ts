/** What a device is told by push: what its login may read, as long as that stands. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../builders/app.ts';
import { startPushReceiver } from '../../builders/push-receiver.ts';
import { eventually } from '../../builders/service-process.ts';
import { PASSWORD, startUsersApp, type UsersApp } from './users-app.ts';

const RULES = '/api/v1/notifications/rules';
let app: UsersApp;
let receiver: Awaited<ReturnType<typeof startPushReceiver>>;
beforeAll(async () => {
  receiver = await startPushReceiver();
  const env = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', PUSH_CONTACT: 'mailto:ops@example.com' };
  app = await startUsersApp({ env });
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

/** A viewer with a device that is subscribed. */
async function subscribed(): Promise<{ user_id: string; username: string; token: string }> {
  const { user_id, username } = await app.person({ role: 'viewer', scopes: ['mobile:read', 'webhooks:read'] });
  const token = (await app.login({ username, password: PASSWORD })).body.access_token;
  const own = { apiKey: token, sign: false };
  await app.post('/api/v1/mobile/sync', { device_id: 'phone' }, own);
  const push = { device_id: 'phone', push_subscription: receiver.subscribe() };
  expect((await app.call('PUT', '/api/v1/mobile/preferences', push, own)).status).toBe(200);
  return { user_id, username, token };
}
const ended = (find: () => Promise<Json | undefined>): Promise<Json> =>
  eventually('it has ended', async () => {
    const found = await find();
    return found !== undefined && found.status !== 'queued' && found;
  });
async function send(user_id: string, data: Json): Promise<Json> {
  const given = { channel: 'push', to: { user_id }, subject: 's', body: 'b', data };
  const { notification_id } = (await app.post('/api/v1/notifications/send', given)).body;
  return ended(async () => (await app.get(`/api/v1/notifications/${notification_id}`)).body);
}
const sentBy = (ruleId: string) => async (): Promise<Json | undefined> =>
  (await app.get('/api/v1/notifications?box=sent&channel=push&limit=100')).body.data.find(
    ({ data }: Json) => data?.rule_id === ruleId,
  );

it('tells nothing of events that the device may not read, neither at once nor in a digest', async () => {
  const { user_id } = await subscribed();
  const rule = async (digest: string): Promise<string> => {
    const given = { events: ['security.key_created'], channel: 'push', to: { user_id }, digest };
    return (await app.post(RULES, given)).body.rule_id;
  };
  const [once, hourly] = [await rule('at_once'), await rule('hourly')];
  await app.post('/api/v1/api-keys', { name: 'secret project', scopes: ['wallets:read'] });
  const refused = { status: 'failed', deliveries: [{ error: expect.stringContaining('may not be told') }] };
  const { notification_id } = await ended(sentBy(once));
  expect((await app.get(`/api/v1/notifications/${notification_id}`)).body).toMatchObject(refused);
  const gathered = async () => (await app.get(`${RULES}/${hourly}`)).body.gathered === 1;
  await eventually('it is gathered', gathered);
  app.advance(3_600_000);
  expect((await ended(sentBy(hourly))).status).toBe('failed');
  // Of its own device it may have been told.
  const told = receiver.pushed.filter(({ payload }) => payload.data.type !== 'security.device_added');
  expect(told).toEqual([]);
  for (const id of [once, hourly]) await app.call('DELETE', `${RULES}/${id}`);
});

it('tells each of a group on their own device, whatever they call it, and nobody who was disabled', async () => {
  const all = [await subscribed(), await subscribed(), await subscribed()];
  const pushed = (subject: string) => receiver.pushed.filter(({ payload }) => payload.subject === subject);
  const user_ids = all.map(({ user_id }) => user_id);
  const { group_id } = (await app.post('/api/v1/enterprise/groups', { name: 'phones', user_ids })).body;
  const given = { channel: 'push', to: { group_id }, body: 'b' };
  const send = async (more: Json) => (await app.post('/api/v1/notifications/send', { ...given, ...more })).body;
  await send({ subject: 'all' });
  await eventually('all are told', async () => pushed('all').length === 3);
  const waits = await send({ subject: 'later', send_at: new Date(app.now() + 3_600_000).toISOString() });
  const { user_id, username } = all[0]!;
  const byRule = { events: ['webhook.disabled'], channel: 'push', to: { user_id } };
  const { rule_id } = (await app.post(RULES, byRule)).body;
  expect(
    (
      await app.call('PUT', `/api/v1/users/${user_id}`, {
        username,
        role: 'viewer',
        scopes: ['mobile:read'],
        disabled: true,
      })
    ).status,
  ).toBe(200);
  app.advance(3_600_000);
  await eventually('the others are told', async () => pushed('later').length === 2);
  expect((await app.get(`/api/v1/notifications/${waits.notification_id}`)).body.deliveries).toHaveLength(2);
  const data = { webhook_id: 'whk_gone', url: 'https://example.com/', reason: 'gone' };
  const { accountId } = app;
  await app.app.store.write((tx) => tx.events.append({ accountId, channel: 'webhooks', ref: 'whk_gone', data }));
  expect(await ended(sentBy(rule_id))).toMatchObject({ status: 'failed' });
  expect(pushed('later')).toHaveLength(2);
  await app.call('DELETE', `${RULES}/${rule_id}`);
});

it('tells what people send, whatever they call it, until the login has ended', async () => {
  const { user_id, token } = await subscribed();
  const pushed = () => receiver.pushed.filter(({ payload }) => payload.subject === 's').length;
  expect((await send(user_id, { type: 'audit.checkpoint' })).status).toBe('sent');
  expect(pushed()).toBe(1);
  const [session] = (await app.get('/api/v1/auth/sessions', { apiKey: token })).body.data;
  const { status } = await app.call('DELETE', `/api/v1/users/${user_id}/sessions/${session.session_id}`);
  expect(status).toBe(204);
  expect((await send(user_id, {})).status).toBe('failed');
  expect(pushed()).toBe(1);
});
