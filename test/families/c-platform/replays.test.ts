/** Replays of rules over an account's payments, over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOUR_MS, WAITING_HOUR } from '../../../src/core/policies/windows.ts';
import type { Json, TestAnswer } from '../../builders/app.ts';
import { transactionRecord, walletRecord } from '../../builders/store-records.ts';
import { writeHistory } from '../../services/policies/replay-history.ts';
import { outsider } from '../../services/transactions/payments-setup.ts';
import { type ApprovalsApp, startApprovalsApp } from './approvals-app.ts';

const BASE = '/api/v1/enterprise/policies/replays';
const deny = { action: 'deny', message: 'no' };
const ceiling = { name: 'Ceiling', when: { amount_over: '0.015' }, then: deny };
const perHour = { name: 'Third', when: { window: { hours: 2, per: 'account', amount_over: '0.000025' } }, then: deny };
let app: ApprovalsApp;

beforeAll(async () => {
  app = await startApprovalsApp();
});
afterAll(() => app.close());

const start = (body: Json, apiKey?: string) =>
  app.post(
    '/api/v1/enterprise/policies/replay',
    { from: '2000-01-01T00:00:00Z', ...body },
    { ...(apiKey && { apiKey }) },
  );
const refusal = ({ status, body: { error } }: TestAnswer) => [status, error?.details.code, error?.details.field];

/** Another account, with a past; some of it waits for signatures since before, of 1,000 payees each. */
async function withHistory(name: string, payments: number, waiting = 0) {
  const { accountId, apiKey } = await app.anotherAccount(name);
  const walletId = `wal_${name}` as const;
  const { store } = app.app;
  await store.write((tx) => tx.wallets.insert(walletRecord(walletId, { accountId })));
  const payees = Array.from({ length: 1_000 }, (_, payee) => ({ scope: 'destination' as const, subject: `${payee}` }));
  const waits = {
    ...{ accountId, walletId, status: 'awaiting_signature' as const, createdAt: 399_000 * HOUR_MS },
    counts: payees.map((one) => ({ ...one, hour: WAITING_HOUR, amountSats: 1_000n, count: 1 })),
    asked: { operation: 'payment', user: null, credential: 'key_a', role: 'admin', fee: '100' },
  } as const;
  await store.write(async (tx) => {
    for (let at = 0; at < waiting; at++)
      await tx.transactions.insert(transactionRecord(`${name} waits ${at}`, waits), [], []);
  });
  await writeHistory(store, accountId, walletId, payments);
  return apiKey;
}

it('a short past is answered at once: each payment that would be decided otherwise, and what is assumed', async () => {
  const small = (await app.pay()).body;
  const recipients = [{ address: outsider('another'), amount: '0.02000000' }];
  const large = (await app.pay({ recipients })).body;
  const book = { name: 'bank', address: outsider('payee') };
  const entry = (await app.post('/api/v1/enterprise/address-book', book)).body.address_book_id;
  const toBank = { name: 'Bank', when: { destinations: { address_book: [entry] } }, then: { action: 'allow' } };
  app.advance(1_000);

  const answer = await start({ policies: [ceiling] });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({
    ...{ status: 'done', progress: 1, payments: 2, differing: 1, unjudged: 0 },
    before: { allowed: 2, approvals: 0, denied: 0 },
    after: { allowed: 1, approvals: 0, denied: 1 },
    policies: [{ policy_id: 'proposed-1', name: 'Ceiling' }],
    differences: [
      {
        ...{ txid: large.txid, amount: '0.02000000', before: null },
        after: {
          action: 'deny',
          rules: [{ name: 'Ceiling', matched: { amount_over: '0.02000000 above 0.01500000' } }],
        },
      },
    ],
    assumptions: expect.arrayContaining([expect.stringContaining('Windows add up what was really spent')]),
  });
  const { replay_id: id } = answer.body;
  expect((await app.get(`${BASE}/${id}`)).body).toEqual(answer.body);
  expect((await app.get(`${BASE}/${id}/differences`)).body.data).toEqual(answer.body.differences);
  expect((await app.get(BASE)).body.data.map(({ replay_id }: Json) => replay_id)).toContain(id);

  // By the address book as it is now: no rule looked at payees then.
  const onlyBank = await start({ policies: [toBank], default_action: 'deny' });
  expect(onlyBank.body.differences.map(({ txid }: Json) => txid)).toEqual([large.txid]);
  const until = await start({ policies: [{ ...ceiling, when: {} }], to: small.created_at });
  expect(until.body).toMatchObject({ payments: 0, differences: [] });
  // Nothing is in force.
  expect((await app.get('/api/v1/enterprise/policies')).body.data).toEqual([]);
});

