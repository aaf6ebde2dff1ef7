/** Metrics of an account's own, through HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOST_NAMES, MOST_POINTS, MOST_SERIES } from '../../../src/core/metrics/custom-metric.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';

const PATH = '/api/v1/metrics/custom';
const START = Date.parse('2026-11-24T18:30:00Z');
const DAY_MS = 86_400_000;
let now = START;
let service: TestApp;

const time = (at: number): string => new Date(at).toISOString();
const send = (body: Json, apiKey?: string) => service.post(PATH, body, apiKey === undefined ? {} : { apiKey });
async function sent(body: Json, apiKey?: string): Promise<Json> {
  const { status, body: point, text } = await send(body, apiKey);
  expect(status, text).toBe(201);
  return point;
}
const read = (query: string, apiKey?: string) =>
  service.get(`/api/v1/metrics/detailed?${query}`, apiKey === undefined ? {} : { apiKey });

beforeAll(async () => {
  service = await startTestApp({ clock: () => now });
});
afterAll(() => service.close());

it('a counter adds up, exactly, by label and where a point is late; /names lists it to its account alone', async () => {
  const orders = { name: 'orders', kind: 'counter' };
  const point = await sent({ ...orders, value: '99999999999.00000001', labels: { region: 'eu', tier: 'a' } });
  expect(point).toEqual({
    ...{ metric: 'custom.orders', kind: 'counter', value: '99999999999.00000001', at: time(START) },
    labels: { region: 'eu', tier: 'a' },
  });
  await sent({ name: 'orders', value: '0.99999999', labels: { tier: 'b', region: 'eu' } });
  await sent({ name: 'orders', value: '2', labels: { region: 'us' }, at: time(START - 7 * DAY_MS) });
  await sent({ name: 'orders', value: '1' });
  const query = 'metric=custom.orders&from=2026-11-17T00:00:00Z&group_by=label&label=region';
  const { body } = await read(query);
  expect(body).toMatchObject({ metric: 'custom.orders', unit: 'number' });
  expect(body.data.map(({ value, groups }: Json) => [value, groups])).toEqual([
    ['2.00000000', { us: '2.00000000' }],
    ...Array.from({ length: 6 }, () => ['0.00000000', {}]),
    ['100000000001.00000000', { eu: '100000000000.00000000' }],
  ]);
  const names = async (apiKey?: string) =>
    (await service.get('/api/v1/metrics/names', apiKey === undefined ? {} : { apiKey })).body.data.filter((one: Json) =>
      one.name.startsWith('custom.'),
    );
  expect(await names()).toMatchObject([{ name: 'custom.orders', group_by: ['label'], labels: ['region', 'tier'] }]);
  const { apiKey } = await service.anotherAccount();
  expect(await names(apiKey)).toEqual([]);
  expect((await read(query, apiKey)).status).toBe(404);
});

it('a gauge has the mean of its points, and null where there are none', async () => {
  for (const value of ['-1', '2', '0.00000001']) await sent({ name: 'queue', kind: 'gauge', value });
  const { body } = await read('metric=custom.queue&from=2026-11-23T00:00:00Z');
  expect(body.data.map(({ value }: Json) => value)).toEqual([null, '0.33333333']);
});

it('a request that is sent again counts once', async () => {
  const once = { idempotencyKey: 'once' };
  for (const _ of [1, 2])
    expect((await service.post(PATH, { name: 'retried', kind: 'counter', value: '1' }, once)).status).toBe(201);
  expect((await read('metric=custom.retried&interval=hour')).body.data.at(-1).value).toBe('1.00000000');
});

describe('says what is wrong, and what would be right', () => {
  it.each<[Json, number, string, string]>([
    [{ kind: undefined }, 400, 'kind', 'first point'],
    [{ name: 'orders', kind: 'gauge' }, 409, 'kind', 'must be counter'],
    [{ value: '-1' }, 400, 'value', 'counts up'],
    [{ value: 'much' }, 400, 'value', 'decimal'],
    [{ value: '0.000000001' }, 400, 'value', '8 decimals'],
    [{ value: '100000000000' }, 400, 'value', '11 digits'],
    [{ name: 'Orders' }, 400, 'name', 'letter'],
    [{ labels: { a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' } }, 400, 'labels', 'at most 5'],
    [{ labels: { a: 'x'.repeat(65) } }, 400, 'labels.a', '64'],
    [{ at: time(START - 7 * DAY_MS - 1) }, 422, 'at', 'last 7 days'],
    [{ at: time(START + 300_001) }, 422, 'at', '5 minutes'],
  ])('%j', async (wrong, status, field, meant) => {
    const answer = await send({ name: 'wrong', kind: 'counter', value: '1', ...wrong });
    expect([answer.status, answer.body.error.details.field]).toEqual([status, field]);
    expect(answer.body.error.message).toContain(meant);
  });
  it.each([
    ['metric=custom.nothing', 404, 'query.metric'],
    ['metric=custom.orders&group_by=status', 400, 'query.group_by'],
    ['metric=custom.orders&group_by=label', 400, 'query.label'],
    ['metric=custom.orders&group_by=label&label=colour', 400, 'query.label'],
    ['metric=custom.orders&label=region', 400, 'query.label'],
    ['metric=custom.orders&from=2026-01-01T00:00:00Z', 400, 'query.from'],
    ['metric=volume_out&group_by=label&label=region', 400, 'query.group_by'],
  ])('%s', async (query, status, field) => {
    const answer = await read(query);
    expect([answer.status, answer.body.error.details.field]).toEqual([status, field]);
  });
  it('to who may not write metrics', async () => {
    for (const granted of [
      { role: 'viewer', scopes: ['*'] },
      { role: 'operator', scopes: ['metrics:read'] },
    ] as const) {
      const apiKey = await service.key(granted as never);
      expect((await send({ name: 'orders', value: '1' }, apiKey)).status).toBe(403);
    }
  });
});

it('names, sets of labels and points of an account are bounded, and names are free again when their points are gone', async () => {
  const { accountId, apiKey } = await service.anotherAccount('bounded');
  const day = START - (START % DAY_MS);
  const one = { accountId, kind: 'counter', day, points: 0 } as const;
  const { store } = service.app;
  await store.write(async (tx) => {
    for (let n = 1; n < MOST_SERIES; n++)
      await tx.customMetrics.insert({ ...one, name: `n${n % (MOST_NAMES - 1)}`, labels: `[["n","${n}"]]`, series: n });
  });
  const refused = async (body: Json) => {
    const answer = await send({ value: '1', ...body }, apiKey);
    return [answer.status, answer.body.error?.details.field];
  };
  expect(await refused({ name: 'another', kind: 'counter' })).toEqual([201, undefined]);
  expect(await refused({ name: 'one_more', kind: 'counter' })).toEqual([422, 'name']);
  expect(await refused({ name: 'n1', labels: { n: 'more' } })).toEqual([422, 'labels']);
  expect(await refused({ name: 'n1', labels: { n: '1' } })).toEqual([201, undefined]);
  const first = { ...one, name: 'n1', labels: '[["n","1"]]', series: 1 };
  await store.write((tx) => tx.customMetrics.count(first, { day, points: MOST_POINTS - 1 }));
  expect(await refused({ name: 'n1', labels: { n: '1' } })).toEqual([422, 'value']);
  now += DAY_MS;
  expect(await refused({ name: 'n1', labels: { n: '1' } })).toEqual([201, undefined]);
  await store.write(async (tx) => {
    for (let n = 1; n < 20; n++)
      await tx.customMetrics.insert({ ...one, name: 'n1', labels: `[["m","${n}"]]`, series: 1_000 + n });
  });
  const hours = `metric=custom.n1&interval=hour&from=${time(now - 40 * DAY_MS)}&group_by=label&label=m`;
  const wide = await read(hours, apiKey);
  expect([wide.status, wide.body.error?.details.field]).toEqual([400, 'query.interval']);
  now += 135 * DAY_MS;
  expect(await service.app.services.metrics.sweep()).toBeGreaterThan(0);
  expect(await refused({ name: 'one_more', kind: 'counter' })).toEqual([201, undefined]);
  expect(await store.read.customMetrics.totals(accountId, 0)).toMatchObject({ names: 1, series: 1 });
});
