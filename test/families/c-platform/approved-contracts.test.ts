/** Contracts that wait for approval before they are offered or accepted: how they go on, and how each way ends. */
import { address as codec, networks } from 'bitcoinjs-lib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/audit-log/canonical-json.ts';
import { parseOffer } from '../../../src/core/dlc/messages/offer.ts';
import type { ContractId } from '../../../src/core/ids.ts';
import { digestOfText } from '../../../src/core/policies/approval-text.ts';
import { ApprovalRefused, verifyApproval } from '../../../src/core/policies/verify-approval.ts';
import { ACCEPT_HEX } from '../../../src/families/b-categories/dlc/contracts/message-examples.ts';
import type { Json, TestAnswer } from '../../builders/app.ts';
import { outsider } from '../../services/transactions/payments-setup.ts';
import { APPROVALS, type ApprovalsApp, startApprovalsApp } from './approvals-app.ts';

const CONTRACTS = '/api/v1/contracts';
const DLC = '/api/v1/dlc/contracts';
const TERMS = { type: 'dlc', oracle: 'local', outcomes: ['heads', 'tails'], collateral: '0.02000000' };
const HOUR = 3_600_000;

let app: ApprovalsApp;
let [eve, ada, desk]: [string, string, string] = ['', '', ''];
let deskAccount = '';
/** Of the service under rules; its words are known, so that its coins can be spent elsewhere. */
let wallet: { wallet_id: string; mnemonic: string };
let deskWallet = '';

beforeAll(async () => {
  app = await startApprovalsApp();
  ({ apiKey: desk, accountId: deskAccount } = await app.anotherAccount('desk'));
  wallet = await filled('Contracts', eve);
  deskWallet = (await filled('Desk', desk)).wallet_id;
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.rules({ when: { operations: ['contract_offer', 'contract_accept'] } });
  eve = await app.voice('usr_eve');
  ada = await app.voice('usr_ada');
});

async function filled(name: string, apiKey: string) {
  const by = apiKey === '' ? {} : { apiKey };
  const { body } = await app.post('/api/v1/wallets', { name, type: 'segwit', backup_type: 'mnemonic' }, by);
  for (let coin = 0; coin < 20; coin++) {
    const { body: at } = await app.post(`/api/v1/wallets/${body.wallet_id}/addresses`, undefined, by);
    await app.post('/api/v1/bitcoin/blocks', { count: 1, address: at.address });
  }
  await mine(100);
  return body;
}
async function mine(count = 1) {
  await app.simulated.mine(count, '51');
  await app.synced();
}
const made = async (answer: Promise<TestAnswer>, status = 200): Promise<Json> => {
  const { status: is, body, text } = await answer;
  expect(is, text).toBe(status);
  return body;
};
const offer = (more: Json = {}, status = 202): Promise<Json> =>
  made(app.post(CONTRACTS, { ...TERMS, wallet_id: wallet.wallet_id, ...more }, { apiKey: eve }), status);
const REMOTE = { counterparty: { mode: 'remote' } };
const get = async (id: string): Promise<Json> => (await app.get(`${CONTRACTS}/${id}`)).body;
const until = async (id: string, status: string): Promise<Json> => {
  await expect.poll(async () => (await get(id)).status, { timeout: 90_000, interval: 50 }).toBe(status);
  return get(id);
};
const locked = async (): Promise<string> => (await app.get(`/api/v1/wallets/${wallet.wallet_id}`)).body.balance.locked;
const sums = () => app.app.store.read.spendSums.all(app.accountId);
const stored = (id: ContractId, type: 'offer' | 'accept') =>
  app.app.store.read.contracts.message(app.accountId, id, type);
const byDesk = (path: string, body: Json): Promise<TestAnswer> => app.post(path, body, { apiKey: desk });

const attest = (event: string, apiKey = ada) =>
  made(app.post('/api/v1/dlc/attestations', { oracle: 'local', event_id: event, outcome: 'heads' }, { apiKey }), 201);

/** Somebody else's offer, taken: the contract as it is on both sides. */
async function offered(expiresAt?: number) {
  const theirs = await made(byDesk(CONTRACTS, { ...TERMS, wallet_id: deskWallet, ...REMOTE }), 201);
  const { public_key } = (await app.get('/api/v1/dlc/oracles/local', { apiKey: desk })).body;
  const request = { message: theirs.messages.offer, accept_oracles: [public_key] };
  const expiry = expiresAt === undefined ? {} : { expires_at: new Date(expiresAt).toISOString() };
  const ours = await made(app.post('/api/v1/dlc/offers', { ...request, ...expiry }, { apiKey: eve }), 201);
  return { theirs, ours };
}
const accept = (id: string, more: Json = {}) =>
  app.post(`${DLC}/${id}/accept`, { wallet_id: wallet.wallet_id, ...more }, { apiKey: eve });

