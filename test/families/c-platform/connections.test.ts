/** Outgoing connections against a real syslog server (syslog-ng over TLS) and a real S3-compatible one (s3rver). */
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createExportVerifier } from '../../../src/core/audit-log/verify-export.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { type Authority, createAuthority } from '../../builders/certificates.ts';
import { createS3Server, lockingStore, S3_KEYS, type S3Server, silentServer } from '../../builders/s3-server.ts';
import { eventually } from '../../builders/service-process.ts';
import { createSyslogServer, noSyslog, type SyslogServer } from '../../builders/syslog-server.ts';

const CONNECT = '/api/v1/enterprise/connect';
const CONNECTIONS = '/api/v1/enterprise/connections';
const MINUTE = 60_000;

let now = Date.UTC(2026, 10, 21, 12);
let folder: string;
let authority: Authority;
let service: TestApp;
let s3: S3Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ashlar-connections-'));
  authority = createAuthority(folder);
  s3 = await createS3Server('audit');
  await s3.start();
  service = await startTestApp({ clock: () => now, env: { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } });
});
afterAll(async () => {
  await service.close();
  await s3.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** Something that the audit log records, and that wakes the deliveries. */
const happening = (name = 'something') => service.post('/api/v1/oauth-clients', { name, scopes: ['wallets:read'] });

/** The account's log from a position on, as it is sealed. */
const sealedFrom = async (position: number, accountId = service.accountId) => {
  const found = await service.app.store.read.audit.sealedFrom(accountId, position, 5_000);
  return found.map(({ recordId }) => recordId);
};

const get = async (id: string): Promise<Json> => (await service.get(`${CONNECTIONS}/${id}`)).body;
const caughtUp = (id: string) =>
  eventually('the connection has delivered everything', async () => {
    const found = await get(id);
    return found.lag.events === 0 && found.failures === 0 && found;
  });
const verdicts = (steps: Json[]): Json => Object.fromEntries(steps.map(({ step, verdict }) => [step, verdict]));

/** A collector of batches; `answer` is the status. */
async function collector() {
  const batches: { headers: Record<string, unknown>; body: string }[] = [];
  const state = { status: 200 };
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      if (state.status < 300) batches.push({ headers: request.headers, body });
      response.writeHead(state.status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const events = (): Json[] =>
    batches
      .flatMap(({ body }) => body.trim().split('\n'))
      .map((line) => JSON.parse(line))
      .filter(({ position }) => position !== null);
  return {
    ...{ batches, state, events },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ingest`,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
const https = (url: string, more: Json = {}): Json => ({
  type: 'siem',
  name: 'collector',
  settings: { transport: 'https', url, ...more },
});
const s3Settings = (more: Json = {}): Json => ({ endpoint: s3.endpoint, bucket: 'audit', ...S3_KEYS, ...more });

describe.skipIf(noSyslog !== null)(`a connection to syslog${noSyslog === null ? '' : ` (${noSyslog})`}`, () => {
  let syslog: SyslogServer;
  beforeAll(async () => {
    syslog = await createSyslogServer(folder, authority);
    await syslog.start();
  });
  afterAll(() => syslog.kill());

  it('is tried at once, and delivers every record after an outage of ten minutes, in order and known by its id', async () => {
    const settings = {
      transport: 'syslog',
      host: '127.0.0.1',
      port: syslog.port,
      ca: authority.certificate,
      batch_size: 3,
    };
    const { status, body } = await service.post(CONNECT, { type: 'siem', name: 'log collector', settings });
    expect([status, body.error]).toEqual([201, undefined]);
    expect(verdicts(body.steps)).toEqual({
      ...{ resolve: 'passed', connect: 'passed', tls: 'passed', authenticate: 'passed', deliver: 'passed' },
      object_lock: 'skipped',
    });
    const id = body.connection_id;
    await syslog.kill();
    for (let minute = 0; minute < 10; minute++) {
      await happening(`minute ${minute}`);
      await service.get('/api/v1/users', { apiKey: 'ak_nobody' });
      now += MINUTE;
    }
    const failing = await eventually('a failure is told of', async () => {
      const found = await get(id);
      return found.status === 'failing' && found;
    });
    expect(failing.last_error).toMatch(/^connect: /);
    await syslog.start();
    now += 10 * MINUTE;
    await happening('afterwards');
    const { position } = await caughtUp(id);
    const expected = (await sealedFrom(body.position)).slice(0, position - body.position);
    const received = await eventually('all of them are written', async () => {
      const found = syslog.received().filter((message) => message.msgid !== 'connection.test');
      return found.length >= expected.length && found;
    });
    // What was delivered when the server was killed may have come twice: it is told by its id.
    expect([...new Set(received.map(({ record_id }) => record_id))].slice(0, expected.length)).toEqual(expected);
    expect(received[0]).toMatchObject({ program: 'ashlar', host: '127.0.0.1' });
    for (const { message, record_id } of received) expect(JSON.parse(message).id).toBe(record_id);
    expect((await service.call('DELETE', `${CONNECTIONS}/${id}`)).status).toBe(204);
    expect((await service.get(`${CONNECTIONS}/${id}`)).status).toBe(404);
  });

  it('presents a client certificate, whose key is never answered', async () => {
    const clients = createAuthority(folder, 'clients');
    const strict = await createSyslogServer(folder, authority, clients);
    await strict.start();
    const { certificate, key } = clients.issue('ashlar');
    const base = { transport: 'syslog', host: '127.0.0.1', port: strict.port, ca: authority.certificate };
    const without = await service.post(CONNECT, { type: 'siem', name: 'strict', settings: base });
    expect(without.status).toBe(422);
    expect(verdicts(without.body.error.details.steps)).toMatchObject({ tls: 'passed', authenticate: 'failed' });
    const settings = { ...base, certificate, private_key: key };
    const made = await service.post(CONNECT, { type: 'siem', name: 'strict', settings });
    expect([made.status, made.body.secrets]).toEqual([201, ['private_key']]);
    expect(made.text).not.toContain('PRIVATE KEY');
    await service.call('DELETE', `${CONNECTIONS}/${made.body.connection_id}`);
    await strict.kill();
  });
});

describe('a connection by HTTPS', () => {
  it('sends batches with bearer token and signature, and repeats what was not taken', async () => {
    const to = await collector();
    const made = await service.post(
      CONNECT,
      https(to.url, { token: 'collector-token', hmac_secret: 'shared', batch_size: 2 }),
    );
    expect([made.status, made.body.secrets]).toEqual([201, ['token', 'hmac_secret']]);
    to.state.status = 503;
    for (let i = 0; i < 5; i++) await happening();
    await eventually('a failure', async () => (await get(made.body.connection_id)).failures > 0);
    to.state.status = 200;
    now += 10 * MINUTE;
    await happening();
    await caughtUp(made.body.connection_id);
    const expected = await sealedFrom(made.body.position);
    const events = to.events();
    expect(events.map(({ record_id }) => record_id)).toEqual(expected.slice(0, events.length));
    expect(events.length).toBeGreaterThanOrEqual(6);
    const [{ headers, body } = { headers: {}, body: '' }] = to.batches;
    const [, t, v1] = /^t=(\d+),v1=(\w+)$/.exec(String(headers['ashlar-signature'])) ?? [];
    expect(headers.authorization).toBe('Bearer collector-token');
    expect(v1).toBe(createHmac('sha256', 'shared').update(`${t}.${body}`).digest('hex'));
    await service.call('DELETE', `${CONNECTIONS}/${made.body.connection_id}`);
    await to.close();
  });

  it('keeps secrets for the place that they were given for, and nowhere else', async () => {
    const [to, elsewhere] = [await collector(), await collector()];
    const { connection_id: id } = (await service.post(CONNECT, https(to.url, { token: 'for-the-first' }))).body;
    const settings = https(elsewhere.url).settings;
    const moved = await service.call('PATCH', `${CONNECTIONS}/${id}`, { settings });
    expect([moved.status, moved.body.secrets]).toEqual([200, []]);
    expect(elsewhere.batches[0]?.headers.authorization).toBeUndefined();
    const same = await service.call('PATCH', `${CONNECTIONS}/${id}`, { settings: { ...settings, token: 'second' } });
    const again = await service.call('PATCH', `${CONNECTIONS}/${id}`, { settings: { ...settings, batch_size: 7 } });
    expect([same.body.secrets, again.body.secrets, again.body.settings.batch_size]).toEqual([['token'], ['token'], 7]);
    expect(elsewhere.batches.at(-1)?.headers.authorization).toBe('Bearer second');
    await service.call('DELETE', `${CONNECTIONS}/${id}`);
    await Promise.all([to.close(), elsewhere.close()]);
  });

  it('ends when who made it is revoked, is demoted, or the account is frozen; somebody else lets it begin again', async () => {
    const to = await collector();
    const mine = await service.key();
    const { connection_id: id } = (await service.post(CONNECT, https(to.url), { apiKey: mine })).body;
    const { made_by } = await get(id);
    await happening('before');
    await caughtUp(id);
    await service.call('DELETE', `/api/v1/api-keys/${made_by.id}`);
    const stopped = await eventually('it ends', async () => {
      const found = await get(id);
      return found.status === 'stopped' && found;
    });
    expect(stopped.stopped_reason).toContain(`${made_by.id}, which set it up, was revoked`);
    const count = to.events().length;
    await happening('not delivered');
    const resumed = await service.call('PATCH', `${CONNECTIONS}/${id}`, { enabled: true });
    expect([resumed.status, resumed.body.status, resumed.body.stopped_reason]).toEqual([200, 'active', null]);
    await caughtUp(id);
    expect(to.events().length).toBeGreaterThan(count);
    expect(to.events().map(({ position }) => position)).toEqual(
      [...to.events().keys()].map((i) => to.events()[0].position + i),
    );
    await service.call('DELETE', `${CONNECTIONS}/${id}`);
    await to.close();
  });

  it('may be made only by who may read the audit log, and of the own account', async () => {
    const to = await collector();
    const blind = await service.key({ scopes: ['connections:write'] });
    const { status, body } = await service.post(CONNECT, https(to.url), { apiKey: blind });
    expect([status, body.error.message]).toEqual([403, expect.stringContaining('compliance:read')]);
    const other = await service.anotherAccount();
    const service_log = await service.post(CONNECT, https(to.url, { log: 'service' }), { apiKey: other.apiKey });
    expect(service_log.status).toBe(403);
    const made = await service.post(CONNECT, https(to.url));
    const path = `${CONNECTIONS}/${made.body.connection_id}`;
    expect((await service.get(path, { apiKey: other.apiKey })).status).toBe(404);
    // Nor does anybody else stop it.
    for (const [method, change] of [
      ['PATCH', { enabled: false }],
      ['DELETE', undefined],
    ] as const)
      expect((await service.call(method, path, change, { apiKey: blind })).status).toBe(403);
    expect((await service.get(path)).body.status).toBe('active');
    await service.call('DELETE', `${CONNECTIONS}/${made.body.connection_id}`);
    await to.close();
  });

  it.each([
    ['a private address', https('https://10.1.2.3/x'), 400, 'settings.url'],
    ['a port of the system', https('https://collector.example.com:22/'), 400, 'settings.url'],
    ['a user in the URL', https('https://a:b@collector.example.com/'), 400, 'settings.url'],
    [
      'a private syslog host',
      { ...https(''), settings: { transport: 'syslog', host: '169.254.169.254' } },
      400,
      'settings.host',
    ],
    ['no such transport', { ...https(''), settings: { transport: 'smtp' } }, 400, 'settings.transport'],
    ['an unknown field', https('https://collector.example.com/', { tokn: 'x' }), 400, 'settings.tokn'],
  ])('refuses %s by its field', async (_, body, status, field) => {
    const answer = await service.post(CONNECT, body);
    expect([answer.status, answer.body.error.details.field]).toEqual([status, field]);
  });

  it('follows no redirect, and makes nothing of a failed try', async () => {
    const to = await collector();
    to.state.status = 302;
    const { status, body } = await service.post(CONNECT, https(to.url));
    expect([status, body.error.details.code]).toEqual([422, 'connection_failed']);
    expect(body.error.details.steps.find(({ verdict }: Json) => verdict === 'failed')).toMatchObject({
      step: 'deliver',
    });
    expect((await service.get(CONNECTIONS)).body.pagination.total).toBe(0);
    await to.close();
  });

  it('gives up a server that says nothing, and others are delivered to meanwhile', async () => {
    const [silent, to] = [await silentServer(), await collector()];
    const made = (await service.post(CONNECT, https(to.url))).body;
    const asked = service.post(CONNECT, https(`http://127.0.0.1:${silent.port}/`), {
      apiKey: (await service.anotherAccount('slow')).apiKey,
    });
    await happening();
    await caughtUp(made.connection_id);
    const { status, body } = await asked;
    expect([status, body.error.message]).toEqual([422, expect.stringContaining('it took too long')]);
    await service.call('DELETE', `${CONNECTIONS}/${made.connection_id}`);
    await Promise.all([silent.close(), to.close()]);
  });
});

