/** GET /api/v1/enterprise/status. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startTestApp } from '../../builders/app.ts';
import { type ApprovalsApp, startApprovalsApp } from './approvals-app.ts';

const STATUS = '/api/v1/enterprise/status';
const HOUR = 3_600_000;
let app: ApprovalsApp;

beforeAll(async () => {
  app = await startApprovalsApp({ limits: true });
});
afterAll(() => app?.close());

it('shows rules in force, what waits and since when, and what was decided no more', async () => {
  const { body: none } = await app.get(STATUS);
  expect(none).toMatchObject({ policies: { in_force: 0, disabled: 0 }, approvals: { waiting: 0, oldest_at: null } });
  await app.rules({ amountOverSats: 1n }, { amountOverSats: 2_000_000_000n });
  const first = await app.waiting();
  app.advance(HOUR);
  await app.waiting();
  const { body } = await app.get(STATUS);
  expect(body).toMatchObject({
    ...{ default_action: 'allow', policies: { in_force: 2, disabled: 0 }, connections: [] },
    approvals: { waiting: 2, oldest_at: '2026-11-21T12:00:00.000Z' },
  });
  const { apiKey } = await app.anotherAccount();
  expect((await app.get(STATUS, { apiKey })).body).toMatchObject({ ...none, quota: expect.anything() });
  const { body: config } = await app.get('/api/v1/enterprise/config');
  expect(body.config_version).toBe(config.version);
  const rule = (await app.get('/api/v1/enterprise/policies')).body.data[1].policy_id;
  await app.call('PATCH', `/api/v1/enterprise/policies/${rule}`, { enabled: false });
  await app.vote(first.approval_id, await app.voice('usr_bob'), { decision: 'reject' });
  const { body: later } = await app.get(STATUS);
  expect(later).toMatchObject({
    ...{ config_version: body.config_version + 1, policies: { in_force: 1, disabled: 1 } },
    approvals: { waiting: 1, oldest_at: '2026-11-21T13:00:00.000Z' },
  });
});

it('shows the quota of the credential that asks, and what it has used', async () => {
  const quota = async (apiKey: string) => (await app.get(STATUS, { apiKey })).body.quota;
  const own = await app.key({ tier: 'custom', limits: { requests_per_day: 100 } });
  await app.get(STATUS, { apiKey: own });
  const resets_at = '2026-11-22T00:00:00.000Z';
  expect(await quota(own)).toEqual({ requests_per_day: 100, requests_used: 2, resets_at });
  expect(await quota(await app.key({ tier: 'custom', limits: null }))).toEqual({
    ...{ requests_per_day: null, requests_used: null, resets_at },
  });
});

it('goes on counting a quota after a restart', async () => {
  const options = {
    limits: true,
    clock: () => Date.parse('2026-11-21T12:00:00Z'),
    dataDir: mkdtempSync(join(tmpdir(), 'ashlar-quota-')),
  } as const;
  onTestFinished(() => rmSync(options.dataDir, { recursive: true, force: true }));
  const first = await startTestApp(options);
  const apiKey = await first.key({ tier: 'custom', limits: { requests_per_day: 4 } });
  for (let n = 0; n < 3; n++) expect((await first.get(STATUS, { apiKey })).status).toBe(200);
  await first.close();
  const second = await startTestApp(options);
  onTestFinished(() => second.close());
  expect((await second.get(STATUS, { apiKey })).body.quota).toMatchObject({ requests_used: 4 });
  expect((await second.get(STATUS, { apiKey })).status).toBe(429);
});

it.each([
  ['operator', ['policies:read'], [false, false]],
  ['operator', ['policies:read', 'approvals:read', 'connections:read'], [true, false]],
  ['admin', ['policies:read', 'connections:read'], [false, true]],
  ['admin', ['policies:write', 'approvals:write', 'connections:write'], [true, true]],
] as const)('shows a credential of role %s with %j only what that may read', async (role, scopes, expected) => {
  const { status, body } = await app.get(STATUS, { apiKey: await app.key({ role, scopes }) });
  expect(status).toBe(200);
  expect([body.approvals !== null, body.connections !== null]).toEqual(expected);
});

it('is not for viewers, nor without policies:read', async () => {
  const answers = [
    await app.get(STATUS, { apiKey: await app.key({ role: 'viewer', scopes: ['policies:read'] }) }),
    await app.get(STATUS, { apiKey: await app.key({ role: 'admin', scopes: ['connections:read', 'approvals:read'] }) }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([403, 403]);
});
