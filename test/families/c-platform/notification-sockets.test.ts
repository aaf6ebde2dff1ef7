/** The channel `notifications` of /v1/ws: each subject hears of their own alone, live and resumed, as long as their credential stands. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_TYPE_NAMES } from '../../../src/core/events/event-types.ts';
import { dayOf } from '../../../src/core/notifications/notification.ts';
import type { Json } from '../../builders/app.ts';
import { eventually } from '../../builders/service-process.ts';
import { type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';
import { type Message, openClient } from '../a-transactions/realtime/socket-server.ts';
import { PASSWORD, startUsersApp, type UsersApp } from './users-app.ts';

const NOTIFICATIONS = '/api/v1/notifications';
interface Person {
  readonly id: string;
  readonly token: string;
}

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  const directory = mkdtempSync(join(tmpdir(), 'ashlar-sockets-'));
  let postgres: TemporaryPostgres | undefined;
  let service: UsersApp;
  let url: string;
  beforeAll(async () => {
    if (kind === 'postgres') postgres = await withPostgres();
    const keyFile = join(directory, 'master.key');
    writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
    const env = postgres && { DATABASE_URL: await postgres.newTables(), MASTER_KEY_FILE: keyFile };
    service = await startUsersApp(env === undefined ? {} : { env });
    url = `${(await service.listen()).replace('http', 'ws')}/v1/ws`;
  });
  afterAll(async () => {
    await service?.close();
    await postgres?.stop();
    rmSync(directory, { recursive: true });
  });

  async function person(): Promise<Person> {
    const { user_id: id, username } = await service.person({ role: 'viewer' });
    return { id, token: (await service.login({ username, password: PASSWORD })).body.access_token };
  }
  async function send(to: Json): Promise<string> {
    const text = { subject: 'Refilled', body: 'The wallet has **0.5 BTC**.' };
    const {
      status,
      body,
      text: said,
    } = await service.post(`${NOTIFICATIONS}/send`, { channel: 'in_app', to, ...text });
    expect(status, said).toBe(202);
    return body.notification_id;
  }
  const mark = async (id: string, read: boolean, { token: apiKey }: Person) =>
    expect((await service.call('PATCH', `${NOTIFICATIONS}/${id}`, { read }, { apiKey })).status).toBe(200);

  async function listen(token: string, after?: number) {
    const client = await openClient(url);
    client.say({ type: 'auth', [token.startsWith('ak_') ? 'api_key' : 'access_token']: token });
    client.say({ type: 'subscribe', channel: 'notifications', after });
    await client.next('authenticated');
    const { seq } = (await client.next('subscribed')) as Json;
    const heard: Message[] = [];
    return {
      ...client,
      seq: seq as number,
      heard,
      /** All up to this one. What the service tells by itself (logins, changes of people) is left out. */
      async until(id: string, change: string): Promise<Message[]> {
        for (;;) {
          const message = await client.next('notification');
          const { data } = message as Json;
          if (data.subject === 'Refilled') heard.push(message);
          if (data.notification_id === id && data.change === change) return heard;
        }
      },
    };
  }
  const changes = (heard: readonly Message[]) =>
    heard.map(({ data }) => [(data as Json).notification_id, (data as Json).change]);

  it('each hears what is shown to them and what they mark, the others and administrators nothing of it', async () => {
    const [eve, bob] = [await person(), await person()];
    const [toEve, toBob, toAdmin] = [await listen(eve.token), await listen(bob.token), await listen(service.adminKey)];
    const one = await send({ user_id: eve.id });
    await mark(one, true, eve);
    await mark(one, true, eve);
    await mark(one, false, eve);
    const other = await send({ user_id: bob.id });
    const last = await send({ user_id: eve.id });
    const heard = await toEve.until(last, 'shown');
    expect(changes(heard)).toEqual([
      [one, 'shown'],
      [one, 'read'],
      [one, 'unread'],
      [last, 'shown'],
    ]);
    expect(heard[0]).toEqual({
      ...{ type: 'notification', channel: 'notifications', seq: heard[0]!.seq },
      data: { notification_id: one, change: 'shown', subject: 'Refilled' },
    });
    expect(changes(await toBob.until(other, 'shown'))).toEqual([[other, 'shown']]);
    // What a resume reads of the database is in the ring, too: beyond it only where that is full.
    const { events } = service.app.store.read;
    const stored = await events.ownAfter({ accountId: service.accountId, ref: eve.id }, BigInt(toEve.seq), 100);
    expect(stored.filter(({ data }) => data.includes('Refilled')).map(({ seq }) => Number(seq))).toEqual(
      heard.map(({ seq }) => seq),
    );
    const again = await listen(eve.token, toEve.seq);
    expect(await again.until(last, 'shown')).toEqual(heard);
    const after = await listen(eve.token, heard[2]!.seq as number);
    expect(changes(await after.until(last, 'shown'))).toEqual([[last, 'shown']]);
    const ofBob = await listen(bob.token, 0);
    expect(changes(await ofBob.until(other, 'shown'))).toEqual([[other, 'shown']]);
    const quiet = [...(await ofBob.quiet()), ...(await toBob.quiet()), ...(await toAdmin.quiet())];
    expect(quiet.filter(({ data }) => (data as Json).subject === 'Refilled')).toEqual([]);
  });

  it('a group hears when its time has come, and of a cancellation whoever has it already', async () => {
    const people = [await person(), await person()].sort((a, b) => (a.id < b.id ? -1 : 1)) as [Person, Person];
    const { store } = service.app;
    const at = service.now();
    await store.write(async (tx) => {
      // Room for one of the group, which counts as one itself until all have it.
      const today = { accountId: service.accountId, channel: 'in_app', day: dayOf(at) } as const;
      await tx.notificationDays.add(today, 20_000 - 2 - (await tx.notificationDays.lock(today)));
    });
    const sockets = [await listen(people[0].token), await listen(people[1].token)] as const;
    const members = { name: 'all', user_ids: people.map(({ id }) => id) };
    const { group_id } = (await service.post('/api/v1/enterprise/groups', members)).body;
    const id = await send({ group_id });
    await sockets[0].until(id, 'shown');
    await eventually('the rest waits', async () => {
      const { body } = await service.get(`${NOTIFICATIONS}/${id}`);
      return body.deliveries.some(({ error }: Json) => error !== null);
    });
    expect((await service.call('DELETE', `${NOTIFICATIONS}/${id}`)).status).toBe(204);
    expect(changes(await sockets[0].until(id, 'cancelled'))).toEqual([
      [id, 'shown'],
      [id, 'cancelled'],
    ]);
    service.advance(86_400_000);
    const again = (
      await service.login({
        username: (await service.get(`/api/v1/users/${people[1].id}`)).body.username,
        password: PASSWORD,
      })
    ).body.access_token;
    const replay = await listen(again, 0);
    const own = await send({ user_id: people[1].id });
    expect(changes(await replay.until(own, 'shown'))).toEqual([[own, 'shown']]);
  });

  it('ends with the credential, and does not go on for another', async () => {
    const [eve, bob] = [await person(), await person()];
    const socket = await listen(eve.token);
    socket.say({ type: 'auth', access_token: bob.token });
    const refused = async () => {
      for (;;) {
        const message = await socket.next();
        if (message.type !== 'notification') return message;
      }
    };
    expect(await refused()).toMatchObject({
      type: 'error',
      error: { code: 'invalid_request', message: expect.stringContaining(eve.id) },
    });
    expect((await service.call('DELETE', `/api/v1/users/${eve.id}`)).status).toBe(204);
    expect((await socket.closed).code).toBe(4401);

    const [narrow, scoped] = [await service.key({ scopes: ['wallets:read'] }), await service.key({ scopes: ['*'] })];
    const client = await openClient(url);
    client.say({ type: 'auth', api_key: narrow });
    client.say({ type: 'subscribe', channel: 'notifications' });
    await client.next('authenticated');
    expect(await client.next()).toMatchObject({ type: 'error', error: { code: 'forbidden' } });
    await listen(scoped);
  });

  it('is of no event type: no rule, webhook or device learns of it, and no notification causes one', async () => {
    const rule = { events: ['*'], channel: 'in_app', digest: 'at_once' };
    const { rule_id } = (await service.post(`${NOTIFICATIONS}/rules`, rule)).body;
    const eve = await person();
    await send({ user_id: eve.id });
    const { api_key_id } = (await service.post('/api/v1/api-keys', { name: 'r', scopes: ['wallets:read'] })).body;
    const inbox = async (): Promise<Json[]> => (await service.get(`${NOTIFICATIONS}?limit=100`)).body.data;
    const told = async () => (await inbox()).filter(({ data }) => data?.rule_id === rule_id);
    await eventually('the rule tells of what comes after', async () =>
      (await told()).some(({ data }) => data.target === api_key_id),
    );
    const types = (await told()).map(({ data }) => data.type);
    expect(types.every((type) => EVENT_TYPE_NAMES.includes(type))).toBe(true);
    expect(types.filter((type) => type === 'security.key_created')).toHaveLength(1);
    const ask = { device_id: 'phone', limit: 200, history: true };
    const { next } = (await service.post('/api/v1/mobile/sync', ask)).body;
    await send({ user_id: eve.id });
    const { changes: synced } = (await service.post('/api/v1/mobile/sync', { ...ask, since: next })).body;
    expect(synced.filter(({ type }: Json) => !EVENT_TYPE_NAMES.includes(type))).toEqual([]);
    expect(JSON.stringify(synced)).not.toContain('Refilled');
  });
});
