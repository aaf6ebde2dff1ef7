/** Reports of tax lots, over HTTP: the example of docs/compliance.md. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { madeReport } from '../../builders/report-recipes.ts';
import { transactionRecord, walletRecord } from '../../builders/store-records.ts';

const now = Date.parse('2026-11-24T12:00:00Z');
const PRICES = 'date,EUR\n2025-01-10,90000\n2025-06-10,70000\n2025-12-10,80000\n2026-02-10,100000.50\n';
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ clock: () => now });
  const walletId = 'wal_Taxed';
  await app.app.store.write(async (tx) => {
    await tx.wallets.insert(walletRecord(walletId, { accountId: app.accountId }));
    const add = async (day: string, height: number, receivedSats: bigint, sentSats: bigint, more: Json = {}) =>
      tx.transactions.insert(
        transactionRecord(day, {
          ...{ accountId: app.accountId, walletId, status: 'confirmed', blockHeight: height, feeSats: 10_000n },
          ...{ createdAt: Date.parse(`${day}T10:00:00Z`), direction: sentSats > 0n ? 'outgoing' : 'incoming', ...more },
        }),
        [],
        [{ walletId, receivedSats, sentSats }],
      );
    // Recorded later than it was mined.
    await add('2025-06-10', 200, 100_000_000n, 0n);
    await add('2025-01-10', 100, 100_000_000n, 0n);
    await add('2025-12-10', 300, 0n, 10_000n, { direction: 'internal' });
    await add('2026-02-10', 400, 49_990_000n, 200_000_000n - 10_000n);
    await add('2026-03-10', 500, 0n, 20_000_000n);
    await add('2026-03-11', 501, 1n, 0n, { status: 'broadcast', blockHeight: null });
  });
});
afterAll(() => app.close());

const made = (body: Json) =>
  madeReport((method, path, sent) => app.call(method, path, sent), 'compliance', {
    ...{ type: 'tax-lots', from: '2025-01-01T00:00:00Z', prices: PRICES },
    ...body,
  });

it.each([
  ['fifo', ['9.00', '89991.00', '35007.00']],
  ['lifo', ['7.00', '69993.00', '45009.00']],
  ['hifo', ['9.00', '89991.00', '35007.00']],
])('%s: rows in the order of the chain, gains by the prices that were given', async (method, order) => {
  const { content } = await made({ method });
  const { rows, summary } = content.body;
  const figures = Object.fromEntries(Object.entries(summary).filter(([name]) => name !== 'notes'));
  expect(figures).toMatchObject({ method, currency: 'EUR', acquired: '2.00000000', disposed: '1.70010000' });
  expect(rows.map((row: Json) => [row.kind, row.amount])).toEqual([
    ['fee', '0.00010000'],
    ['payment', '0.99990000'],
    ['payment', '0.50010000'],
    ['payment', '0.20000000'],
  ]);
  expect(rows[0]).toMatchObject({ proceeds: '0.00', cost: order[0], gain: `-${order[0]}` });
  expect(rows.slice(1, 3).map(({ cost }: Json) => cost)).toEqual(order.slice(1));
  expect(Number(rows[1].proceeds) + Number(rows[2].proceeds)).toBeCloseTo(149_990.75, 6);
  expect(rows[3]).toMatchObject({ proceeds: null, gain: null, acquired_at: rows[2].acquired_at });
  expect(figures).toMatchObject({ without_price: 1, remaining: '0.29990000' });
});

it('specific identification: what the lots name, by the method that was said else, or a failure that names the line', async () => {
  const past = (await made({ method: 'fifo' })).content.body.rows;
  const [oldest, newest] = [past[1], past[2]].map((row: Json) => row.acquired_txid);
  const header = 'txid,acquired_txid,amount\n';
  const lots = `${header}${past[1].txid},${newest},1\n`;
  const { content } = await made({ method: 'specific', otherwise: 'fifo', lots });
  expect(
    content.body.rows.slice(0, 3).map((row: Json) => [row.acquired_txid, row.amount, row.cost, row.method]),
  ).toEqual([
    ...[
      [oldest, '0.00010000', '9.00', 'fifo'],
      [newest, '1.00000000', '70000.00', 'specific'],
    ],
    [oldest, '0.50000000', '45000.00', 'fifo'],
  ]);
  expect(content.body.summary).toMatchObject({ method: 'specific', otherwise: 'fifo', identified: '1.00000000' });

  const failed = async (body: Json) => {
    const asked = await app.post('/api/v1/compliance/report', {
      ...{ type: 'tax-lots', from: '2025-01-01T00:00:00Z', prices: PRICES, method: 'specific', ...body },
    });
    const path = `/api/v1/compliance/reports/${asked.body.report_id}`;
    await expect.poll(async () => (await app.call('GET', path)).body.status, { timeout: 60_000 }).toBe('failed');
    return (await app.call('GET', path)).body.reason;
  };
  expect(await failed({ lots })).toContain(`0.00010000 of 0.00010000 BTC that ${past[0].txid} disposes of`);
  expect(await failed({ lots: `${lots}${past[1].txid},${past[0].txid},0.1\n`, otherwise: 'hifo' })).toContain(
    'line 3 ',
  );
});

const LOTS = 'txid,acquired_txid,amount\n';
it.each([
  [{ method: 'specific' }, 'lots'],
  [{ method: 'specific', lots: `${LOTS}x` }, 'line 2 of the lots'],
  [{ method: 'fifo', lots: LOTS }, 'lots'],
  [{ method: 'fifo', otherwise: 'lifo' }, 'otherwise'],
  [{ method: 'specific', lots: LOTS, prices: '[' }, 'prices'],
  [{ method: undefined }, 'method'],
  [{ method: 'avco' }, 'method'],
  [{ method: 'fifo', prices: undefined }, 'prices'],
  [{ method: 'fifo', prices: 'date,EUR\n2026-01-01,x' }, 'prices'],
])('refuses %j, naming %s', async (body, field) => {
  const { status, body: answer } = await app.post('/api/v1/compliance/report', {
    ...{ type: 'tax-lots', from: '2025-01-01T00:00:00Z', prices: PRICES, ...body },
  });
  expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringContaining(field)]);
});
