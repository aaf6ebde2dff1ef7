/** Reports of two processes on one PostgreSQL: one makes them, both serve the same bytes, and when it is killed the other makes what it had begun. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePorts } from '../../src/chain/node-finder/free-ports.ts';
import type { PrivateJwk } from '../../src/core/request-signatures/signing-algorithm.ts';
import { startPostgres } from '../builders/postgres-server.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';

const CUSTOMERS = 20_000;
const opened = new AsyncDisposableStack();
/** Each with the port of its metrics. */
let processes: readonly { service: ServiceProcess; metrics: number }[];

/** Of the administrator that both know. */
let key: { api_key: string; private_key: PrivateJwk };
const authorization = () => ({ authorization: `Bearer ${key.api_key}` });
const call = (service: ServiceProcess, method: string, path: string, body?: unknown) =>
  service.call(method, path, body, authorization(), key.private_key);

const folder = (name: string): string => {
  const made = mkdtempSync(join(tmpdir(), `ashlar-${name}-`));
  opened.defer(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

beforeAll(async () => {
  const [port = 0, ...metricsPorts] = await freePorts(3);
  const settings = ['fsync=off', 'full_page_writes=off'];
  const database = { directory: folder('postgres'), port, user: 'ashlar', password: 'ashlar', settings };
  const server = await startPostgres(database);
  opened.defer(() => server.stop());
  const keyFile = join(folder('secrets'), 'master.key');
  writeFileSync(keyFile, crypto.getRandomValues(Buffer.alloc(32)), { mode: 0o600 });
  const url = `postgres://ashlar:ashlar@127.0.0.1:${port}/postgres`;
  const env = { DATABASE_URL: url, MASTER_KEY_FILE: keyFile, CHAIN: 'simulated', LOG_LEVEL: 'warn' };
  const started: { service: ServiceProcess; metrics: number }[] = [];
  for (const metrics of metricsPorts) {
    const service = await startService({ ...env, METRICS_PORT: `${metrics}` });
    opened.defer(() => service.dispose());
    started.push({ service, metrics });
  }
  processes = started;
  const limits = { requests_per_minute: 1_000_000, bulk_per_minute: 1_000_000 };
  const wanted = { name: 'unlimited', role: 'admin', scopes: ['*'], tier: 'custom', limits };
  ({ body: key } = await started[0]!.service.call('POST', '/api/v1/api-keys', wanted));
});
afterAll(() => opened.disposeAsync());

/** The one that makes reports, and the other one. */
async function roles(): Promise<[leader: ServiceProcess, other: ServiceProcess]> {
  const leads = async ({ metrics }: { metrics: number }) => {
    const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    return /^ashlar_leader\{work="reports"\} 1$/m.test(text);
  };
  const [first, second] = await Promise.all(processes.map(leads));
  expect([first, second].toSorted()).toEqual([false, true]);
  const [one, other] = processes.map(({ service }) => service);
  return first ? [one!, other!] : [other!, one!];
}

async function ask(service: ServiceProcess): Promise<string> {
  const liabilities = Array.from({ length: CUSTOMERS }, (_, at) => `customer-${at},${at}\n`).join('');
  const asked = { type: 'proof-of-reserves', liabilities };
  const { status, body } = await call(service, 'POST', '/api/v1/compliance/report', asked);
  expect(status, JSON.stringify(body)).toBe(202);
  return `/api/v1/compliance/reports/${body.report_id}`;
}
async function content(service: ServiceProcess, path: string) {
  const answer = await fetch(`${service.baseUrl}${path}/content`, { headers: authorization() });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const digest = createHash('sha256').update(bytes).digest();
  expect([answer.status, answer.headers.get('repr-digest')]).toEqual([200, `sha-256=:${digest.toString('base64')}:`]);
  return { bytes, sha256: digest.toString('hex') };
}
const done = (service: ServiceProcess, path: string) =>
  eventually('the report is done', async () => (await call(service, 'GET', path)).body.status === 'done');

it('one process makes a report that another was asked for, and both serve the same bytes', async () => {
  const [leader, other] = await roles();
  const path = await ask(other);
  await done(other, path);
  const [made, served] = [await content(leader, path), await content(other, path)];
  expect(served.bytes.equals(made.bytes)).toBe(true);
  expect((await call(other, 'GET', path)).body.sha256).toBe(served.sha256);
  expect(JSON.parse(served.bytes.toString('utf8')).customers).toHaveLength(CUSTOMERS);
});

it('when the one that makes it is killed, the other makes it anew, whole', async () => {
  const [leader, other] = await roles();
  const path = await ask(other);
  await eventually('some of it is there', async () => (await call(other, 'GET', path)).body.progress.done > 100);
  await leader.kill();
  expect((await call(other, 'GET', path)).body.status).toBe('running');
  await done(other, path);
  const { bytes, sha256 } = await content(other, path);
  const { customers } = JSON.parse(bytes.toString('utf8'));
  expect(new Set(customers.map((one: { customer_id: string }) => one.customer_id)).size).toBe(CUSTOMERS);
  await leader.start();
  expect((await content(leader, path)).sha256).toBe(sha256);
});