describe('a webhook', () => {
  const webhook = (settings: Json = {}): Json => ({
    ...{ type: 'webhook', name: 'orders' },
    settings: { url: 'https://127.0.0.1/orders', events: ['transaction.*'], ...settings },
  });
  const refused = async (body: Json, apiKey = service.adminKey): Promise<Json> => {
    const { status, body: answer } = await service.post(CONNECT, body, { apiKey });
    return [status, answer.error?.details.field];
  };

  it('is the one that POST /webhooks makes, with its secret once, and is no connection beside', async () => {
    const { status, body, text } = await service.post(CONNECT, webhook());
    expect(status, text).toBe(201);
    const { secret, ...made } = body;
    expect(secret).toMatch(/^whsec_/);
    expect(made).toMatchObject({ description: 'orders', events: ['transaction.*'], ordered: true, enabled: true });
    expect((await service.get(`/api/v1/webhooks/${made.webhook_id}`)).body).toEqual(made);
    expect(JSON.stringify((await service.get(CONNECTIONS)).body)).not.toContain(made.webhook_id);
    await service.call('DELETE', `/api/v1/webhooks/${made.webhook_id}`);
  });

  it('takes what that takes: the scope, readable events, a public address, wallets of the account', async () => {
    const scopes = ['connections:write', 'transactions:read'];
    const connector = await service.key({ name: 'connector', role: 'admin', scopes });
    expect(await refused(webhook(), connector)).toEqual([403, '']);
    const both = await service.key({ name: 'both', role: 'admin', scopes: [...scopes, 'webhooks:write'] });
    expect(await refused(webhook({ events: ['transaction.*', 'key.expiring'] }), both)).toEqual([
      403,
      'settings.events[1]',
    ]);
    expect(await refused(webhook({ url: 'https://169.254.169.254/' }), both)).toEqual([400, 'settings.url']);
    expect(await refused(webhook({ wallets: ['wal_3mVb1k7Q2xYt9LpRw0Zc5A'] }), both)).toEqual([
      400,
      'settings.wallets[0]',
    ]);
    expect(await refused(webhook({ description: 'twice' }), both)).toEqual([400, 'settings.description']);
    expect((await service.post(CONNECT, webhook(), { apiKey: both })).status).toBe(201);
  });
});

