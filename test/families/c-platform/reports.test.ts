/** Reports of both kinds, over HTTP. */
import { createHash } from 'node:crypto';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { harmless } from '../../../src/core/reports/cells.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { madeReport } from '../../builders/report-recipes.ts';
import { transactionRecord, walletRecord } from '../../builders/store-records.ts';

const FROM = '2020-01-01T00:00:00Z';
let app: TestApp;
let now = Date.parse('2026-11-24T12:00:00Z');

beforeAll(async () => {
  app = await startTestApp({ clock: () => now });
  await addPayments(app.accountId, 'wal_reported', 3, '=HYPERLINK("http://evil")');
});
afterAll(() => app.close());

async function addPayments(accountId: AccountId, walletId: `wal_${string}`, count: number, label: string) {
  await app.app.store.write(async (tx) => {
    await tx.wallets.insert(walletRecord(walletId, { accountId }));
    for (let at = 0; at < count; at++) {
      const record = transactionRecord(`${walletId}${at}`, { accountId, walletId, label, status: 'broadcast' });
      const effects = [{ walletId, receivedSats: 10n, sentSats: 1_234_567_890_123_456n }];
      await tx.transactions.insert({ ...record, createdAt: now - 1_000 }, [], effects);
    }
  });
}

const made = (kind: 'analytics' | 'compliance', body: Json, apiKey?: string) =>
  madeReport((method, path, sent) => app.call(method, path, sent, apiKey === undefined ? {} : { apiKey }), kind, body);

it('CSV: formulas are harmless, amounts exact, the digest and name are those of the file', async () => {
  const { report, content } = await made('analytics', { type: 'activity', from: FROM, format: 'csv' });
  expect(report).toMatchObject({ status: 'done', rows: 3, progress: { done: 3, of: 3 }, wallets: null });
  const lines = content.text.split('\r\n');
  expect(lines).toHaveLength(5);
  expect(lines[1]).toContain(`12345678.90123456,-12345678.90123446,`);
  expect(lines[1]).toContain(`,"'=HYPERLINK(""http://evil"")",`);
  const digest = createHash('sha256').update(content.text);
  expect(content.headers['repr-digest']).toBe(`sha-256=:${digest.copy().digest('base64')}:`);
  expect([report.sha256, report.size]).toEqual([digest.digest('hex'), Buffer.byteLength(content.text)]);
  expect(content.headers['content-type']).toContain('text/csv');
  expect(content.headers['content-disposition']).toBe('attachment; filename="activity-2020-01-01-2026-11-24.csv"');
});

it.each([
  ['x;=1', "x;'=1"],
  ['x;"=1"', `x;'"=1"`],
  ['\n=1', "'\n'=1"],
  ['＝1', "'＝1"],
  ['a-b; c', 'a-b; c'],
])('a spreadsheet runs nothing of %j', (text, wanted) => expect(harmless(text)).toBe(wanted));

it('JSON of some wallets, in a time zone, with a summary', async () => {
  await addPayments(app.accountId, 'wal_AnotherOneOfTheAccount', 1, 'rent');
  const asked = { type: 'activity', from: FROM, timezone: 'Europe/Zurich', wallets: ['wal_AnotherOneOfTheAccount'] };
  const { content } = await made('analytics', asked);
  expect(content.body).toMatchObject({
    rows: [{ time: '2026-11-24T12:59:59.000+01:00', label: 'rent', sent: '12345678.90123456' }],
    summary: { sent: '12345678.90123456', rows_counted: 1 },
  });
  now += 1_000;
  const log = async () => (await app.get('/api/v1/compliance/audit?operation=analytics-report.create')).body.data;
  await expect.poll(async () => (await log())[0].seal).not.toBeNull();
  const audited = (await made('compliance', { type: 'audit', from: FROM })).content.body;
  expect(audited.rows.map(({ operation }: Json) => operation)).toContain('analytics-report.create');
});

it('each type gives what its records say', async () => {
  const zero = '0.00000000';
  // Each pays 12345678.90123456 and gets 0.00000010 back.
  const paid = { status: 'broadcast', direction: 'outgoing' };
  const of = async (kind: 'analytics' | 'compliance', type: string, more: Json = {}) =>
    (await made(kind, { type, from: '2026-11-01T00:00:00Z', wallets: ['wal_ReportedOfTheAccount01'], ...more })).content
      .body;
  await addPayments(app.accountId, 'wal_ReportedOfTheAccount01', 2, 'rent');
  const fees = await of('analytics', 'fees');
  expect(fees.rows[0]).toMatchObject({ ...{ fee: '0.00000141', vsize: 141, fee_rate: 1 }, fee_rate: '1.000' });
  expect(fees.summary).toMatchObject({ transactions: 2, fees: '0.00000282', mean_fee_rate: '1.000' });
  const flow = await of('analytics', 'cash-flow', { timezone: 'America/New_York' });
  expect(
    flow.rows.every(
      ({ start }: Json) => start.endsWith('T00:00:00.000-04:00') || start.endsWith('T00:00:00.000-05:00'),
    ),
  ).toBe(true);
  expect(flow.rows.filter(({ net }: Json) => net !== zero)).toHaveLength(1);
  // in + moved - out - fees
  expect(flow.summary).toEqual({
    in: zero,
    out: '24691357.80246610',
    moved: zero,
    fees: '0.00000282',
    net: '-24691357.80246892',
  });
  const transactions = await of('compliance', 'transactions');
  expect(transactions.rows).toHaveLength(2);
  expect(transactions.rows[0]).toMatchObject({ ...paid, label: 'rent', fee: '0.00000141' });
  const review = await of('compliance', 'access-review', { wallets: undefined });
  expect(review.rows.find(({ kind, status }: Json) => kind === 'api_key' && status === 'active')).toMatchObject({
    role: 'admin',
    scopes: '*',
  });
  const whole = { wallets: undefined };
  expect((await of('analytics', 'contracts', whole)).rows).toEqual([]);
  expect((await of('analytics', 'usage', whole)).summary.requests).toBeTypeOf('number');
});

