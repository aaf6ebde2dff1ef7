/** Whom notifications of keys and groups reach: people through their keys, a rotated key through its successor, administrators. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../builders/app.ts';
import { eventually } from '../../builders/service-process.ts';
import { openClient } from '../a-transactions/realtime/socket-server.ts';
import { PASSWORD, startUsersApp, type UsersApp } from './users-app.ts';

const NOTIFICATIONS = '/api/v1/notifications';
let app: UsersApp;
beforeAll(async () => {
  app = await startUsersApp();
});
afterAll(() => app.close());

/** Logged in with a key of their own. */
async function person(given: Json) {
  const { publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
  const { user_id: id, username } = await app.person({ public_key: publicJwk, ...given });
  const { body } = await app.login({ username, password: PASSWORD }, { sign: privateJwk });
  app.remember(body.access_token, privateJwk);
  return { id: id as string, apiKey: body.access_token as string };
}
async function issued(path: string, body: Json, apiKey: string): Promise<{ id: string; apiKey: string }> {
  const answer = await app.post(`/api/v1/api-keys${path}`, body, { apiKey });
  expect(answer.status, answer.text).toBe(201);
  app.remember(answer.body.api_key, answer.body.private_key);
  return { id: answer.body.api_key_id, apiKey: answer.body.api_key };
}
const key = (by: string, scopes: string[], role = 'admin') => issued('', { name: 'k', role, scopes }, by);
const rotated = ({ id, apiKey }: { id: string; apiKey: string }) =>
  issued(`/${id}/rotate`, { overlap_seconds: 60 }, apiKey);
const list = async (apiKey: string): Promise<Json[]> =>
  (await app.get(`${NOTIFICATIONS}?limit=100`, { apiKey })).body.data;
const group = async (members: Json): Promise<string> =>
  (await app.post('/api/v1/enterprise/groups', { name: `g ${Math.random()}`, ...members })).body.group_id;
const send = async (to: Json): Promise<string> => {
  const text = { subject: 'Refilled', body: '0.5 BTC' };
  const { status, body } = await app.post(`${NOTIFICATIONS}/send`, { channel: 'in_app', to, ...text });
  expect(status).toBe(202);
  return body.notification_id;
};
const has = async (apiKey: string, id: string): Promise<boolean> =>
  (await list(apiKey)).some(({ notification_id }) => notification_id === id);

it('a key in a group stands for the person whom it counts as, and one that counts as nobody for itself', async () => {
  const ada = await person({ role: 'admin', scopes: ['api-keys:write', 'notifications:read'] });
  const theirs = await key(ada.apiKey, ['notifications:read']);
  const machine = await key(app.adminKey, ['notifications:read']);
  const group_id = await group({ api_key_ids: [theirs.id, machine.id], user_ids: [ada.id] });
  const id = await send({ group_id });
  await eventually('they have it', () => has(ada.apiKey, id));
  expect([await has(machine.apiKey, id), await has(theirs.apiKey, id)]).toEqual([true, false]);
  const { body } = await app.get(`${NOTIFICATIONS}/${id}`);
  expect(body.deliveries.map(({ recipient }: Json) => recipient).sort()).toEqual([machine.id, ada.id].sort());
});

it('a rotated key goes on with the notifications of the one before it, and no key that it made does', async () => {
  const first = await key(app.adminKey, ['notifications:write', 'api-keys:write']);
  const group_id = await group({ api_key_ids: [first.id] });
  const before = await send({ group_id });
  await eventually('it has it', () => has(first.apiKey, before));
  const second = await rotated(first);
  const third = await rotated(second);
  const lesser = await key(third.apiKey, ['notifications:read']);
  expect(await has(third.apiKey, before)).toBe(true);
  const client = await openClient(`${(await app.listen()).replace('http', 'ws')}/v1/ws`);
  client.say({ type: 'auth', api_key: third.apiKey });
  client.say({ type: 'subscribe', channel: 'notifications' });
  await client.next('authenticated');
  await client.next('subscribed');
  const after = await send({ group_id });
  // Notices of the rotations may come before it.
  let heard: Json;
  do heard = await client.next('notification');
  while (heard.data.notification_id !== after);
  expect(heard.data.change).toBe('shown');
  client.socket.close();
  expect(await has(second.apiKey, after)).toBe(true);
  expect((await app.call('PATCH', `${NOTIFICATIONS}/${after}`, { read: true }, third)).status).toBe(200);
  expect((await app.get(`${NOTIFICATIONS}/${after}`, second)).body.read_at).not.toBeNull();
  // Security notices of the rotations come meanwhile.
  expect((await app.get(`${NOTIFICATIONS}/status`, third)).body.unread).toBeGreaterThan(0);
  const rule = { events: ['block.connected'], channel: 'in_app' };
  const { to } = (await app.post(`${NOTIFICATIONS}/rules`, rule, third)).body;
  expect(to).toEqual({ credential_id: first.id });
  for (const id of [before, after]) expect(await has(lesser.apiKey, id)).toBe(false);
});

it('a security notice reaches the person behind a key, and administrators where it concerns the account', async () => {
  const [bob, admin, viewer] = [
    await person({ role: 'admin', scopes: ['api-keys:write', 'notifications:read'] }),
    await person({ role: 'admin', scopes: ['policies:write'] }),
    await person({ role: 'viewer', scopes: ['wallets:read'] }),
  ];
  const theirs = await key(bob.apiKey, ['api-keys:write', 'notifications:read']);
  const made = await key(theirs.apiKey, ['api-keys:write']);
  const notices = async ({ apiKey }: { apiKey: string }, type: string, target: string) =>
    (await list(apiKey)).filter(({ data }) => data?.type === type && data.target === target).length;
  await eventually('bob is told', async () => (await notices(bob, 'security.key_created', made.id)) === 1);
  const told = async (type: string, target: string) => {
    const counts: number[] = [];
    for (const one of [bob, admin, viewer, theirs]) counts.push(await notices(one, type, target));
    return counts;
  };
  expect(await told('security.key_created', made.id)).toEqual([1, 1, 0, 0]);
  const signIn = (await list(bob.apiKey)).find(({ data }) => data?.type === 'security.sign_in')!;
  expect(await told('security.sign_in', signIn.data.target)).toEqual([1, 0, 0, 0]);
});
