/** Trends and predictions through HTTP, of deposits on many days. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FEE_TARGETS } from '../../../src/core/analytics/fee-forecast.ts';
import type { BlockHash } from '../../../src/core/outpoint.ts';
import { startTestApp, type TestApp } from '../../builders/app.ts';
import { openTemporarySqlite, type TemporarySqlite } from '../../builders/stores.ts';

const DAY_MS = 86_400_000;
let now = Date.parse('2026-09-07T12:00:00Z');
let service: TestApp;
let sqlite: TemporarySqlite;
let address: string;
const asked = (path: string) => service.get(`/api/v1/analytics/${path}`);

beforeAll(async () => {
  sqlite = await openTemporarySqlite();
  service = await startTestApp({ store: sqlite.store, clock: () => now });
  const wallet = (await service.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' })).body;
  ({ address } = (await service.post(`/api/v1/wallets/${wallet.wallet_id}/addresses`)).body);
  for (let day = 0; day < 29; day++) {
    await service.post('/api/v1/bitcoin/blocks', { count: day % 7 === 5 ? 9 : 2, address });
    await service.synced();
    now += DAY_MS;
  }
});
afterAll(async () => {
  await service.close();
  await sqlite.close();
});

it('a trend is that of whole days, with the week that it repeats', async () => {
  const { status, body, text } = await asked('trends?metric=deposits&range=30d');
  expect(status, text).toBe(200);
  expect(body).toMatchObject({
    ...{ metric: 'deposits', unit: 'count', interval: 'day', range: '30d', moving_average_over: 7 },
    trend: { slope: '0', direction: 'none' },
    change: { current: '86', previous: '0', absolute: '86', relative: null },
    seasonality: { period: 7 },
    anomalies: [],
  });
  expect(body.data).toHaveLength(29);
  expect(body.data[5]).toMatchObject({ start: '2026-09-12T00:00:00.000Z', value: '9' });
});

it('a prediction goes on with the week', async () => {
  const { status, body, text } = await asked('predictions?metric=deposits&horizon=7d');
  expect(status, text).toBe(200);
  expect(body).toMatchObject({ history: 29, model: expect.stringMatching(/^seasonal/), interval: 'day' });
  expect(body.data.map(({ point }: { point: string }) => Math.round(Number(point)))).toEqual([2, 2, 2, 2, 9, 2, 2]);
  expect(body.data[0].intervals.map(({ level }: { level: number }) => level)).toEqual([50, 80, 95]);
});

it('too short a history is said, and another account has none', async () => {
  const { status, body } = await asked('predictions?metric=deposits&horizon=30d');
  expect([status, body.error.details]).toMatchObject([422, { code: 'not_enough_data', field: 'query.metric' }]);
  expect(body.error.message).toContain('29 complete days of history; this takes at least 60');
  const { apiKey } = await service.anotherAccount('other');
  const other = await service.get('/api/v1/analytics/trends?metric=deposits', { apiKey });
  expect([other.status, other.body.error.details.code]).toEqual([422, 'not_enough_data']);
  expect((await asked('trends?metric=deposit')).body.error.details).toMatchObject({ field: 'query.metric' });
});

it('feerates are predicted by target', async () => {
  const refused = async (query: string) => {
    const { status, body } = await asked(`predictions?${query}`);
    return [status, body.error.details.code, body.error.details.field];
  };
  expect(await refused('metric=fee_rate&target=144')).toEqual([422, 'not_enough_data', 'query.target']);
  expect(await refused('metric=fee_rate&target=5')).toEqual([400, 'invalid_value', 'query.target']);
  expect(await refused('metric=fee_rate&horizon=7d')).toEqual([400, 'invalid_value', 'query.horizon']);
  expect(await refused('metric=deposits&target=6')).toEqual([400, 'invalid_value', 'query.target']);
  const intervals = { 50: [1_000, 1_000], 80: [900, 1_000], 95: [900, 999] } as const;
  const said = Object.fromEntries(FEE_TARGETS.map((one) => [one, { mempool: 800, estimate: null, intervals }]));
  const { height: tip, best_block_hash: tipHash } = (await service.get('/api/v1/blockchain/status')).body;
  await sqlite.store.write(async (tx) => {
    await tx.feeObservations.deleteOutside(tip, tip);
    for (let height = tip - 59; height <= tip; height++) {
      const blockHash = height === tip ? tipHash : (`${height}`.padStart(64, '0') as BlockHash);
      await tx.feeObservations.put({ height, blockHash, seenAt: now, needed: 1_000, said: said as never });
    }
  });
  now += 60_000;
  const { status, body, text } = await asked('predictions?metric=fee_rate&target=6');
  expect(status, text).toBe(200);
  const shown = [50, 80, 95].map((level) => ({ level, low: '1', high: '1' }));
  const calibration = [50, 80, 95].map((level) => ({ level, share: level === 95 ? 0 : 1, of: 54 }));
  const data = [{ target: 6, model: 'last', history: 52, point: '1', intervals: shown, calibration }];
  expect(body).toEqual({ metric: 'fee_rate', unit: 'sat/vB', data });
});

it('a day that stands out names the records behind it, to those who may read them', async () => {
  await service.post('/api/v1/bitcoin/blocks', { count: 40, address });
  await service.synced();
  now += DAY_MS;
  const of = async (apiKey: string) => {
    const { status, body, text } = await service.get('/api/v1/analytics/trends?metric=volume_in', { apiKey });
    expect(status, text).toBe(200);
    return body;
  };
  const all = await of(await service.key({ role: 'viewer', scopes: ['analytics:read', 'transactions:read'] }));
  expect(all).toMatchObject({ records_of: 'transactions', records_withheld: null });
  const { start, end, records, records_complete: complete } = all.anomalies.at(-1);
  expect([start, end, complete]).toEqual(['2026-10-06T00:00:00.000Z', '2026-10-07T00:00:00.000Z', true]);
  expect(new Set(records).size).toBe(5);
  const amounts: string[] = [];
  for (const txid of records) {
    const { body } = await service.get(`/api/v1/transactions/${txid}`);
    const { time } = (await service.app.store.read.ledger.blockAt(body.block_height))!;
    expect([Date.parse(start) <= time * 1_000, time * 1_000 < Date.parse(end)]).toEqual([true, true]);
    amounts.push(body.amount);
  }
  expect(amounts).toEqual(amounts.toSorted().reverse());
  const some = await of(await service.key({ role: 'viewer', scopes: ['analytics:read'] }));
  expect(some).toMatchObject({ records_of: 'transactions', records_withheld: 'the scope transactions:read' });
  expect(some.anomalies.at(-1)).toMatchObject({ start, records: null, records_complete: null });
});