it('XLSX: a spreadsheet reads exact numbers, and text that is no formula', async () => {
  const { path, report } = await made('analytics', { type: 'activity', from: FROM, format: 'xlsx' });
  const { rawPayload } = await app.app.http.inject({
    url: `${path}/content`,
    headers: { host: app.host, authorization: `Bearer ${app.adminKey}` },
  });
  expect([rawPayload.length, createHash('sha256').update(rawPayload).digest('hex')]).toEqual([
    report.size,
    report.sha256,
  ]);
  const parts = unzipSync(rawPayload);
  const [rows = '', summary = ''] = [1, 2].map((n) => strFromU8(parts[`xl/worksheets/sheet${n}.xml`] as Uint8Array));
  expect(rows.match(/<row>/g)).toHaveLength(1 + report.rows);
  // 16 digits are more than a spreadsheet keeps.
  expect(rows).toContain('<c t="inlineStr"><is><t xml:space="preserve">12345678.90123456</t></is></c>');
  expect(rows).toContain('<c s="2"><v>0.00000010</v></c>');
  expect(rows).toContain('<t xml:space="preserve">=HYPERLINK(&quot;http://evil&quot;)</t>');
  expect(rows).not.toContain('<f>');
  expect(summary).toContain('rows_counted');
});

it('PDF: its text can be found', async () => {
  const { path } = await made('analytics', { type: 'activity', from: FROM, format: 'pdf' });
  const { rawPayload } = await app.app.http.inject({
    url: `${path}/content`,
    headers: { host: app.host, authorization: `Bearer ${app.adminKey}` },
  });
  expect(rawPayload.subarray(0, 5).toString()).toBe('%PDF-');
  expect(rawPayload.length).toBeGreaterThan(2_000);
});

it('each kind takes its own scopes, and the content the rights for what is in it', async () => {
  const scoped = (...scopes: string[]) => app.key({ role: 'operator', scopes });
  const analyst = await scoped('analytics:write', 'transactions:read');
  const counter = await scoped('analytics:write');
  const asked = { type: 'activity', from: FROM };
  const { report } = await made('analytics', asked, analyst);
  const audited = (await made('compliance', { type: 'audit', from: FROM })).report;
  const get = async (path: string, apiKey: string) => (await app.get(`/api/v1/${path}`, { apiKey })).status;
  expect(await get(`analytics/reports/${report.report_id}/content`, analyst)).toBe(200);
  expect(await get(`analytics/reports/${report.report_id}/content`, counter)).toBe(403);
  expect((await app.post('/api/v1/analytics/report', asked, { apiKey: counter })).status).toBe(403);
  expect(
    (await app.call('DELETE', `/api/v1/analytics/reports/${report.report_id}`, undefined, { apiKey: counter })).status,
  ).toBe(403);
  expect(await get(`compliance/reports/${audited.report_id}`, analyst)).toBe(403);
  // One kind's path does not lead to the other's.
  expect(await get(`analytics/reports/${audited.report_id}/content`, analyst)).toBe(404);
  const foreign = (await app.anotherAccount()).apiKey;
  expect(await get(`analytics/reports/${report.report_id}`, foreign)).toBe(404);
});

it('what is cancelled or expired is gone', async () => {
  const { report, path } = await made('analytics', { type: 'activity', from: FROM });
  const kept = (await made('analytics', { type: 'activity', from: FROM })).path;
  expect((await app.call('DELETE', path)).status).toBe(204);
  expect((await app.get(path)).body).toMatchObject({ status: 'cancelled', sha256: report.sha256 });
  expect([(await app.get(`${path}/content`)).status, (await app.call('DELETE', path)).status]).toEqual([410, 204]);
  now += 7 * 86_400_000 + 1;
  expect((await app.get(kept)).body.status).toBe('expired');
  expect((await app.get(`${kept}/content`)).body.error.details.code).toBe('gone');
  const { reports } = app.app.services as unknown as { reports: { sweep(): Promise<number> } };
  expect(await reports.sweep()).toBeGreaterThan(0);
  expect(await reports.sweep()).toBe(0);
});

it('a request that cannot be made is refused by its field', async () => {
  const refused = async (body: Json) =>
    (await app.post('/api/v1/analytics/report', { type: 'activity', from: FROM, ...body })).body.error.details.field;
  expect(await refused({ from: '2999-01-01T00:00:00Z' })).toBe('from');
  expect(await refused({ wallets: ['wal_0000000000000000000000'] })).toBe('wallets[0]');
  expect(await refused({ type: 'audit' })).toBe('type');
  const audit = { type: 'audit', from: FROM, wallets: ['wal_AnotherOneOfTheAccount'] };
  expect((await app.post('/api/v1/compliance/report', audit)).body.error.details.field).toBe('wallets');
});
