/** Trends and predictions through HTTP, of deposits on many days. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../builders/app.ts';

const DAY_MS = 86_400_000;
let now = Date.parse('2026-09-07T12:00:00Z');
let service: TestApp;
const asked = (path: string) => service.get(`/api/v1/analytics/${path}`);

beforeAll(async () => {
  service = await startTestApp({ clock: () => now });
  const wallet = (await service.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' })).body;
  const { address } = (await service.post(`/api/v1/wallets/${wallet.wallet_id}/addresses`)).body;
  for (let day = 0; day < 29; day++) {
    await service.post('/api/v1/bitcoin/blocks', { count: day % 7 === 5 ? 9 : 2, address });
    await service.synced();
    now += DAY_MS;
  }
});
afterAll(() => service.close());

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
  expect(body.error.message).toContain('a history of 29 days; 60 are needed');
  const { apiKey } = await service.anotherAccount('other');
  const other = await service.get('/api/v1/analytics/trends?metric=deposits', { apiKey });
  expect([other.status, other.body.error.details.code]).toEqual([422, 'not_enough_data']);
  expect((await asked('trends?metric=deposit')).body.error.details).toMatchObject({ field: 'query.metric' });
});