describe('an offer that a rule wants approved', () => {
  it('waits with its coins held and nothing signed, and is funded as it was approved', async () => {
    await app.rules(
      { required: 2, when: { operations: ['contract_offer'] } },
      { when: { operations: ['contract_accept'] } },
    );
    const contract = await offer();
    expect(contract).toMatchObject({ status: 'awaiting_approval', messages: {}, policy: { action: 'approve' } });
    expect(await locked()).not.toBe('0.00000000');
    const approval = await app.approval(contract.approval_id);
    expect(approval).toMatchObject({ operation: 'contract_offer', subject: contract.contract_id, status: 'pending' });
    expect(approval.requirements.map(({ required }: Json) => required)).toEqual([2, 1]);
    const { signs } = JSON.parse(approval.text);
    const before = [await stored(contract.contract_id, 'offer'), await stored(contract.contract_id, 'accept')];
    expect([signs.offer_message, signs.accept_message]).toEqual(before.map((one) => Buffer.from(one!).toString('hex')));
    expect(signs).toMatchObject({ kind: 'contract', wallets: { offer: wallet.wallet_id, accept: wallet.wallet_id } });
    expect(signs.offer).toMatchObject({ collateral: '0.02000000', refund_locktime: contract.refund_locktime });
    expect(signs.offer.contract_info.cases[0].payouts[1]).toEqual({ outcome: 'tails', payout: '0.00000000' });
    expect(signs.offer.funding_inputs.length).toBeGreaterThan(0);

    expect((await app.vote(contract.approval_id, ada)).body.status).toBe('pending');
    expect((await get(contract.contract_id)).status).toBe('awaiting_approval');
    expect((await app.vote(contract.approval_id, await app.voice('usr_bob'))).body.status).toBe('approved');
    const funded = await until(contract.contract_id, 'funded');
    expect(await stored(contract.contract_id, 'offer')).toEqual(before[0]);
    expect(await app.approval(contract.approval_id)).toMatchObject({ done_at: expect.any(String) });
    const { outputs } = (await app.get(`/api/v1/bitcoin/transactions/${funded.funding_txid}`)).body;
    expect(outputs.map(({ amount }: Json) => Number(amount)).some((amount: number) => amount > 0.02)).toBe(true);
    await mine();
    await app.rules();
    await made(app.call('PUT', `${CONTRACTS}/${contract.contract_id}/execute`, { outcome: 'heads' }, { apiKey: eve }));
    await mine();
    await until(contract.contract_id, 'closed');
  });

  it('is checked without the service: what people read is what the message says', async () => {
    const contract = await offer(REMOTE);
    await app.vote(contract.approval_id, ada);
    await until(contract.contract_id, 'offered');
    const file = (await app.get(`${APPROVALS}/${contract.approval_id}/export`)).body;
    expect(verifyApproval(file)).toMatchObject({ met: true, status: 'approved' });
    const text = JSON.parse(file.text);
    text.signs.offer.collateral = '0.00900000';
    const lie = canonicalJson(text);
    const refused = () =>
      verifyApproval({ ...file, text: lie, digest: digestOfText(lie), votes: [], status: 'pending' });
    expect(refused).toThrow(ApprovalRefused);
    expect(refused).toThrow("the text's offer is not what its message says");
  });

  it('shows no message before it is approved, takes none, and counts in windows', async () => {
    const before = await sums();
    const contract = await offer(REMOTE);
    expect(contract.messages).toEqual({});
    expect((await app.get(`${DLC}/${contract.contract_id}/messages`)).body).toEqual({});
    const [stake] = (await sums()).filter((sum) => sum.scope === 'account' && sum.amountSats >= 1_000_000n);
    expect(stake).toBeDefined();
    for (const [path, body] of [
      ['accept', { message: ACCEPT_HEX }],
      ['cancel', undefined],
    ] as const) {
      const answer = await app.post(`${DLC}/${contract.contract_id}/${path}`, body, { apiKey: eve });
      expect([answer.status, answer.body.error.details.code]).toEqual([409, 'state_conflict']);
    }
    await app.vote(contract.approval_id, ada);
    expect((await until(contract.contract_id, 'offered')).messages.offer).toMatch(/^a71a/);
    await made(app.post(`${DLC}/${contract.contract_id}/cancel`, undefined, { apiKey: eve }));
    expect(await sums()).toEqual(before);
  });

  const ends: [string, string, (contract: Json) => Promise<unknown>, string, string][] = [
    [
      ...(['is rejected', 'rejected'] as const),
      ({ approval_id }) => app.vote(approval_id, ada, { decision: 'reject', comment: 'no' }),
      ...(['failed', 'rejected by usr_ada: no'] as const),
    ],
    [
      'is taken back by whoever asked',
      'rejected',
      ({ approval_id }) => app.vote(approval_id, eve, { decision: 'reject' }),
      'failed',
      'usr_eve',
    ],
    [
      'is approved by nobody in time',
      'expired',
      async () => app.advance(25 * HOUR),
      'failed',
      'nobody approved it in time',
    ],
    [
      ...(['is denied by the rules at the last vote', 'failed'] as const),
      async ({ approval_id }) => {
        await app.rules({ when: { operations: ['contract_accept'] }, then: { action: 'deny', message: 'not today' } });
        await app.vote(approval_id, ada);
      },
      ...(['failed', 'not today'] as const),
    ],
    [
      ...(['has its event attested meanwhile', 'failed'] as const),
      async ({ event_ids: [event] }) => {
        await attest(event);
      },
      ...(['cancelled', 'has attested event'] as const),
    ],
  ];
  it.each(ends)('%s: it ends, and its coins and sums are free', async (_how, closed, end, status, reason) => {
    const before = [await locked(), await sums()];
    const contract = await offer();
    await end(contract);
    expect((await until(contract.contract_id, status)).reason).toContain(reason);
    expect((await app.approval(contract.approval_id)).status).toBe(closed);
    expect([await locked(), await sums()]).toEqual(before);
  });

  it('expires for the other side before it is approved: it is cancelled', async () => {
    const now = Date.parse((await offer()).created_at);
    const contract = await offer({ counterparty: { mode: 'remote', expires_at: new Date(now + HOUR).toISOString() } });
    app.advance(HOUR);
    await mine();
    const ended = await until(contract.contract_id, 'cancelled');
    expect(ended.reason).toBe('nobody approved it before the offer ended');
    expect(await app.approval(contract.approval_id)).toMatchObject({ status: 'failed', reason: ended.reason });
  });
});

