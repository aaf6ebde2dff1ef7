/** GET /api/v1/compliance/status. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../builders/app.ts';
import { sealed } from '../../builders/audit.ts';
import { type ApprovalsApp, startApprovalsApp } from './approvals-app.ts';

const STATUS = '/api/v1/compliance/status';
const DAY = 86_400_000;
let app: ApprovalsApp;

beforeAll(async () => {
  app = await startApprovalsApp();
});
afterAll(() => app?.close());

const checks = async (options = {}): Promise<Record<string, Json>> => {
  const { status, body } = await app.get(STATUS, options);
  expect(status).toBe(200);
  return Object.fromEntries(body.checks.map((check: Json) => [check.id, check]));
};

it('shows each check with its figures, and since when its status stands; of the service to its administrators alone', async () => {
  const { store } = app.app;
  await sealed(store);
  await app.person({ role: 'admin' });
  await app.post('/api/v1/wallets', { name: 'Kept here', type: 'segwit', backup_type: 'none' });
  const before = await checks();
  expect(Object.keys(before)).toEqual([
    ...['audit-log', 'audit-log-service', 'audit-anchors', 'key-rotation', 'second-factor', 'policies'],
    ...['wallet-backups', 'database-backup', 'unconfirmed', 'chain-agreement'],
  ]);
  expect(before['second-factor']).toMatchObject({
    status: 'fail',
    evidence: { people_without: 1, administrators_without: 1 },
  });
  expect(before.policies).toMatchObject({ status: 'warn', evidence: { in_force: 0, default_action: 'allow' } });
  expect(before['key-rotation']).toMatchObject({ status: 'pass', evidence: { overdue: 0, oldest_at: null } });
  expect(before['wallet-backups']).toMatchObject({ status: 'warn', evidence: { overdue: 1, never_backed_up: 1 } });
  expect(before['database-backup']).toMatchObject({ status: 'unknown' });

  const walletId = before['wallet-backups'].ids[0];
  expect((await app.post(`/api/v1/wallets/${walletId}/backup`, {})).status).toBe(200);
  await app.rules({ amountOverSats: 2_000_000_000n });
  await store.write((tx) => tx.settings.set('database.backup', String(Date.parse('2026-11-21T12:00:00Z'))));
  expect((await checks())['wallet-backups']).toMatchObject({ status: 'pass', ids: [] });
  app.advance(400 * DAY);
  const after = await checks();
  expect(after.policies).toMatchObject({ status: 'pass', since: '2026-11-21T12:00:00.000Z' });
  expect(after['second-factor'].since).toBe(before['second-factor'].since);
  expect(after['key-rotation']).toMatchObject({
    ...{ status: 'warn', since: '2027-11-21T12:00:00.000Z', ids: expect.arrayContaining([expect.any(String)]) },
    evidence: { overdue: expect.any(Number), oldest_at: '2026-11-21T12:00:00.000Z' },
  });
  expect(after['wallet-backups'].evidence.oldest_at).toBe('2026-11-21T12:00:00.000Z');
  expect(after['database-backup']).toMatchObject({ status: 'fail', since: '2026-12-21T12:00:00.000Z' });

  const { apiKey } = await app.anotherAccount();
  const others = await checks({ apiKey });
  expect(Object.keys(others)).not.toContain('audit-log-service');
  expect(others.policies).toMatchObject({ status: 'warn', evidence: { in_force: 0 } });
  expect(others['wallet-backups']).toMatchObject({ status: 'pass', ids: [] });
});

it('names records only to who may read them', async () => {
  const apiKey = await app.key({ role: 'operator', scopes: ['compliance:read', 'users:read', 'wallets:read'] });
  const seen = await checks({ apiKey });
  const shown = Object.values(seen).map(({ id, ids }) => [id, ids !== null]);
  expect(shown).toEqual([
    ['audit-log', false],
    ['audit-anchors', false],
    ['key-rotation', false],
    ['second-factor', false],
    ['policies', false],
    ['wallet-backups', true],
    ['unconfirmed', false],
    ['chain-agreement', false],
  ]);
  for (const given of [{ role: 'viewer' }, { role: 'operator', scopes: ['policies:read'] }] as const)
    expect((await app.get(STATUS, { apiKey: await app.key(given) })).status).toBe(403);
});
