/** Metrics through HTTP: figures of payments and deposits, by time zone, wallet, status and type. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatBtc } from '../../../src/core/amount.ts';
import { METRIC_NAMES, METRICS } from '../../../src/core/metrics/metric-table.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';

const PATH = '/api/v1/metrics/detailed';
const ELSEWHERE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
/** In Kathmandu it is the 25th already. */
const START = Date.parse('2026-11-24T18:30:00Z');
let now = START;
let service: TestApp;
let wallet: string;
let other: string;
let fee: string;

const newWallet = async (): Promise<string> =>
  (await service.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' })).body.wallet_id;
async function pay(wallet_id: string, address: string, amount: string): Promise<Json> {
  const body = { recipients: [{ address, amount }], fee_rate: '2', rbf: true, wallet_id };
  const answer = await service.post('/api/v1/transactions', body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
async function detailed(query: string, apiKey?: string): Promise<Json> {
  const { status, body, text } = await service.get(`${PATH}?${query}`, apiKey === undefined ? {} : { apiKey });
  expect(status, text).toBe(200);
  return body;
}
const values = async (query: string, apiKey?: string): Promise<string[]> =>
  (await detailed(query, apiKey)).data.map((bucket: Json) => bucket.value);

beforeAll(async () => {
  service = await startTestApp({ clock: () => now });
  wallet = await newWallet();
  other = await newWallet();
  const { address } = (await service.post(`/api/v1/wallets/${wallet}/addresses`)).body;
  await service.post('/api/v1/bitcoin/blocks', { count: 101, address });
  await service.synced();
  now += 60_000;
  ({ fee } = await pay(wallet, ELSEWHERE, '0.25'));
});
afterAll(() => service.close());

it('a payment counts when it is made, and in its block at the time of that; in another time zone the day is another', async () => {
  const day = 'interval=day&from=2026-11-23T00:00:00Z';
  expect(await values(`metric=volume_out&${day}`)).toEqual(['0.00000000', '0.25000000']);
  expect(await values(`metric=fees_paid&${day}`)).toEqual(['0.00000000', fee]);
  const share = (BigInt(fee.replace('.', '')) * 1_000_000n) / 25_000_000n;
  expect(await values(`metric=fee_share&${day}`)).toEqual(['0.000000', `0.${String(share).padStart(6, '0')}`]);
  const kathmandu = await detailed(`metric=volume_out&${day}&timezone=Asia/Kathmandu`);
  expect(kathmandu).toMatchObject({ unit: 'btc', from: '2026-11-22T18:15:00.000Z', to: '2026-11-25T18:15:00.000Z' });
  expect(kathmandu.data.map(({ value, partial }: Json) => [value, partial])).toEqual([
    ...[
      ['0.00000000', false],
      ['0.00000000', false],
      ['0.25000000', true],
    ],
  ]);
  now += 3_600_000;
  await service.post('/api/v1/bitcoin/blocks', { count: 1 });
  await service.synced();
  const mined = (await service.app.store.read.ledger.tip())!.time * 1_000;
  const hours = await detailed('metric=transactions&interval=hour&from=2026-11-24T18:00:00Z&group_by=status');
  const confirmed = hours.data.findLast(({ groups }: Json) => groups.confirmed !== undefined);
  expect([Date.parse(confirmed.start) <= mined, mined < Date.parse(confirmed.end)]).toEqual([true, true]);
  expect(hours.data.some(({ groups }: Json) => groups.broadcast !== undefined)).toBe(false);
});

it('are grouped by wallet and type, or of one wallet; the value is of the whole account', async () => {
  const { address } = (await service.post(`/api/v1/wallets/${other}/addresses`)).body;
  await pay(wallet, address, '1');
  await service.post('/api/v1/bitcoin/blocks', { count: 1 });
  await service.synced();
  await pay(other, ELSEWHERE, '0.5');
  const day = `interval=month&from=2026-11-24T00:00:00Z`;
  const byWallet = await detailed(`metric=volume_out&${day}&group_by=wallet`);
  expect(byWallet.data).toMatchObject([
    { value: '0.75000000', groups: { [wallet]: '0.25000000', [other]: '0.50000000' }, partial: true },
  ]);
  expect(await values(`metric=volume_out&${day}&wallet_id=${other}`)).toEqual(['0.50000000']);
  const [{ groups }] = (await detailed(`metric=transactions&${day}&group_by=type`)).data;
  expect(groups).toMatchObject({ outgoing: '2', internal: '1' });
  expect(await values(`metric=deposits&${day}`)).toEqual([groups.incoming]);
});

it('a balance is what blocks say at the end of each interval, also where all of it came before', async () => {
  const { ledger, coins } = service.app.store.read;
  const { height } = (await ledger.tip())!;
  const balanceOf = async (walletId: string): Promise<bigint> => {
    const { confirmedSats, immatureSats } = await coins.balanceAt(service.accountId, walletId as 'wal_1', height);
    return confirmedSats + immatureSats;
  };
  const [one, two] = [await balanceOf(wallet), await balanceOf(other)];
  const { data } = await detailed('metric=balance&interval=month&from=2026-11-24T00:00:00Z&group_by=wallet');
  const groups = { [wallet]: formatBtc(one), [other]: formatBtc(two) };
  expect(data).toMatchObject([{ value: formatBtc(one + two), groups }]);
  now += 3 * 86_400_000;
  expect(await values(`metric=balance&interval=hour&wallet_id=${other}`)).toEqual(new Array(25).fill(formatBtc(two)));
  const { body } = await service.get('/api/v1/metrics/summary?range=24h');
  expect(body.metrics.find(({ name }: Json) => name === 'balance')).toMatchObject({
    ...{ value: formatBtc(one + two), before: formatBtc(one + two), change: '0.00000000', by_status: {} },
  });
  now -= 3 * 86_400_000;
});

it('a summary has each metric with that of the range before, and the requests of this account alone', async () => {
  const before = await service.get('/api/v1/metrics/summary?range=7d');
  expect(before.status, before.text).toBe(200);
  const of = (body: Json, name: string) => body.metrics.find((metric: Json) => metric.name === name);
  expect(before.body.metrics.map(({ name }: Json) => name)).toEqual(METRIC_NAMES);
  const { value } = of(before.body, 'volume_out');
  expect(of(before.body, 'volume_out')).toMatchObject({ value: '0.75000000', before: '0.00000000', change: value });
  expect(Number(of(before.body, 'transactions').by_status.confirmed)).toBeGreaterThan(1);
  now += 7 * 86_400_000;
  const { body } = await service.get('/api/v1/metrics/summary?range=7d');
  expect(of(body, 'volume_out')).toMatchObject({ value: '0.00000000', before: value, change: `-${value}` });
  const { accountId, apiKey } = await service.anotherAccount('asking');
  for (const path of ['wallets', 'wallets', 'nowhere']) await service.get(`/api/v1/${path}`, { apiKey });
  service.app.services.usage.count({ accountId, credential: { id: 'key_one' } } as never, 503, 2_000);
  await service.app.services.usage.flush();
  const its = (await service.get('/api/v1/metrics/summary', { apiKey })).body;
  expect(of(its, 'requests')).toMatchObject({ value: '4', by_status: { ok: '2', refused: '1', error: '1' } });
  expect(of(its, 'error_share').value).toBe('0.250000');
  expect(of(its, 'latency_p95').value).toBe('2048');
  expect(await values('metric=requests&interval=hour', apiKey)).toContain('4');
  const year = await service.get('/api/v1/analytics/trends?metric=requests&range=1y', { apiKey });
  expect([year.status, year.body.error.details.code]).toEqual([422, 'not_enough_data']);
  now -= 7 * 86_400_000;
});

it('requests by credential: of each key and person, for those who may see what each uses', async () => {
  const { accountId, apiKey } = await service.anotherAccount('by credential');
  const ask = 'metric=requests&interval=hour&group_by=credential';
  const key = async (body: Json): Promise<Json> => {
    const made = await service.post('/api/v1/api-keys', { name: 'k', ...body }, { apiKey });
    expect(made.status, made.text).toBe(201);
    return made.body;
  };
  const viewer = await key({ role: 'viewer', scopes: ['metrics:read', 'usage:read'] });
  const operator = await key({ role: 'operator', scopes: ['metrics:read', 'usage:read'] });
  const unscoped = await key({ role: 'admin', scopes: ['metrics:read'] });
  for (const one of [viewer, unscoped]) {
    const { status, body } = await service.get(`${PATH}?${ask}`, { apiKey: one.api_key });
    expect([status, body.error.details.field]).toEqual([403, 'query.group_by']);
  }
  const { usage } = service.app.services;
  const count = (id: string, status: number) => usage.count({ accountId, credential: { id } } as never, status, 100);
  for (const status of [200, 200, 503]) count('usr_one', status);
  await usage.flush();
  const last = async (query: string) => (await detailed(query, operator.api_key)).data.at(-1);
  const { value, groups } = await last(ask);
  expect(groups).toMatchObject({ usr_one: '3', [viewer.api_key_id]: '1', [unscoped.api_key_id]: '1' });
  expect(groups).not.toHaveProperty('other');
  expect(value).toBe(`${Object.values(groups).reduce((sum: number, one) => sum + Number(one), 0)}`);
  const shares = await last('metric=error_share&group_by=credential');
  expect(shares.groups).toMatchObject({ usr_one: '0.333333', [viewer.api_key_id]: '0.000000' });
  expect((await last('metric=latency_p95&group_by=credential&interval=week')).groups.usr_one).toBe('128');
});

it('of another account are none, and its wallets are not there', async () => {
  const { apiKey } = await service.anotherAccount();
  const day = 'interval=day&from=2026-11-24T00:00:00Z';
  expect(new Set(await values(`metric=transactions&${day}&group_by=status`, apiKey))).toEqual(new Set(['0']));
  const answer = await service.get(`${PATH}?metric=transactions&wallet_id=${wallet}`, { apiKey });
  expect([answer.status, answer.body.error.details.field]).toEqual([404, 'query.wallet_id']);
  const reader = await service.key({ role: 'viewer', scopes: ['wallets:read'] });
  expect((await service.get(`${PATH}?metric=transactions`, { apiKey: reader })).status).toBe(403);
});

describe('a question that cannot be answered says which parameter is wrong, and what would do', () => {
  it.each([
    ['metric=transactions&interval=hour&from=2026-01-01T00:00:00Z', 'interval', 'ask for day'],
    [
      'metric=transactions&interval=minute&from=2026-11-10T00:00:00Z&to=2026-11-10T01:00:00Z',
      'interval',
      'hour or longer',
    ],
    ['metric=transactions&from=2008-01-01T00:00:00Z', 'from', '2009'],
    ['metric=transactions&from=2027-01-01T00:00:00Z', 'from', 'earlier'],
    ['metric=contracts&group_by=wallet', 'group_by', 'must be status'],
    ['metric=contracts&wallet_id=wal_3mVb1k7Q2xYt9LpRw0Zc5A', 'wallet_id', 'absent'],
    ['metric=requests&from=2026-01-01T00:00:00Z', 'from', '100 days'],
    ['metric=transactions&group_by=credential', 'group_by', 'must be wallet'],
    ['metric=requests&group_by=credential&interval=minute', 'interval', 'hour or longer'],
    ['metric=requests&group_by=credential&timezone=Asia/Kathmandu', 'timezone', 'whole hours'],
    ['metric=balance_of_trade', 'metric', 'volume_out'],
    ['metric=transactions&timezone=Mars/Phobos', 'timezone', 'IANA'],
  ])('%s', async (query, field, meant) => {
    const { status, body } = await service.get(`${PATH}?${query}`);
    expect([status, body.error.details.field]).toEqual([400, `query.${field}`]);
    expect(body.error.message).toContain(meant);
  });
});

it('1,000 days are answered, one more is refused', async () => {
  const from = (days: number) => new Date(now - days * 86_400_000).toISOString();
  const { data } = await detailed(`metric=transactions&from=${from(998)}&timezone=Asia/Kathmandu`);
  expect(data).toHaveLength(999);
  expect(data.at(-1).partial).toBe(true);
  expect((await service.get(`${PATH}?metric=transactions&from=${from(1_001)}`)).status).toBe(400);
});

it('minutes are swept once nobody may ask for them; all else stays', async () => {
  const { sweep } = service.app.services.metrics;
  const quarters = 'metric=transactions&interval=month&timezone=Asia/Kathmandu&from=2026-11-24T00:00:00Z';
  const before = await values(quarters);
  expect(await sweep()).toBe(0);
  now += 9 * 86_400_000;
  expect(await sweep()).toBeGreaterThan(0);
  expect(await sweep()).toBe(0);
  expect((await values(quarters))[0]).toEqual(before[0]);
  const { usage } = service.app.services;
  const caller = { accountId: service.accountId, credential: { id: 'key_one' } } as never;
  for (let n = 0; n < 16; n++) for (const status of [200, 400, 500]) usage.count(caller, status, 2 ** n);
  await usage.flush();
  now += 100 * 86_400_000;
  expect(await sweep()).toBeGreaterThan(0);
  expect(await sweep()).toBe(0);
  now += 33 * 86_400_000;
  expect(await sweep()).toBeGreaterThan(0);
  expect((await values(quarters))[0]).toEqual(before[0]);
});

it('docs/metrics.md and /names list each metric with unit, meaning and groups', async () => {
  const { body } = await service.get('/api/v1/metrics/names');
  expect(body.data.map(({ name }: Json) => name)).toEqual(METRIC_NAMES);
  const text = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
  for (const [name, { unit, meaning, groups }] of Object.entries(METRICS))
    expect(text).toContain(`\n| \`${name}\` | ${unit} | ${meaning} | ${groups.join(', ')} |\n`);
});
