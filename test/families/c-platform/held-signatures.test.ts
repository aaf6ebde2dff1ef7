/** Signatures of a payment that others sign, too, which wait for approval: what is approved, and what else may happen to the payment. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { ApprovalId } from '../../../src/core/ids.ts';
import { partialSignatures, spentOutput } from '../../../src/core/psbt/codec/input-fields.ts';
import { INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { psbtFromText, psbtToBase64 } from '../../../src/core/psbt/codec/psbt-text.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { unsignedBytes } from '../../../src/core/psbt/transaction-of.ts';
import type { Json } from '../../builders/app.ts';
import { cosigner, extracted } from '../../builders/cosigner.ts';
import { outsider } from '../../services/transactions/payments-setup.ts';
import { type ApprovalsApp, startApprovalsApp, TRANSACTIONS } from './approvals-app.ts';
import { sharedPayments } from './held-kinds.ts';

const [alice, bob] = [cosigner('alice'), cosigner('bob')];
const SIGNATURES = { when: { operations: ['signature'] } };
let app: ApprovalsApp;
let ada = '';
/** Of a wallet that three sign for, one of them the service. */
const payments: Json[] = [];
beforeAll(async () => {
  app = await startApprovalsApp();
  const cosigners = [alice, bob].map(({ multisigKey }) => multisigKey);
  payments.push(...(await sharedPayments(app, { required: 3, cosigners }, 17)));
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.rules(SIGNATURES);
  ada = await app.voice('usr_ada');
});

const send = async (txid: string, psbt: string) => app.post(`${TRANSACTIONS}/${txid}/signatures`, { psbt });
const held = async (txid: string, psbt: string): Promise<Json> => {
  const answer = await send(txid, psbt);
  expect(answer.status, answer.text).toBe(202);
  return answer.body;
};
const get = async (txid: string): Promise<Json> => (await app.get(`${TRANSACTIONS}/${txid}`)).body;
const ended = async (id: string, status: string): Promise<Json> => {
  const is = async () => {
    const approval = await app.approval(id);
    return status === 'done' ? approval.done_at !== null : approval.status === status;
  };
  await expect.poll(is, { timeout: 90_000, interval: 50 }).toBe(true);
  return app.approval(id);
};
/** As where the process ended right after the job of the last vote. */
const approvedUnseen = (approvalId: ApprovalId) =>
  app.app.store.write((tx) =>
    tx.approvals.close({ accountId: app.accountId, approvalId }, { status: 'approved', reason: null, closedAt: 1 }),
  );
const signaturesOf = (psbt: string) => partialSignatures((psbtFromText(psbt) as PsbtV2).inputs[0]!);

it('what is approved is the whole transaction, and of a signature its hash; nothing is taken over before', async () => {
  const { txid, psbt } = payments.pop()!;
  const signed = alice.sign(psbt);
  const { text, wallet_id, approval_id } = await held(txid, signed);
  const { signs } = JSON.parse(text);
  const [coin] = signs.inputs;
  expect(signs).toMatchObject({ wallet_id, unsigned_txid: txid, inputs: [{ amount: '0.01000000' }], added: [{}] });
  expect(signs.outputs.map(({ own }: Json) => own).sort()).toEqual([false, true]);
  const own = psbtFromText(psbt) as PsbtV2;
  expect([signs.transaction, coin.script]).toEqual([
    unsignedBytes(own)!.toString('hex'),
    spentOutput(own.inputs[0]!)!.scriptPubKey,
  ]);
  const [mine] = signaturesOf(psbt);
  const given = signaturesOf(signed).find(({ publicKey }) => Buffer.compare(publicKey, mine!.publicKey) !== 0)!;
  expect(signs.added[0].key).toBe(Buffer.from(given.publicKey).toString('hex'));
  expect(text).not.toContain(Buffer.from(given.signature).toString('hex').slice(0, 40));
  expect(await get(txid)).toMatchObject({ status: 'awaiting_signature', psbt });
  await app.vote(approval_id, ada, { decision: 'reject' });
  expect(await get(txid)).toMatchObject({ status: 'awaiting_signature', psbt });
});

it('several wait at once, and each is added to what the others have become; the last one sends it', async () => {
  const { txid, psbt } = payments.pop()!;
  const [first, second] = [await held(txid, alice.sign(psbt)), await held(txid, bob.sign(psbt))];
  await app.vote(second.approval_id, ada);
  const half = (await ended(second.approval_id, 'done')).result;
  expect([half.status, signaturesOf(half.psbt).length]).toEqual(['awaiting_signature', 2]);
  await app.vote(first.approval_id, ada);
  expect((await ended(first.approval_id, 'done')).result.txid).toBe(txid);
  await app.status(txid, 'broadcast');
  await expect.poll(async () => (await app.approval(first.approval_id)).result.status).toBe('broadcast');
});