describe('a coin that is spent elsewhere meanwhile', () => {
  it('ends an offer, and leaves an offer that was to be accepted as it was', async () => {
    const { ours } = await offered();
    const waiting = [await offer(), await made(accept(ours.contract_id), 202)];
    await app.rules();
    const restored = { name: 'copy', type: 'segwit', backup_type: 'none', mnemonic: wallet.mnemonic, birthday: 0 };
    const copy = await made(byDesk('/api/v1/wallets', restored), 201);
    await mine();
    const everything = { recipients: [{ address: outsider('thief'), amount: 'max' }], fee_rate: '5', rbf: true };
    const all = (await app.get(`/api/v1/wallets/${wallet.wallet_id}/utxos?limit=100`)).body.data.length;
    await expect
      .poll(
        async () =>
          (await app.get(`/api/v1/wallets/${copy.wallet_id}/utxos?limit=100`, { apiKey: desk })).body.data.length,
        { timeout: 90_000 },
      )
      .toBe(all);
    await made(byDesk('/api/v1/transactions', { ...everything, wallet_id: copy.wallet_id }), 201);
    await mine();
    const failed = await until(waiting[0]!.contract_id, 'failed');
    expect(failed.reason).toMatch(/^its input .* was spent by/);
    expect(await until(ours.contract_id, 'offered')).toMatchObject({ wallet_id: null, policy: null });
    for (const { approval_id } of waiting) expect((await app.approval(approval_id)).status).toBe('failed');
    expect(await locked()).toBe('0.00000000');
    wallet = await filled('Contracts', '');
  });
});

