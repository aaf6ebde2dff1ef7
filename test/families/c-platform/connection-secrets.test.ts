/** What a connection's settings keep secret, against servers that say back all that they are sent: nothing else ever shows it. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../../src/app/log.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { eventually } from '../../builders/service-process.ts';

const CANARY = 'canary-7f3a9c';
let now = Date.UTC(2026, 10, 21, 12);
let app: TestApp;
let logged = '';
let echo: Server;
let status = 200;
const sent: string[] = [];
/** Of every answer but what a secret was given in. */
const answered: string[] = [];

beforeAll(async () => {
  echo = createServer((request, response) => {
    const said: string[] = [JSON.stringify(request.headers)];
    request.on('data', (piece) => said.push(String(piece)));
    request.on('end', () => {
      sent.push(said.join(''));
      const code = String(request.headers.authorization ?? '').replace('Bearer ', '');
      response.writeHead(status, { 'x-echo': code.slice(0, 200), etag: code.slice(0, 80) });
      response.end(
        request.method === 'HEAD' ? '' : `<Error><Code>${code}</Code><Message>${said.join('')}</Message></Error>`,
      );
    });
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const log = createLog('trace', {
    write(line: string) {
      logged += line;
    },
  });
  app = await startTestApp({ clock: () => now, log, env: { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } });
});
afterAll(async () => {
  await app.close();
  echo.close();
});

const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
  const answer = await app.call(method, path, body);
  answered.push(`${path}: ${answer.text} ${JSON.stringify(answer.headers)}`);
  return { ...answer.body, httpStatus: answer.status };
};
const origin = () => `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
const pem = (kind: string) =>
  `-----BEGIN ${kind}-----\n${Buffer.from(CANARY.repeat(4)).toString('base64')}\n-----END ${kind}-----\n`;
const S3 = () => ({
  transport: 's3',
  endpoint: origin(),
  region: 'r',
  bucket: 'b',
  access_key_id: 'id',
  secret_access_key: `${CANARY}-s3`,
});
const HTTPS = () => ({
  transport: 'https',
  url: `${origin()}/in`,
  token: `${CANARY}-token`,
  hmac_secret: `${CANARY}-hmac`,
});
const SYSLOG = {
  transport: 'syslog',
  host: '127.0.0.1',
  port: 6514,
  certificate: pem('CERTIFICATE'),
  private_key: pem('PRIVATE KEY'),
};

it('not in answers, errors, events, the audit log, the log, the metrics or the database', async () => {
  const connect = (type: string, settings: Json) =>
    call('POST', '/api/v1/enterprise/connect', { type, name: 'c', settings });
  // Refused: by the schema, by the other side, by what is no key.
  status = 403;
  for (const settings of [
    HTTPS(),
    { ...HTTPS(), url: `${origin()}/a b` },
    { ...HTTPS(), more: `${CANARY}-more` },
    { ...HTTPS(), token: [`${CANARY}-list`] },
  ])
    expect((await connect('siem', settings)).httpStatus).toBeGreaterThanOrEqual(400);
  for (const settings of [S3(), { ...S3(), endpoint: `http://${CANARY}:${CANARY}@127.0.0.1/` }, { ...S3(), region: 7 }])
    expect((await connect('archive', settings)).httpStatus).toBeGreaterThanOrEqual(400);
  expect((await connect('siem', SYSLOG)).httpStatus).toBeGreaterThanOrEqual(400);
  // Made, delivered, refused later, changed.
  status = 200;
  const made = await connect('siem', HTTPS());
  expect(made.httpStatus).toBe(201);
  const path = `/api/v1/enterprise/connections/${made.connection_id}`;
  status = 500;
  await call('POST', '/api/v1/oauth-clients', { name: 'x', scopes: ['wallets:read'] });
  await eventually('a failure', async () => (await call('GET', path)).failures > 0);
  await call('PATCH', path, { settings: { ...HTTPS(), token: `${CANARY}-second` } });
  status = 200;
  expect((await call('PATCH', path, { settings: { ...HTTPS(), token: `${CANARY}-third` } })).httpStatus).toBe(200);
  now += 600_000;
  await call('POST', '/api/v1/oauth-clients', { name: 'y', scopes: ['wallets:read'] });
  await eventually('it has caught up', async () => (await call('GET', path)).lag.events === 0);
  for (const seen of [
    '/api/v1/enterprise/status',
    '/api/v1/enterprise/connections',
    '/api/v1/compliance/audit?limit=100',
    '/api/v1/compliance/audit/export',
    '/metrics',
  ])
    await call('GET', seen);
  // The token was sent to the one it is for, so that there was something to say back.
  expect(sent.join('')).toContain(`${CANARY}-token`);
  const { data } = await call('GET', '/api/v1/compliance/audit?limit=100');
  expect(data.length).toBeGreaterThan(8);
  const secrets = [CANARY, Buffer.from(CANARY.repeat(4)).toString('base64').slice(0, 40)];
  const files = readdirSync(app.dataDir).filter((name) => name.startsWith('ashlar.db'));
  const texts = {
    answers: answered.join('\n'),
    log: logged,
    deliveries: sent.map((one) => one.replace(/"authorization":"[^"]*"/, '')).join('\n'),
    database: files.map((name) => readFileSync(join(app.dataDir, name), 'latin1')).join(''),
  };
  expect(files.length).toBeGreaterThan(0);
  expect(logged.length).toBeGreaterThan(1_000);
  for (const [where, text] of Object.entries(texts))
    for (const secret of secrets) {
      const at = text.indexOf(secret);
      expect(at < 0 ? null : [where, text.slice(Math.max(0, at - 80), at + 80)]).toBeNull();
    }
});
