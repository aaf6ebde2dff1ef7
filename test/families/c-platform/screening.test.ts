/** Screening lists over HTTP, and what they do to payments and contracts. */
import { address as codec, networks, payments } from 'bitcoinjs-lib';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { parseAccept } from '../../../src/core/dlc/messages/accept.ts';
import { parseOffer } from '../../../src/core/dlc/messages/offer.ts';
import type { Json, TestAnswer } from '../../builders/app.ts';
import { cosigner } from '../../builders/cosigner.ts';
import { outsider } from '../../services/transactions/payments-setup.ts';
import { type ApprovalsApp, startApprovalsApp, TRANSACTIONS } from './approvals-app.ts';
import { type ContractSteps, contractSteps } from './contract-steps.ts';
import { sharedPayments } from './held-kinds.ts';

const LISTS = '/api/v1/compliance/screening-lists';
const network = networks.regtest;
const [payee, other] = [outsider('payee'), outsider('other')];
let app: ApprovalsApp;
let contracts: ContractSteps;
let [eve, ada] = ['', ''];
beforeAll(async () => {
  app = await startApprovalsApp();
  const admin = { role: 'admin' as const };
  [eve, ada] = [await app.voice('usr_eve', admin), await app.voice('usr_ada', admin)];
  contracts = await contractSteps(app);
});
afterAll(() => app.close());
afterEach(async () => {
  await app.rules();
  await policyChange(null);
  for (const { list_id } of (await app.get(`${LISTS}?limit=100`)).body.data)
    expect((await app.call('DELETE', `${LISTS}/${list_id}`)).status).toBe(204);
});