it('a long past is gone through after the answer', { timeout: 60_000 }, async () => {
  const apiKey = await withHistory('long', 1_200);
  const answer = await start({ policies: [perHour] }, apiKey);
  expect([answer.status, answer.body.status, answer.body.progress]).toEqual([202, 'running', 0]);
  const path = `${BASE}/${answer.body.replay_id}`;
  await expect.poll(async () => (await app.get(path, { apiKey })).body.status, { timeout: 30_000 }).toBe('done');
  const done = (await app.get(path, { apiKey })).body;
  expect(done).toMatchObject({ progress: 1, payments: 1_200, differing: 1_198, after: { allowed: 2, denied: 1_198 } });
  expect(done.differences).toHaveLength(20);
  const page = (await app.get(`${path}/differences?limit=100`, { apiKey })).body;
  expect(page.pagination).toMatchObject({ has_more: true });
  expect(page.data[0].txid).toBe(done.differences[0].txid);
});

it('so is a short one beside payments to thousands that wait: they are added up, too', async () => {
  const since = { policies: [perHour], from: new Date(400_002 * HOUR_MS).toISOString() };
  const statusOf = async (waiting: number) =>
    (await start(since, await withHistory(`beside-${waiting}`, 3, waiting))).body.status;
  expect([await statusOf(4), await statusOf(6)]).toEqual(['done', 'running']);
});

it('one that runs ends when it is deleted; only five of an account run', { timeout: 60_000 }, async () => {
  const apiKey = await withHistory('cancelled', 6_000);
  // At once, so that none is done before the last is asked for.
  const answers = await Promise.all(Array.from({ length: 6 }, () => start({ policies: [perHour] }, apiKey)));
  const made = answers.filter(({ status }) => status === 202).map(({ body }) => body);
  const refused = answers.filter(({ status }) => status !== 202);
  expect([made.length, ...refused.map((one) => refusal(one).slice(0, 2))]).toEqual([5, [409, 'state_conflict']]);
  for (const { replay_id } of made.toReversed())
    expect((await app.call('DELETE', `${BASE}/${replay_id}`, undefined, { apiKey })).status).toBe(204);
  expect((await app.get(BASE, { apiKey })).body.data).toEqual([]);
  expect((await app.get(`${BASE}/${made[0].replay_id}`, { apiKey })).status).toBe(404);
});

it("another account's replay is not there, nor what its rules name; times and rights are asked for", async () => {
  const { replay_id: id } = (await start({ policies: [ceiling] })).body;
  const { apiKey } = await app.anotherAccount('stranger');
  const paths = [`${BASE}/${id}`, `${BASE}/${id}/differences`];
  for (const path of paths) expect(refusal(await app.get(path, { apiKey }))).toEqual([404, 'not_found', 'replay_id']);
  expect(refusal(await app.call('DELETE', `${BASE}/${id}`, undefined, { apiKey }))[0]).toBe(404);
  expect((await app.get(BASE, { apiKey })).body.data).toEqual([]);
  const foreign = { ...ceiling, when: { wallets: [app.walletId] } };
  expect(refusal(await start({ policies: [foreign] }, apiKey))).toEqual([
    404,
    'not_found',
    'policies[0].when.wallets[0]',
  ]);
  expect(refusal(await start({ from: '2999-01-01T00:00:00Z' }))).toEqual([400, 'invalid_value', 'from']);
  const viewer = await app.key({ role: 'viewer', scopes: ['*'] });
  expect((await start({ policies: [ceiling] }, viewer)).status).toBe(403);
});
