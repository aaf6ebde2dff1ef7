/** A limit bounds what leaves in its window, however long it waited before: for approvals or for signatures. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { psbtFromText } from '../../../src/core/psbt/codec/psbt-text.ts';
import { extractTransaction } from '../../../src/core/psbt/finalizing/extract-transaction.ts';
import { finalizePsbt } from '../../../src/core/psbt/finalizing/finalize-psbt.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import type { Json } from '../../builders/app.ts';
import { cosigner } from '../../builders/cosigner.ts';
import { outsider } from '../../services/transactions/payments-setup.ts';
import { type ApprovalsApp, type Rule, startApprovalsApp, TRANSACTIONS } from './approvals-app.ts';
import { sharedPayments } from './held-kinds.ts';

const HOUR = 3_600_000;
const alice = cosigner('alice');
const MONTH: Rule = { when: { operations: ['payment'] }, expiresInHours: 720 };
/** In 24 hours, satoshis: a payment is of 1,000,000 (shared ones of 400,000). */
const limit = (sats: bigint, then: Json = { action: 'deny', message: 'too much' }): Rule => ({
  when: { window: { hours: 24, per: 'account', amountOverSats: sats } },
  then,
});
let app: ApprovalsApp;
let [ada, root]: [string, string] = ['', ''];
let shared = '';
beforeAll(async () => {
  app = await startApprovalsApp();
  await app.rules();
  const made = await sharedPayments(app, { required: 2, cosigners: [alice.multisigKey] }, 9);
  shared = made[0]!.wallet_id;
  for (const { txid } of made) await app.post(`${TRANSACTIONS}/${txid}/abandon`);
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.rules();
  // What the test before left is in no window any more.
  app.advance(40 * HOUR);
  for (const status of ['awaiting_signature', 'awaiting_approval'])
    expect((await app.get(`${TRANSACTIONS}?status=${status}`)).body.data).toEqual([]);
  ada = await app.voice('usr_ada');
  root = await app.voice('usr_root', { role: 'admin' });
});

const share = () =>
  app.pay({ wallet_id: shared, recipients: [{ address: outsider('payee'), amount: '0.004' }], fee_rate: '40' });
const sign = async ({ txid, psbt }: Json): Promise<Json> =>
  (await app.post(`${TRANSACTIONS}/${txid}/signatures`, { psbt: alice.sign(psbt) })).body;
/** As much, of another wallet. */
const same = () => app.pay({ recipients: [{ address: outsider('payee'), amount: '0.004' }] });
const completeElsewhere = async ({ txid, psbt }: Json) => {
  const signed = finalizePsbt(psbtFromText(alice.sign(psbt)) as PsbtV2).psbt;
  await app.simulated.broadcast(extractTransaction(signed).raw);
  await app.simulated.mine(1, '51');
  await app.synced();
  expect((await app.get(`${TRANSACTIONS}/${txid}`)).body.status).toBe('confirmed');
};
const daysApart = async <T>(count: number, make: () => Promise<T>): Promise<T[]> => {
  const made: T[] = [];
  for (let n = 0; n < count; n++) {
    if (n > 0) app.advance(26 * HOUR);
    made.push(await make());
  }
  return made;
};
const code = ({ status, body }: { status: number; body: Json }) => [status, body.error?.details.code ?? body.status];
const give = async (made: Json[]) => {
  for (const { approval_id } of made) await app.vote(approval_id, ada, { decision: 'reject' });
};

it('payments of three days that wait for approval count today: the third is denied', async () => {
  await app.rules(MONTH, limit(2_500_000n));
  const made = await daysApart(3, () => app.pay());
  expect(made.map(code)).toEqual([
    [202, 'awaiting_approval'],
    [202, 'awaiting_approval'],
    [403, 'policy_denied'],
  ]);
  for (const { body } of made.slice(0, 2)) {
    await app.vote(body.approval_id, ada);
    await app.status(body.txid, 'broadcast');
  }
  await app.rules(limit(2_500_000n));
  expect((await app.pay()).status).toBe(403);
});

it('what waits with others beyond a limit that came later fails with its last vote, until the others have ended', async () => {
  await app.rules(MONTH);
  const made = await daysApart(3, () => app.waiting());
  await app.rules(MONTH, limit(1_500_000n));
  const ends: unknown[] = [];
  for (const { approval_id } of made) ends.push((await app.vote(approval_id, ada)).body.status);
  expect(ends).toEqual(['failed', 'failed', 'approved']);
  await app.status(made[2]!.txid, 'broadcast');
  expect((await app.approval(made[0]!.approval_id)).reason).toContain('too much');
});