describe('an archive', () => {
  it('holds the whole log after an outage, in segments whose proofs hold', async () => {
    const settings = s3Settings({ prefix: 'ashlar/', batch_size: 10, max_age_seconds: 60 });
    const made = await service.post(CONNECT, { type: 'archive', name: 'archive', settings });
    expect([made.status, made.body.locked_until, made.body.position]).toEqual([201, null, 0]);
    expect(made.text).not.toContain('"S3RVER"]');
    await s3.stop();
    for (let minute = 0; minute < 10; minute++) {
      await happening();
      now += MINUTE;
    }
    await eventually('a failure', async () => (await get(made.body.connection_id)).failures > 0);
    await s3.start();
    now += 10 * MINUTE;
    await happening();
    now += 2 * MINUTE;
    await happening();
    const { position } = await eventually('all that is old enough is there', async () => {
      const found = await get(made.body.connection_id);
      return found.failures === 0 && found.lag.seconds <= 60 && found.position > 20 && found;
    });
    const names = (await s3.names()).filter((name) => name.includes('.ndjson'));
    const verifier = createExportVerifier([]);
    for (const name of names) for (const line of (await s3.text(name)).trimEnd().split('\n')) verifier.take(line);
    expect(verifier.end()).toMatchObject([{ log: service.accountId, size: position }]);
    await service.call('DELETE', `${CONNECTIONS}/${made.body.connection_id}`);
  });

  it('is claimed to be locked only where the store says so', async () => {
    const locked = { type: 'archive', name: 'locked', settings: s3Settings({ retention_days: 30 }) };
    const refused = await service.post(CONNECT, locked);
    expect(refused.status).toBe(422);
    expect(verdicts(refused.body.error.details.steps)).toMatchObject({ deliver: 'passed', object_lock: 'failed' });
    const store = await lockingStore(s3.endpoint);
    const made = await service.post(CONNECT, { ...locked, settings: { ...locked.settings, endpoint: store.endpoint } });
    expect([made.status, made.body.locked_until]).toEqual([201, new Date(now + 30 * 24 * 60 * MINUTE).toISOString()]);
    await service.call('DELETE', `${CONNECTIONS}/${made.body.connection_id}`);
    await store.close();
  });

  it('is not made with a wrong key', async () => {
    const store = await lockingStore(s3.endpoint);
    const settings = s3Settings({ secret_access_key: 'wrong', endpoint: store.endpoint });
    const { status, body } = await service.post(CONNECT, { type: 'archive', name: 'archive', settings });
    expect([status, body.error.message]).toEqual([422, expect.stringContaining('SignatureDoesNotMatch')]);
    expect(verdicts(body.error.details.steps)).toMatchObject({
      connect: 'passed',
      tls: 'skipped',
      authenticate: 'failed',
    });
    await store.close();
  });
});