const NEXT: [string, string, (payment: Json) => Promise<unknown>][] = [
  [
    'was signed by others, and sent',
    'it is signed',
    async ({ txid, psbt }) => {
      await app.rules();
      await send(txid, alice.sign(psbt));
      expect((await send(txid, bob.sign(psbt))).body.status).toBe('broadcast');
    },
  ],
  [
    'has that signature by now',
    'known already',
    async ({ txid, psbt }) => {
      await app.rules();
      expect((await send(txid, alice.sign(psbt))).status).toBe(200);
    },
  ],
  ['was abandoned', 'its coins are free', ({ txid }) => app.post(`${TRANSACTIONS}/${txid}/abandon`)],
  [
    'was sent elsewhere, and is in a block',
    'it is in a block',
    async ({ txid, psbt }) => {
      await app.simulated.mineTransactions([extracted(bob.sign(alice.sign(psbt))).raw]);
      await app.synced();
      await app.status(txid, 'confirmed');
    },
  ],
];
it.each(NEXT)('a payment that %s meanwhile: the approval fails at once, and says so', async (_, why, happens) => {
  await app.rules(SIGNATURES);
  const payment = payments.pop()!;
  const { approval_id } = await held(payment.txid, alice.sign(payment.psbt));
  await happens(payment);
  const before = await get(payment.txid);
  if (why === 'known already') {
    // Only what is there already is found out by adding it.
    await app.rules(SIGNATURES);
    expect((await app.vote(approval_id, ada)).body.status).toBe('approved');
  } else expect((await app.approval(approval_id)).status).toBe('failed');
  const { reason, result } = await ended(approval_id, 'failed');
  expect([reason, result]).toEqual([expect.stringContaining(why), null]);
  expect(await get(payment.txid)).toEqual(before);
});

it('the same signatures asked for again by the same person wait once; others, and those of another person, wait by themselves', async () => {
  const { txid, psbt } = payments.pop()!;
  const first = await held(txid, alice.sign(psbt));
  const again = await held(txid, alice.sign(psbt));
  expect(again).toEqual(first);
  expect((await held(txid, bob.sign(psbt))).approval_id).not.toBe(first.approval_id);
  const other = await app.post(`${TRANSACTIONS}/${txid}/signatures`, { psbt: alice.sign(psbt) }, { apiKey: ada });
  expect([other.status, other.body.approval_id === first.approval_id]).toEqual([202, false]);
  await app.rules({ ...SIGNATURES, required: 2 });
  expect((await held(txid, alice.sign(psbt))).approval_id).not.toBe(first.approval_id);
  await app.vote(first.approval_id, ada, { decision: 'reject' });
  expect((await held(txid, alice.sign(psbt))).status).toBe('pending');
  await app.post(`${TRANSACTIONS}/${txid}/abandon`);
  const waits = (await app.get('/api/v1/enterprise/approvals?status=pending')).body.data;
  expect(waits.filter((one: Json) => one.subject === txid)).toEqual([]);
});

it('a rule set while they are added, after it was judged, is heeded by the job that adds them', async () => {
  const { txid, psbt } = payments.pop()!;
  const { approval_id } = await held(txid, alice.sign(psbt));
  const { accounts } = app.app.store.read;
  const find = accounts.find.bind(accounts);
  const spied = vi.spyOn(accounts, 'find').mockImplementationOnce(async (id) => {
    await app.rules({ then: { action: 'deny', message: 'not now' } });
    return find(id);
  });
  await approvedUnseen(approval_id);
  const stored = () => app.app.store.read.approvals.find(app.accountId, approval_id as ApprovalId);
  await expect
    .poll(async () => (await stored())?.reason, { timeout: 90_000 })
    .toMatch(/could not be carried out: .*not now/);
  spied.mockRestore();
  expect(await get(txid)).toMatchObject({ status: 'awaiting_signature', psbt });
});

it.each([
  ['denies it', { then: { action: 'deny', message: 'not now' } }, 403],
  ['wants it approved', SIGNATURES, 202],
] as const)('a rule that %s, set while they are added at once, is heeded by the job that adds them', async (_, rule, status) => {
  await app.rules();
  const { txid, psbt } = payments.pop()!;
  const { store } = app.app;
  const write = store.write.bind(store);
  const asked = vi.spyOn(store.read.enterpriseConfig, 'find');
  let isSet = false;
  // Between the answer of the rules and the job.
  vi.spyOn(store, 'write').mockImplementation(async (job) => {
    if (asked.mock.settledResults.length > 0 && !isSet) {
      isSet = true;
      await app.rules(rule);
    }
    return write(job);
  });
  const answer = await send(txid, alice.sign(psbt));
  vi.restoreAllMocks();
  expect(isSet).toBe(true);
  expect(answer.status, answer.text).toBe(status);
  expect(await get(txid)).toMatchObject({ status: 'awaiting_signature', psbt });
  if (status === 403) return;
  await app.vote(answer.body.approval_id, ada);
  await ended(answer.body.approval_id, 'done');
  expect(signaturesOf((await get(txid)).psbt)).toHaveLength(2);
});