const refusal = ({ status, body }: TestAnswer) => [status, body.error?.details?.code];
const DENIED = [403, 'policy_denied'];
async function listed(...addresses: string[]): Promise<Json> {
  const answer = await app.post(LISTS, { name: 'sanctions', csv: addresses.join('\n') });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
const policyChange = (required: number | null) =>
  app.app.store.write(async (tx) => {
    await tx.enterpriseConfig.lockOrMake(app.accountId, 1);
    const from = { roles: ['admin' as const] };
    const value = required === null ? null : { required, from, expiresInHours: 24 };
    await tx.enterpriseConfig.update(app.accountId, { policyChange: value });
  });
const matches = async (): Promise<Json[]> =>
  (await app.app.store.read.events.after(0n, 10_000, { accountId: app.accountId, channel: 'screening' })).map(
    ({ data }) => JSON.parse(data),
  );
const ended = async (id: string): Promise<Json> => {
  const probe = async () => {
    const { status, done_at } = await app.approval(id);
    return status === 'failed' || done_at !== null;
  };
  await expect.poll(probe, { timeout: 90_000, interval: 50 }).toBe(true);
  return app.approval(id);
};
const addressOfScript = (script: Uint8Array) => codec.fromOutputScript(script, network);

it('a list is made, shown, replaced and deleted; what is wrong is named, and nothing is kept of it', async () => {
  const made = await listed(payee, other);
  expect(made).toMatchObject({ name: 'sanctions', addresses: 2, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect((await app.get(`${LISTS}/${made.list_id}`)).body).toEqual(made);
  expect((await app.get(LISTS)).body).toMatchObject({ data: [made], pagination: { total: 1 } });
  const path = `${LISTS}/${made.list_id}`;
  const bad = await app.call('PUT', path, { name: 'x', csv: `address\n${payee}\nnonsense\n${payee}\n` });
  expect([...refusal(bad), bad.body.error.details.errors.map(({ field }: Json) => field)]).toEqual([
    ...[400, 'invalid_address', ['csv[3].address', 'csv[4].address']],
  ]);
  expect((await app.get(path)).body).toEqual(made);
  const replaced = await app.call('PUT', path, { name: 'other', csv: `address,reason\n${other},"a, b"\n` });
  expect(replaced.body).toMatchObject({ list_id: made.list_id, name: 'other', addresses: 1 });
  expect((await app.pay()).status).toBe(201);
  const strange = await app.anotherAccount('strange');
  for (const method of ['GET', 'DELETE'])
    expect(refusal(await app.call(method, path, undefined, strange))).toEqual([404, 'not_found']);
  const operator = { apiKey: await app.key({ role: 'operator' }) };
  expect((await app.get(path, operator)).status).toBe(200);
  expect(refusal(await app.call('DELETE', path, undefined, operator))).toEqual([403, 'forbidden']);
  await app.rules({ when: { screening: { lists: [made.list_id] } } });
  expect(refusal(await app.call('DELETE', path))).toEqual([409, 'state_conflict']);
});

it('a list, thousands of rows, is written as a large job: others wait for one such job at most', async () => {
  const large = vi.spyOn(app.app.store, 'writeLarge');
  const { list_id } = await listed(payee);
  await app.call('PUT', `${LISTS}/${list_id}`, { name: 'sanctions', csv: other });
  await app.call('DELETE', `${LISTS}/${list_id}`);
  const asked = large.mock.calls.map(([{ accountId }]) => accountId);
  large.mockRestore();
  expect(asked).toEqual([app.accountId, app.accountId, app.accountId]);
});

it('a payee is denied without any rule, in each form of its key, in bulk, in a dry run, and the event says so', async () => {
  const { hash } = payments.p2wpkh({ address: payee, network });
  const { list_id } = await listed(payments.p2pkh({ hash: hash!, network }).address!);
  const before = (await matches()).length;
  const denied = await app.pay();
  expect(refusal(denied)).toEqual(DENIED);
  expect(denied.body.error.message).toContain(`on the screening list "sanctions" (${list_id})`);
  const nested = payments.p2sh({ redeem: payments.p2wpkh({ hash: hash!, network }), network }).address!;
  expect(refusal(await app.pay({ recipients: [{ address: nested, amount: '0.01' }] }))).toEqual(DENIED);
  expect((await app.pay({ recipients: [{ address: other, amount: '0.01' }] })).status).toBe(201);
  const one = { wallet_id: app.walletId, fee_rate: '2', rbf: true, recipients: [{ address: payee, amount: '0.01' }] };
  const bulk = await app.post(`${TRANSACTIONS}/bulk`, { transactions: [one] });
  expect(bulk.text).toContain('policy_denied');
  const dry = await app.post(`${TRANSACTIONS}?dry_run=true`, one);
  expect(dry.body.policy).toMatchObject({ action: 'deny', screening: [{ list_id, name: 'sanctions' }] });
  const asked = await app.post('/api/v1/enterprise/policies/evaluate', { recipients: one.recipients });
  expect(asked.body).toMatchObject({ action: 'deny', screening: [{ list_id }], message: expect.any(String) });
  const event = { operation: 'payment', decision: 'deny', wallet_id: app.walletId, lists: [{ list_id }] };
  expect((await matches()).slice(before)).toMatchObject([event, event, event]);
});

it('a rule with the condition decides in place of the default: for its list', async () => {
  const { list_id } = await listed(payee);
  const allow = (lists?: string[]) => ({ when: { screening: lists ? { lists } : {} }, then: { action: 'allow' } });
  await app.rules(allow([list_id]));
  const paid = await app.pay();
  expect(paid.body.policy).toMatchObject({
    action: 'allow',
    rules: [{ matched: { screening: `${payee} is on ${list_id}` } }],
  });
  expect((await matches()).at(-1)).toMatchObject({ decision: 'allow' });
  await listed(payee, other);
  expect(refusal(await app.pay())).toEqual(DENIED);
  await app.rules(allow());
  expect((await app.pay()).status).toBe(201);
  const strange = {
    name: 'x',
    when: { screening: { lists: ['scl_3mVb1k7Q2xYt9LpRw0Zc5A'] } },
    then: { action: 'allow' },
  };
  const refused = await app.post('/api/v1/enterprise/policies', strange);
  expect([...refusal(refused), refused.body.error.details.field]).toEqual([
    404,
    'not_found',
    'when.screening.lists[0]',
  ]);
});

it('a bump pays again: it is judged by the lists of now', async () => {
  const { body: paid } = await app.pay();
  await listed(payee);
  const bump = () => app.post(`${TRANSACTIONS}/${paid.txid}/bump`, { fee_rate: '20' });
  expect(refusal(await bump())).toEqual(DENIED);
  const cancelled = await app.post(`${TRANSACTIONS}/${paid.txid}/cancel`, { fee_rate: '30' });
  expect(cancelled.status, cancelled.text).toBe(201);
});

it('a cancellation that pays the recipients of descendants again is judged, too', async () => {
  const { body: parent } = await app.pay({ recipients: [{ address: other, amount: '0.001' }] });
  const pay = { recipients: [{ address: payee, amount: '0.002' }] };
  const spending = (vout: number) => app.pay({ ...pay, coin_control: { include: [`${parent.txid}:${vout}`] } });
  const spent = [await spending(0), await spending(1)];
  expect(spent.map(({ status }) => status)).toContain(201);
  await listed(payee);
  const cancel = { fee_rate: '30', replace_descendants: true };
  expect(refusal(await app.post(`${TRANSACTIONS}/${parent.txid}/cancel`, cancel))).toEqual(DENIED);
});

it('what waits for approval or signatures is judged by the lists of then', async () => {
  const party = cosigner('screening');
  const [shared] = await sharedPayments(app, { required: 2, cosigners: [party.multisigKey] }, 1);
  const { body: paid } = await app.pay();
  await app.rules({});
  const held = await app.waiting();
  const bump = (await app.post(`${TRANSACTIONS}/${paid.txid}/bump`, { fee_rate: '20' }, { apiKey: eve })).body;
  await app.rules();
  const { list_id } = await listed(payee);
  expect((await app.vote(held.approval_id, ada)).body).toMatchObject({ status: 'failed' });
  expect((await ended(held.approval_id)).reason).toContain(list_id);
  await app.status(held.txid, 'failed');
  expect((await app.vote(bump.approval_id, ada)).body).toMatchObject({ status: 'failed' });
  expect((await app.get(`${TRANSACTIONS}/${bump.txid}`)).body.reason).toContain(list_id);
  const signed = { psbt: party.sign(shared!.psbt) };
  expect(refusal(await app.post(`${TRANSACTIONS}/${shared!.txid}/signatures`, signed))).toEqual(DENIED);
});

it('where policy_change is set, a change of a list waits, and approvers see what it adds and removes', async () => {
  const { list_id } = await listed(payee, other);
  await policyChange(1);
  const by = { apiKey: eve };
  const third = outsider('third');
  const waits = async (asked: Promise<TestAnswer>): Promise<Json> => {
    const { status, body, text } = await asked;
    expect(status, text).toBe(202);
    return { id: body.approval_id, ...JSON.parse(body.text).signs };
  };
  const path = `${LISTS}/${list_id}`;
  const put = await waits(app.call('PUT', path, { name: 'fewer', csv: `${other}\n${third}` }, by));
  expect(put).toMatchObject({ kind: 'rules_change', target: list_id, before: { name: 'sanctions', addresses: 2 } });
  expect(put.after).toMatchObject({
    ...{ name: 'fewer', addresses: 2, added: { count: 1, first: [third] }, removed: { count: 1, first: [payee] } },
  });
  const gone = await waits(app.call('DELETE', path, undefined, by));
  expect([gone.before.removed, gone.after]).toEqual([{ count: 2, first: expect.arrayContaining([payee]) }, null]);
  const made = await waits(app.post(LISTS, { name: 'new', csv: third }, by));
  expect([made.before, made.after.added]).toEqual([null, { count: 1, first: [third] }]);
  expect((await app.get(LISTS)).body.data).toMatchObject([{ name: 'sanctions' }]);
  expect(refusal(await app.pay())).toEqual(DENIED);
  await app.vote(put.id, ada);
  expect((await ended(put.id)).result).toMatchObject({ list_id, name: 'fewer' });
  expect((await app.pay()).status).toBe(201);
  // It would delete another list by now than the one that was seen.
  await app.vote(gone.id, ada);
  expect((await ended(gone.id)).status).toBe('failed');
  await app.vote(made.id, ada);
  expect((await ended(made.id)).result).toMatchObject({ name: 'new', addresses: 1 });
});

it('contracts: where they pay the other side is screened when we accept, sign, close and settle', async () => {
  const { ours, message } = await contracts.answered();
  const accepted = parseAccept(Buffer.from(message, 'hex'), ours.dialect).party;
  const { list_id } = await listed(addressOfScript(accepted.payoutScript));
  expect(refusal(await contracts.accept(ours.contract_id, message))).toEqual(DENIED);
  await app.call('DELETE', `${LISTS}/${list_id}`);
  const signed = await contracts.signedByThem();
  const theirs = parseOffer(Buffer.from(signed.ours.messages.offer, 'hex'), signed.ours.dialect).party;
  const again = await listed(addressOfScript(theirs.changeScript));
  expect(refusal(await contracts.sign(signed.ours.contract_id, signed.message))).toEqual(DENIED);
  await app.call('DELETE', `${LISTS}/${again.list_id}`);
  const between = await contracts.between();
  const { party } = parseAccept(Buffer.from(between.ours.messages.accept, 'hex'), between.ours.dialect);
  await listed(addressOfScript(party.payoutScript));
  const id = between.ours.contract_id;
  expect(refusal(await contracts.close(id, { offer_payout: '0.012' }, eve))).toEqual(DENIED);
  expect(refusal(await contracts.execute(id, eve))).toEqual(DENIED);
  expect((await matches()).at(-1)).toMatchObject({ operation: 'contract_execute', decision: 'deny' });
});
