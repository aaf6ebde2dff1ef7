import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../../../src/chain/node-finder/free-ports.ts';
import type { Json } from '../../builders/app.ts';
import { type FakeNode, honest, peerMessage, startFakeNode, versionOf } from '../../builders/fake-node.ts';
import { startUsersApp, type UsersApp } from '../c-platform/users-app.ts';
import { clientToken, personToken } from './tokens.ts';

let app: UsersApp;
let token: string;
let good: FakeNode;
let foreign: FakeNode;
let away: number;
beforeAll(async () => {
  [away = 0] = await freePorts(1);
  good = await startFakeNode(honest({ height: 1, agent: '/Good:1/' }));
  foreign = await startFakeNode((socket) => socket.write(peerMessage('version', versionOf(), { magic: 'f9beb4d9' })));
  const ports = [good.port, foreign.port, away].join(',');
  app = await startUsersApp({
    limits: true,
    env: { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', OUTBOUND_ALLOWED_PORTS: ports },
  });
  token = (await personToken(app)).token;
  await app.post('/api/v1/bitcoin/blocks', { count: 3 });
  await app.synced();
});
afterAll(async () => {
  await app.close();
  await Promise.all([good.close(), foreign.close()]);
});

const by = (apiKey: string | null) => ({ apiKey });
const make = (nodes: unknown, who: string | null = token, name: unknown = 'Treasury') =>
  app.post('/api/v1/network', { name, nodes }, by(who));
const get = async (id: string, who = token) => app.get(`/api/v1/network/${id}`, by(who));
const put = (id: string, body: Json, who = token) => app.call('PUT', `/api/v1/network/${id}`, body, by(who));
const remove = (id: string, who = token) => app.call('DELETE', `/api/v1/network/${id}`, undefined, by(who));
const probesOf = async (id: string) => (await get(id)).body.probes as Json[];
const probed = async (id: string): Promise<Json[]> => {
  await expect.poll(async () => (await probesOf(id)).every((one) => one.probed_at !== null)).toBe(true);
  return probesOf(id);
};

describe('a network', () => {
  it('is made, shown with what its nodes answer, replaced and deleted', async () => {
    const nodes = [
      `127.0.0.1:${good.port}`,
      `127.0.0.1:${foreign.port}`,
      `127.0.0.1:${away}`,
      '10.0.0.1',
      '127.0.0.1:22',
    ];
    const made = await make(nodes);
    expect([made.status, made.body]).toMatchObject([201, { name: 'Treasury', nodes }]);
    const id = made.body.network_id;
    const nothing = { protocol_version: null, user_agent: null, claimed_height: null, lag: null };
    const probed_at = new Date(app.now()).toISOString();
    expect(await probed(id)).toEqual([
      {
        ...{ node: nodes[0], status: 'reachable', reason: null, probed_at },
        ...{ protocol_version: 70016, user_agent: '/Good:1/', claimed_height: 1, lag: 2 },
      },
      { node: nodes[1], status: 'unreachable', reason: 'it is of another Bitcoin network', ...nothing, probed_at },
      { node: nodes[2], status: 'unreachable', reason: 'it takes no connection', ...nothing, probed_at },
      ...nodes.slice(3).map((node) => ({
        ...{ node, status: 'not_allowed', reason: 'its host or port is not one that is connected to' },
        ...{ ...nothing, probed_at },
      })),
    ]);
    const whole = { name: 'New', nodes: ['node.onion', `127.0.0.1:${good.port}`] };
    const replaced = await put(id, whole);
    expect([replaced.status, replaced.body]).toMatchObject([200, whole]);
    expect(replaced.body.probes).toMatchObject([
      { node: 'node.onion', status: 'not_probed', reason: expect.stringContaining('SOCKS'), probed_at: null },
      { status: 'reachable', probed_at },
    ]);
    const page = (await app.get('/api/v1/network?limit=5', by(token))).body;
    expect([page.data[0], page.pagination.total]).toEqual([replaced.body, 1]);
    expect([(await remove(id)).status, (await remove(id)).status, (await get(id)).status]).toEqual([204, 404, 404]);
    expect(good.count()).toBe(1);
  });

  it("says nothing of what was probed for others, and is another account's nowhere", async () => {
    const { apiKey } = await app.anotherAccount('elsewhere');
    const stranger = (await personToken(app, {}, by(apiKey))).token;
    const mine = (await make([`127.0.0.1:${good.port}`])).body.network_id;
    app.advance(60_000);
    const theirs = (await make([`127.0.0.1:${good.port}`], stranger)).body;
    expect(theirs.probes).toMatchObject([{ status: 'not_probed', reason: 'it waits for its first probe' }]);
    const answers = [
      await get(mine, stranger),
      await put(mine, { name: 'x', nodes: [] }, stranger),
      await remove(mine, stranger),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    await remove(mine);
  });

  it('has at most 100 nodes in the account, each in a form that is one', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `10.0.0.${at}`);
    const first = await make(many(60));
    const more = await make(many(41));
    expect([more.status, more.body.error.details.field]).toEqual([422, 'nodes']);
    expect((await put(first.body.network_id, { name: 'x', nodes: many(100) })).status).toBe(200);
    expect((await make([])).status).toBe(201);
    await remove(first.body.network_id);
    for (const [nodes, field] of [
      [many(101), 'nodes'],
      [['a', 'https://user:password@example.com'], 'nodes[1]'],
      [['a b'], 'nodes[0]'],
      [[`${'a.'.repeat(130)}a`], 'nodes[0]'],
      ['a', 'nodes'],
      [undefined, 'nodes'],
    ] as const) {
      const { status, body } = await make(nodes);
      expect([status, Object.keys(body), body.error.details.field]).toEqual([400, ['message', 'error'], field]);
    }
    expect((await make([], token, '')).body.error.details.field).toBe('name');
    expect((await app.post('/api/v1/network', { name: 'x', nodes: [], more: 1 }, by(token))).status).toBe(400);
  });

  it('takes access tokens alone, with the scope, the role and a signature, 100 times a minute', async () => {
    const body = { name: 'x', nodes: [] };
    for (const credential of [app.adminKey, null, 'a.b.c']) {
      const { status, body: refused } = await make([], credential);
      expect([status, Object.keys(refused)]).toEqual([401, ['message', 'error']]);
    }
    expect((await app.post('/api/v1/network', body, { apiKey: token, sign: false })).status).toBe(401);
    expect((await make([], await clientToken(app))).status).toBe(201);
    const reader = (await personToken(app, { scopes: ['networks:read'] })).token;
    const viewer = (await personToken(app, { role: 'viewer' })).token;
    const other = (await personToken(app, { scopes: ['transactions:write'] })).token;
    expect([(await make([], reader)).status, (await make([], viewer)).status]).toEqual([403, 403]);
    expect((await app.get('/api/v1/network', by(other))).status).toBe(403);
    for (const method of ['PUT', 'DELETE']) {
      const { status, headers } = await app.call(method, '/api/v1/network', body, by(token));
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD, POST']);
    }
    for (let turn = 0; turn < 99; turn++)
      expect((await app.get('/api/v1/network?limit=1', by(reader))).status).toBe(200);
    expect((await app.get('/api/v1/network', by(reader))).status).toBe(429);
  });
});
