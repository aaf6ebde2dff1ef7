/** Webhooks of two processes on one PostgreSQL: each event is delivered once, and none is lost while the database or a process is away. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePorts } from '../../src/chain/node-finder/free-ports.ts';
import type { AccountId } from '../../src/core/ids.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { startPostgres } from '../builders/postgres-server.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';
import { silent } from '../builders/stores.ts';
import { startReceiver, verified, type WebhookReceiver } from '../builders/webhook-receiver.ts';
import { numbers, tell } from '../builders/webhook-world.ts';

const EVENTS = 300;
/** Sent in a turn of an ordered webhook, and noted at its end. */
const IN_A_TURN = 20;

const opened = new AsyncDisposableStack();
let server: Awaited<ReturnType<typeof startPostgres>>;
let database: Parameters<typeof startPostgres>[0];
let first: ServiceProcess;
let second: ServiceProcess;
/** Of the first and of the second. */
let metrics: string[];
let to: WebhookReceiver;
let secret: string;
let accountId: AccountId;
let store: Store;

const folder = (name: string): string => {
  const made = mkdtempSync(join(tmpdir(), `ashlar-${name}-`));
  opened.defer(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

beforeAll(async () => {
  const [port = 0, ...metricsPorts] = await freePorts(3);
  const settings = ['fsync=off', 'full_page_writes=off'];
  database = { directory: folder('postgres'), port, user: 'ashlar', password: 'ashlar', settings };
  server = await startPostgres(database);
  opened.defer(() => server.stop());
  const keyFile = join(folder('secrets'), 'master.key');
  writeFileSync(keyFile, crypto.getRandomValues(Buffer.alloc(32)), { mode: 0o600 });
  const url = `postgres://ashlar:ashlar@127.0.0.1:${port}/postgres`;
  const env = { DATABASE_URL: url, MASTER_KEY_FILE: keyFile, CHAIN: 'simulated', LOG_LEVEL: 'warn' };
  const networks = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };
  first = await startService({ ...env, ...networks, METRICS_PORT: `${metricsPorts[0]}` }, { unlimited: true });
  opened.defer(() => first.dispose());
  second = await startService({ ...env, ...networks, METRICS_PORT: `${metricsPorts[1]}` });
  opened.defer(() => second.dispose());
  metrics = metricsPorts.map((of) => `http://127.0.0.1:${of}/metrics`);
  store = await openPostgresStore({ url, log: silent, clock: Date.now });
  opened.defer(() => store.close());
  to = await startReceiver();
  opened.defer(() => to.close());
  const made = await first.call('POST', '/api/v1/webhooks', { url: to.url, events: ['security.key_created'] });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  secret = made.body.secret;
  accountId = (await first.call('POST', '/api/v1/api-keys', { name: 'told of', scopes: ['wallets:read'] })).body
    .account_id;
  await eventually('the first arrives', async () => to.taken.length === 1);
});
afterAll(() => opened.disposeAsync());

const targets = (): string[] => to.taken.map(({ body }) => body.data.target);
const once = (all: readonly string[]): string[] => [...new Set(all)];
const arrived = (wanted: readonly string[]) =>
  eventually('all arrive', async () => {
    const there = new Set(targets());
    return wanted.every((one) => there.has(one));
  });
const leadsWebhooks = async (url: string): Promise<number> =>
  Number(/^ashlar_leader\{work="webhooks"\} (\d)$/m.exec(await (await fetch(url)).text())?.[1]);
/** From now on. */
const fresh = (): void => {
  to.taken.splice(0);
  to.seen.splice(0);
};

it('each event is delivered once while both run', async () => {
  fresh();
  const wanted = numbers(EVENTS);
  for (let at = 0; at < EVENTS; at += 10) await tell(store, accountId, ...wanted.slice(at, at + 10));
  await tell(store, accountId, 'the end');
  await arrived(['the end']);
  expect(targets()).toEqual([...wanted, 'the end']);
  const { events } = store.read;
  const numbered = await events.after(0n, 1_000_000, { accountId, channel: 'security' });
  const seqs = new Map(numbered.map(({ seq, data }) => [JSON.parse(data).target, Number(seq)]));
  for (const one of to.taken) expect(verified(one, secret).seq).toBe(seqs.get(one.body.data.target));
});

it('none is lost or out of order when the process that delivers is killed: the other goes on', async () => {
  fresh();
  const wanted = numbers(EVENTS, EVENTS);
  await tell(store, accountId, ...wanted);
  await eventually('some arrive', async () => to.taken.length > EVENTS / 10);
  const [leads, others] = await Promise.all(metrics.map(leadsWebhooks));
  expect([leads, others].toSorted()).toEqual([0, 1]);
  const leader = leads === 1 ? first : second;
  await leader.kill();
  await arrived(wanted);
  expect(once(targets())).toEqual(wanted);
  expect(to.taken.length - EVENTS).toBeLessThanOrEqual(IN_A_TURN);
  await leader.start();
});

it('none is lost or out of order when PostgreSQL goes away and comes back', async () => {
  fresh();
  const [before, after] = [numbers(EVENTS, 2 * EVENTS), numbers(EVENTS, 3 * EVENTS)];
  await tell(store, accountId, ...before);
  await eventually('some arrive', async () => to.taken.length > EVENTS / 10);
  await server.stop();
  const refused = await first.call('POST', '/api/v1/api-keys', { name: 'told of', scopes: ['wallets:read'] });
  expect(refused.status).toBe(503);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  server = await startPostgres(database);
  await eventually('it is written again', async () => tell(store, accountId, ...after).then(() => true));
  await arrived([...before, ...after]);
  expect(once(targets())).toEqual([...before, ...after]);
  expect(to.taken.length - 2 * EVENTS).toBeLessThanOrEqual(IN_A_TURN);
  expect(new Set(to.taken.map(({ id }) => id)).size).toBe(2 * EVENTS);
});