describe('an acceptance that a rule wants approved', () => {
  it('waits with its coins held, and is accepted, signed and funded as it was approved', async () => {
    const { theirs, ours } = await offered();
    const waiting = await made(accept(ours.contract_id), 202);
    expect(waiting).toMatchObject({ status: 'awaiting_approval', wallet_id: wallet.wallet_id });
    expect(Object.keys(waiting.messages)).toEqual(['offer']);
    expect(await made(accept(ours.contract_id), 202)).toMatchObject({ approval_id: waiting.approval_id });
    const { signs } = JSON.parse((await app.approval(waiting.approval_id)).text);
    expect(signs).toMatchObject({ offer_message: theirs.messages.offer, wallets: { offer: null } });
    expect(signs.accept).toMatchObject({ collateral: '0.01000000', adaptor_signatures: 0 });
    await app.vote(waiting.approval_id, ada);
    const accepted = await until(ours.contract_id, 'accepted');
    const signed = await made(byDesk(`${DLC}/${theirs.contract_id}/accept`, { message: accepted.messages.accept }));
    await made(app.post(`${DLC}/${ours.contract_id}/sign`, { message: signed.messages.sign }, { apiKey: eve }));
    await until(ours.contract_id, 'funded');
  });

  it('fails where the offer pays an address that is on a screening list by then', async () => {
    const { ours } = await offered();
    const { approval_id } = await made(accept(ours.contract_id), 202);
    const { party } = parseOffer(Buffer.from(ours.messages.offer, 'hex'), ours.dialect);
    const csv = codec.fromOutputScript(party.payoutScript, networks.regtest);
    const { list_id } = await made(app.post('/api/v1/compliance/screening-lists', { name: 'sanctions', csv }), 201);
    expect((await app.vote(approval_id, ada)).body).toMatchObject({ status: 'failed' });
    expect((await app.approval(approval_id)).reason).toContain(list_id);
    expect((await app.call('DELETE', `/api/v1/compliance/screening-lists/${list_id}`)).status).toBe(204);
  });

  it('is rejected: the offer is offered as before, and can be accepted once more until it ends', async () => {
    const before = [await locked(), await sums()];
    const { ours } = await offered();
    const first = await made(
      accept(ours.contract_id, { expires_at: new Date(Date.parse(ours.created_at) + HOUR).toISOString() }),
      202,
    );
    await app.vote(first.approval_id, ada, { decision: 'reject', comment: 'too much' });
    const again = await until(ours.contract_id, 'offered');
    expect(again).toMatchObject({
      reason: 'rejected by usr_ada: too much',
      wallet_id: null,
      expires_at: ours.expires_at,
    });
    expect([await locked(), await sums()]).toEqual(before);
    const second = await made(accept(ours.contract_id), 202);
    expect(second).toMatchObject({ reason: null, expires_at: ours.expires_at });
    expect(second.approval_id).not.toBe(first.approval_id);
    await app.vote(second.approval_id, ada, { decision: 'reject' });
    await until(ours.contract_id, 'offered');
  });

  it('ends with the offer', async () => {
    const at = Date.parse((await offer()).created_at);
    const { ours } = await offered(at + HOUR);
    const waiting = await made(accept(ours.contract_id), 202);
    app.advance(HOUR);
    await mine();
    await until(ours.contract_id, 'cancelled');
    expect((await app.approval(waiting.approval_id)).status).toBe('failed');
    expect((await app.vote(waiting.approval_id, ada)).status).toBe(409);
  });
});

it('a child that helps a contract waits, and is sent as it was approved', async () => {
  await app.rules({ when: { operations: ['contract_cpfp'] } });
  const { contract_id } = await offer({}, 201);
  await until(contract_id, 'funded');
  const held = await made(app.post(`${DLC}/${contract_id}/cpfp`, { fee_rate: '20' }, { apiKey: eve }), 202);
  expect(held).toMatchObject({ operation: 'contract_cpfp', status: 'pending', result: null });
  await app.vote(held.approval_id, ada);
  const child = await app.status(held.subject, 'broadcast');
  const file = (await app.get(`${APPROVALS}/${held.approval_id}/export`)).body;
  expect(verifyApproval(file)).toMatchObject({ met: true, status: 'approved' });
  expect(JSON.parse(file.text).signs).toMatchObject({ unsigned_txid: child.txid, fee: child.fee });
});

it('another account sees neither', async () => {
  const { contract_id, approval_id } = await offer();
  for (const path of [`${CONTRACTS}/${contract_id}`, `${APPROVALS}/${approval_id}`])
    expect((await app.get(path, { apiKey: desk })).status).toBe(404);
  expect(deskAccount).not.toBe(app.accountId);
});