it('its own amount, counted when it was made, is not counted again, neither at once nor with the last vote', async () => {
  const keys = { required: 2, cosigners: [alice.multisigKey] };
  await app.rules();
  const [one, other] = await sharedPayments(app, keys, 2);
  const limit = (sats: bigint) => ({
    when: { operations: ['signature'], window: { hours: 1, per: 'wallet', amountOverSats: sats } },
    then: { action: 'deny', message: 'too much' },
  });
  await app.rules(SIGNATURES, limit(800_000n));
  const { approval_id } = await held(one!.txid, alice.sign(one!.psbt));
  await app.vote(approval_id, ada);
  await ended(approval_id, 'done');
  const next = await held(other!.txid, alice.sign(other!.psbt));
  await app.rules(SIGNATURES, limit(799_999n));
  await app.vote(next.approval_id, ada);
  expect((await ended(next.approval_id, 'failed')).reason).toContain('too much');
  expect((await send(other!.txid, alice.sign(other!.psbt))).status).toBe(403);
});

const BOTH = ['payment', 'signature'];
const RULE = '/api/v1/enterprise/policies';
it.each([
  ['needs no second approval', {}, 200],
  ['is asked again where it wants more approvals by now', { required: 2 }, 202],
  ['is asked again where it wants others by now', { from: { roles: ['admin'] } }, 202],
  ['needs none where it wants fewer by now', { required: 0 }, 200],
])('a rule that approved the payment %s', async (_, change, status) => {
  await app.rules();
  const [made] = await sharedPayments(app, { required: 2, cosigners: [bob.multisigKey] }, 1);
  await app.post(`${TRANSACTIONS}/${made!.txid}/abandon`);
  const required = 'required' in change && change.required === 0 ? 2 : 1;
  const then = { action: 'approve', required, from: { roles: ['operator'] } };
  const voices = [ada, await app.voice('usr_bob'), await app.voice('usr_carol', { role: 'admin' })];
  await app.voice('usr_dave', { role: 'admin' });
  const { body: rule, text } = await app.post(RULE, { name: 'both', when: { operations: BOTH }, then });
  expect(rule, text).toHaveProperty('policy_id');
  const { txid, approval_id } = await app.waiting({
    wallet_id: made!.wallet_id,
    recipients: [{ address: outsider('payee'), amount: '0.003' }],
  });
  for (const voice of voices.slice(0, required)) await app.vote(approval_id, voice);
  const { psbt } = await app.status(txid, 'awaiting_signature');
  const after = { ...then, ...change, ...(required === 2 ? { required: 1 } : {}) };
  const changed = await app.call('PATCH', `${RULE}/${rule.policy_id}`, { then: after });
  expect(changed.status, changed.text).toBe(200);
  const answer = await send(txid, bob.sign(psbt));
  expect(answer.status, answer.text).toBe(status);
  expect(answer.body.status).toBe(status === 200 ? 'broadcast' : 'pending');
});

it('what is larger than what is kept is refused, and what would be refused at once never waits', async () => {
  const { txid, psbt } = payments.pop()!;
  const signed = psbtFromText(alice.sign(psbt)) as PsbtV2;
  signed.inputs[0]!.set(0x60, new Uint8Array(1_600_000));
  const large = await send(txid, psbtToBase64(signed));
  expect([large.status, large.body.error.details.code]).toEqual([422, 'too_large']);
  const nothing = await send(txid, psbt);
  expect([nothing.status, nothing.body.error.details.code]).toEqual([422, 'nothing_signed']);
});

it('a nonce of the service’s own key, which nobody could approve into the payment, is refused at once', async () => {
  await app.rules();
  const party = cosigner('party');
  const [payment] = await sharedPayments(app, { script_type: 'musig', cosigners: [party.key(87, 1, 0)] }, 1);
  const given = psbtFromText(party.nonces(payment!.psbt).psbt) as PsbtV2;
  const input = given.inputs[0]!;
  const [nonce] = input.all(INPUT.MUSIG2_PUB_NONCE);
  const theirs = Buffer.from(nonce!.keyData.subarray(0, 33)).toString('hex');
  const [participants] = input.all(INPUT.MUSIG2_PARTICIPANT_PUBKEYS);
  const own = Buffer.from(participants!.value)
    .toString('hex')
    .match(/.{66}/g)!
    .find((key) => key !== theirs)!;
  input.set(
    INPUT.MUSIG2_PUB_NONCE,
    nonce!.value,
    Buffer.concat([Buffer.from(own, 'hex'), nonce!.keyData.subarray(33)]),
  );
  const direct = await send(payment!.txid, psbtToBase64(given));
  expect([direct.status, direct.text]).toEqual([422, expect.stringContaining('which the service makes itself')]);
  await app.rules({ when: { operations: ['musig'] } });
  const answer = await send(payment!.txid, psbtToBase64(given));
  expect([answer.status, answer.body.error]).toEqual([422, direct.body.error]);
});