it('a limit above which more has to approve it: with its last vote it waits for them', async () => {
  await app.rules(MONTH);
  const made = await daysApart(2, () => app.waiting());
  const more = { action: 'approve', required: 1, from: { roles: ['admin'] }, expiresInHours: 24 };
  await app.rules(MONTH, limit(1_500_000n, more));
  expect((await app.vote(made[0]!.approval_id, ada)).body.status).toBe('pending');
  expect((await app.vote(made[0]!.approval_id, root)).body.status).toBe('approved');
  await app.status(made[0]!.txid, 'broadcast');
  await give(made.slice(1));
});

it('what was approved days after it was made counts in the hour in which it was signed', async () => {
  await app.rules(MONTH);
  const { approval_id, txid } = await app.waiting();
  app.advance(72 * HOUR);
  await app.vote(approval_id, ada);
  await app.status(txid, 'broadcast');
  await app.rules(limit(1_500_000n));
  app.advance(23 * HOUR);
  expect(code(await app.pay())).toEqual([403, 'policy_denied']);
  app.advance(2 * HOUR);
  expect(code(await app.pay())).toEqual([201, 'broadcast']);
});

it('payments that wait for signatures count in every window, and in that of the last signature then', async () => {
  await app.rules(limit(1_000_000n));
  const made = await daysApart(3, share);
  expect(made.map(code)).toEqual([
    [201, 'awaiting_signature'],
    [201, 'awaiting_signature'],
    [403, 'policy_denied'],
  ]);
  for (const { body } of made.slice(0, 2)) expect((await sign(body)).status).toBe('broadcast');
  app.advance(23 * HOUR);
  expect((await share()).status).toBe(403);
  app.advance(2 * HOUR);
  const { body } = await share();
  expect((await sign(body)).status).toBe('broadcast');
});

it('signatures for payments of three days beyond a limit on signatures are refused, until one is abandoned', async () => {
  const made = await daysApart(3, share);
  await app.rules(limit(1_000_000n));
  expect((await sign(made[0]!.body)).error.details.code).toBe('policy_denied');
  await app.post(`${TRANSACTIONS}/${made[2]!.body.txid}/abandon`);
  // Others have its PSBT: it counts for another day.
  expect((await sign(made[0]!.body)).error.details.code).toBe('policy_denied');
  app.advance(26 * HOUR);
  for (const { body } of made.slice(0, 2)) expect((await sign(body)).status).toBe('broadcast');
});

it('what was abandoned and is completed elsewhere counts when it is seen, however long ago that was', async () => {
  await app.rules(limit(500_000n));
  const { txid, psbt } = (await share()).body;
  expect((await app.post(`${TRANSACTIONS}/${txid}/abandon`)).status).toBe(200);
  expect(code(await same())[1]).toBe('policy_denied');
  app.advance(26 * HOUR);
  await completeElsewhere({ txid, psbt });
  expect(code(await same())[1]).toBe('policy_denied');
});

it('a bump that waits for signatures counts in every window, abandoned for another day, and when it is seen', async () => {
  await app.rules(limit(500_000n));
  const paid = await sign((await share()).body);
  app.advance(26 * HOUR);
  const bumped = await app.post(`${TRANSACTIONS}/${paid.txid}/bump`, { fee_rate: '80' });
  expect(code(bumped)).toEqual([201, 'awaiting_signature']);
  expect(code(await same())[1]).toBe('policy_denied');
  app.advance(26 * HOUR);
  expect((await app.post(`${TRANSACTIONS}/${bumped.body.txid}/abandon`)).status).toBe(200);
  app.advance(23 * HOUR);
  expect(code(await same())[1]).toBe('policy_denied');
  app.advance(2 * HOUR);
  const { txid } = (await same()).body;
  app.advance(26 * HOUR);
  await completeElsewhere(bumped.body);
  expect((await app.get(`${TRANSACTIONS}/${paid.txid}`)).body.status).toBe('replaced');
  expect((await app.get(`${TRANSACTIONS}/${txid}`)).body.status).toBe('confirmed');
  expect(code(await same())[1]).toBe('policy_denied');
});
