/** What a device gets by sync, who may, and what ends it. */
import { createECDH, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { type Json, startTestApp, type TestAnswer } from '../../builders/app.ts';
import { silent } from '../../builders/stores.ts';
import { numbers, tell } from '../../builders/webhook-world.ts';
import { PASSWORD, startUsersApp, type UsersApp } from './users-app.ts';

const SYNC = '/api/v1/mobile/sync';
const DEVICES = '/api/v1/mobile/devices';
let app: UsersApp;
beforeAll(async () => {
  app = await startUsersApp({ env: { PUSH_CONTACT: 'mailto:ops@example.com' } });
});
afterAll(() => app.close());

const sync = (apiKey: string, given: Json = {}): Promise<TestAnswer> =>
  app.post(SYNC, { device_id: 'phone', ...given }, { apiKey, sign: false });
async function synced(apiKey: string, given: Json = {}): Promise<Json> {
  const { status, body, text } = await sync(apiKey, given);
  expect(status, text).toBe(200);
  return body;
}
const types = ({ changes }: Json): string[] => changes.map((one: Json) => one.type);
async function loggedIn(given: Json = {}): Promise<{ person: Json; token: string; again: () => Promise<string> }> {
  const person = await app.person({ role: 'operator', scopes: ['*'], ...given });
  const again = async () =>
    (await app.login({ username: person.username, password: PASSWORD })).body.access_token as string;
  return { person, token: await again(), again };
}
const makeKey = async (): Promise<string> =>
  (await app.post('/api/v1/api-keys', { name: 'other', scopes: ['wallets:read'] })).body.api_key_id;

it('gives a snapshot, then what came: each notice, whatever a device is called', async () => {
  const key = await app.key({ scopes: ['*'] });
  const first = await synced(key);
  expect(first).toMatchObject({ reset: true, has_more: false });
  const made = await makeKey();
  await app.call('DELETE', `/api/v1/api-keys/${made}`);
  // A device that bears the name of the key has nothing to do with it.
  await synced((await loggedIn({ role: 'viewer', scopes: ['wallets:read'] })).token, { device_id: made });
  const then = await synced(key, { since: first.next });
  expect(then.reset).toBeUndefined();
  const about = ({ changes }: Json) => changes.filter(({ data }: Json) => data.target === made);
  const notices = ['security.key_created', 'security.key_revoked', 'security.device_added'];
  expect(types({ changes: about(then) })).toEqual(notices);
  const history = about(await synced(key, { since: first.next, history: true }));
  expect(types({ changes: history })).toEqual(notices);
  expect((await synced(key, { since: then.next })).changes).toEqual([]);
});

it('begins anew on a restored database where the device has what came after the backup, also when as much has come again', async () => {
  const key = await app.key({ scopes: ['*'] });
  const before = await synced(key);
  const path = join(app.dataDir, 'backup.db');
  await app.app.store.backupTo(path);
  await makeKey();
  const lost = await synced(key, { since: before.next });
  expect(lost.reset).toBeUndefined();
  const store = await openSqliteStore({ path, role: 'service', log: silent, clock: () => app.now() + 1 });
  onTestFinished(() => store.close());
  const { dataDir, simulated: chain } = app;
  const restored = await startTestApp({ store, dataDir, chain, clock: () => app.now() + 1 });
  onTestFinished(() => restored.close());
  await tell(store, app.accountId, ...numbers(3));
  const from = async (since: string) =>
    (await restored.post(SYNC, { device_id: 'phone', since }, { apiKey: key, sign: false })).body;
  expect((await from(lost.next)).reset).toBe(true);
  const { reset, changes } = await from(before.next);
  expect(reset).toBeUndefined();
  expect(changes.length).toBeGreaterThanOrEqual(3);
});

it('is bounded by what may be read now: other rights begin anew', async () => {
  const { person, token, again } = await loggedIn({ scopes: ['transactions:read'] });
  const first = await synced(token);
  await makeKey();
  expect(types(await synced(token, { since: first.next })).filter((type) => type !== 'block.connected')).toEqual([]);
  const path = `/api/v1/users/${person.user_id}`;
  const { username, role } = person;
  const changed = await app.call('PUT', path, { username, role, scopes: ['transactions:read', 'contracts:read'] });
  expect(changed.status, changed.text).toBe(200);
  expect(await synced(await again(), { since: first.next })).toMatchObject({ reset: true });
});

it('takes a cursor only of this device, of this account, and of what is kept; else it begins anew', async () => {
  const [mine, another] = [await app.key({ scopes: ['*'] }), await app.anotherAccount('cursors')];
  const { next } = await synced(mine);
  const theirs = (await synced(another.apiKey)).next;
  for (const since of [theirs, `${next.slice(0, -8)}AAAAAAAA`, 'nonsense'])
    expect(await synced(mine, { since }), since).toMatchObject({ reset: true });
  expect(await synced(mine, { since: next, device_id: 'tablet' })).toMatchObject({ reset: true });
  const wallet = (await app.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' })).body.wallet_id;
  expect(await synced(mine, { since: next, wallets: [wallet] })).toMatchObject({ reset: true });
  expect((await sync(mine, { wallets: ['wal_3mVb1k7Q2xYt9LpRw0Zc5A'] })).body.error).toMatchObject({
    details: { field: 'wallets[0]' },
  });
  expect((await synced(mine, { since: next })).reset).toBeUndefined();
  await app.app.store.write((tx) => tx.events.deleteOlderThan(app.now() + 1));
  expect(await synced(mine, { since: next })).toMatchObject({ reset: true });
});

it('takes a revoked device again only after a new login: one of before may be on it', async () => {
  const { token: older, again } = await loggedIn();
  await synced(older, { device_id: 'lost' });
  app.advance(1_000);
  const later = await again();
  await synced(later, { device_id: 'lost' });
  const revoked = await app.call('DELETE', `${DEVICES}/lost`, undefined, { apiKey: await again(), sign: false });
  expect(revoked.status).toBe(204);
  for (const token of [older, later]) expect((await sync(token, { device_id: 'lost' })).status).toBe(401);
  app.advance(1_000);
  expect(await synced(await again(), { device_id: 'lost' })).toMatchObject({ reset: true });
});

it('ends a push subscription with the login that made it', async () => {
  const { token, again } = await loggedIn();
  await synced(token, { device_id: 'pushed' });
  const keys = {
    p256dh: createECDH('prime256v1').generateKeys('base64url'),
    auth: randomBytes(16).toString('base64url'),
  };
  const subscribe = (apiKey: string) =>
    app.call(
      'PUT',
      '/api/v1/mobile/preferences',
      { device_id: 'pushed', push_subscription: { endpoint: 'https://1.1.1.1/push', keys } },
      { apiKey, sign: false },
    );
  expect((await subscribe(await again())).status).toBe(409);
  const subscribed = await subscribe(token);
  expect(subscribed.status, subscribed.text).toBe(200);
  const push = async (apiKey: string) => (await app.get(`${DEVICES}/pushed`, { apiKey })).body.push;
  await synced(token, { device_id: 'pushed' });
  expect(await push(token)).toBe(true);
  const later = await again();
  expect(await push(later)).toBe(true);
  await synced(later, { device_id: 'pushed' });
  expect(await push(later)).toBe(false);
});

it('registers at most 20 devices, each once, in the audit log', async () => {
  const { token, person } = await loggedIn();
  await Promise.all([synced(token, { device_id: 'd0', name: 'First' }), synced(token, { device_id: 'd0' })]);
  for (let at = 1; at < 20; at++) await synced(token, { device_id: `d${at}` });
  const refused = await sync(token, { device_id: 'd20' });
  expect(refused.status, refused.text).toBe(422);
  expect(refused.body.error.details.field).toBe('device_id');
  const listed = (await app.get(`${DEVICES}?limit=100`, { apiKey: token })).body;
  expect(listed.pagination.total).toBe(20);
  expect(listed.data[0]).toMatchObject({ credential: { kind: 'person', id: person.user_id }, push: false });
  const { data } = (await app.get('/api/v1/compliance/audit?operation=mobile.sync&limit=100')).body;
  const own = data.filter((one: Json) => one.credential?.id === person.user_id);
  expect(own.map((one: Json) => one.target).sort()).toEqual(listed.data.map((one: Json) => one.device_id).sort());
});

it('names and revokes devices of one’s own alone; the login of a revoked one ends at once', async () => {
  const { token, again } = await loggedIn();
  await synced(token, { device_id: 'lost' });
  const other = await again();
  await synced(other, { device_id: 'kept' });
  const stranger = await loggedIn();
  const path = `${DEVICES}/lost`;
  for (const method of ['GET', 'DELETE'])
    expect((await app.call(method, path, undefined, { apiKey: stranger.token, sign: false })).status).toBe(404);
  const named = await app.call('PATCH', path, { name: 'Old phone' }, { apiKey: other, sign: false });
  expect(named.body.name, named.text).toBe('Old phone');
  expect((await app.call('DELETE', path, undefined, { apiKey: other, sign: false })).status).toBe(204);
  expect((await sync(token, { device_id: 'lost' })).status).toBe(401);
  expect((await app.get(DEVICES, { apiKey: token })).status).toBe(401);
  expect((await app.get(path, { apiKey: other })).status).toBe(404);
  expect((await app.get(`${DEVICES}/kept`, { apiKey: other })).status).toBe(200);
  expect(await synced(await again(), { device_id: 'lost' })).toMatchObject({ reset: true });
});

it('keeps the devices of a key apart from those of the person that it counts as', async () => {
  const { person, token } = await loggedIn({ role: 'admin' });
  await synced(token);
  const key = await app.key({ scopes: ['mobile:write'], countsAs: person.user_id } as Json);
  expect((await app.call('DELETE', `${DEVICES}/phone`, undefined, { apiKey: key })).status).toBe(404);
  for (let at = 0; at < 20; at++) await synced(key, { device_id: at === 0 ? 'phone' : `d${at}` });
  expect((await app.call('DELETE', `${DEVICES}/phone`, undefined, { apiKey: key })).status).toBe(204);
  expect((await sync(key)).status).toBe(401);
  await synced(token);
  await synced(token, { device_id: 'tablet' });
  const preferences = '/api/v1/mobile/preferences';
  await app.call('PUT', preferences, { channels: { push: false, email: false } }, { apiKey: key });
  expect((await app.get(preferences, { apiKey: token })).body.channels).toEqual({ push: true, email: true });
});

it('tells how far each device has come, also where the clock was set back', async () => {
  const key = await app.key({ scopes: ['*'] });
  await synced(key, { device_id: 'far' });
  await makeKey();
  app.advance(61_000);
  // The key, and the device itself.
  const status = async () => (await app.get('/api/v1/mobile/status', { apiKey: key })).body.devices;
  expect(await status()).toMatchObject([{ device_id: 'far', unread: 2, lag_seconds: 61 }]);
  app.advance(-600_000);
  expect(await status()).toMatchObject([{ unread: 2, lag_seconds: 0 }]);
  const { next } = await synced(key, { device_id: 'far' });
  expect((await synced(key, { device_id: 'far', since: next })).reset).toBeUndefined();
  app.advance(600_000);
});

it('compresses an answer for who takes it', async () => {
  const key = await app.key({ scopes: ['*'] });
  const { next } = await synced(key);
  for (let at = 0; at < 10; at++) await makeKey();
  const answer = (coding: string) =>
    app.app.http.inject({
      ...{ method: 'POST', url: SYNC, payload: { device_id: 'phone', since: next, history: true } },
      headers: { host: app.host, authorization: `Bearer ${key}`, 'accept-encoding': coding },
    });
  const [plain, small] = [await answer('identity'), await answer('gzip')];
  expect(small.headers).toMatchObject({ 'content-encoding': 'gzip' });
  expect(String(small.headers.vary)).toContain('Accept-Encoding');
  expect(JSON.parse(gunzipSync(small.rawPayload).toString()).changes).toEqual(plain.json().changes);
  expect(small.rawPayload.length * 3).toBeLessThan(plain.rawPayload.length);
});
