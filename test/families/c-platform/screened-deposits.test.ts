/** Deposits whose payers are on a screening list: frozen as they come, or when a list comes later, until they are released. */
import { networks, payments } from 'bitcoinjs-lib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import type { Json, TestAnswer } from '../../builders/app.ts';
import { testKey } from '../../builders/test-key.ts';
import { outsider } from '../../services/transactions/payments-setup.ts';
import { type ApprovalsApp, startApprovalsApp } from './approvals-app.ts';

const LISTS = '/api/v1/compliance/screening-lists';
const DEPOSITS = '/api/v1/compliance/screened-deposits';
const network = networks.regtest;
let app: ApprovalsApp;
let wallet: Json;
let [eve, ada] = ['', ''];
beforeAll(async () => {
  app = await startApprovalsApp();
  wallet = (await app.post('/api/v1/wallets', { name: 'till', type: 'segwit', backup_type: 'mnemonic' })).body;
  [eve, ada] = [await app.voice('usr_eve', { role: 'admin' }), await app.voice('usr_ada', { role: 'admin' })];
});
afterAll(() => app.close());

const refusal = ({ status, body }: TestAnswer) => [status, body.error?.details?.code];
async function listed(address: string): Promise<string> {
  const answer = await app.post(LISTS, { name: 'sanctions', csv: address });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.list_id;
}
/** Whoever has this key, with a coin: sends it to the wallet; seen in the mempool unless it is mined. */
async function payer(name: string): Promise<(options?: { mined?: boolean }) => Promise<Txid>> {
  const { body: paid } = await app.pay({ recipients: [{ address: outsider(name), amount: '0.01' }] });
  const { raw } = (await app.app.store.read.transactions.find(app.accountId, paid.txid))!;
  const { outputs } = parseTransaction(raw!);
  const key = testKey(`outsider ${name}`);
  const vout = outputs.findIndex(({ scriptPubKey }) => scriptPubKey === key.scriptHex);
  const { address } = (await app.post(`/api/v1/wallets/${wallet.wallet_id}/addresses`)).body;
  const to = Buffer.from(payments.p2wpkh({ address, network }).output!);
  const coins = [{ txid: paid.txid, vout, amountSats: 1_000_000n }];
  const { raw: sent, txid } = key.spend({ coins, outputs: [{ script: to, amountSats: 990_000n }] });
  return async ({ mined = true } = {}) => {
    await app.simulated.broadcast(sent);
    if (mined) await app.simulated.mine(1, '51');
    await app.synced();
    await app.status(txid, mined ? 'confirmed' : 'broadcast');
    return txid as Txid;
  };
}
const coin = async (txid: string): Promise<Json> =>
  (await app.get(`/api/v1/wallets/${wallet.wallet_id}/utxos?limit=100`)).body.data.find(
    (one: Json) => one.txid === txid,
  );
const frozen = async (txid: string): Promise<Json> =>
  (await app.get(`${DEPOSITS}?status=frozen`)).body.data.find((one: Json) => one.txid === txid);
const becomesFrozen = (txid: string) =>
  expect.poll(async () => (await coin(txid)).screened, { timeout: 90_000, interval: 50 }).toBe(true);
const release = (txid: string, apiKey?: string) =>
  app.post(`${DEPOSITS}/${txid}/release`, undefined, apiKey ? { apiKey } : {});
const events = async (txid: string): Promise<Json[]> =>
  (await app.app.store.read.events.after(0n, 10_000, { accountId: app.accountId, channel: 'screening' }))
    .map(({ data }) => JSON.parse(data))
    .filter((event) => event.txid === txid);
/** Naming the coin, which passes over what is merely not to be selected. */
const spend = (txid: string) =>
  app.pay({
    wallet_id: wallet.wallet_id,
    coin_control: { include: [`${txid}:0`] },
    recipients: [{ address: outsider('x'), amount: '0.005' }],
  });

it('a deposit of a listed key is frozen as it is seen, and spent by nothing until it is released', async () => {
  const [payGood, payBad] = [await payer('good'), await payer('bad')];
  const { hash } = payments.p2wpkh({ address: outsider('bad'), network });
  const list_id = await listed(payments.p2pkh({ hash: hash!, network }).address!);
  const [good, bad] = [await payGood(), await payBad({ mined: false })];
  expect(await coin(good)).toMatchObject({ locked: false, screened: false });
  expect(await coin(bad)).toMatchObject({ locked: true, screened: true });
  expect(await frozen(bad)).toMatchObject({ status: 'frozen', lists: [{ list_id, name: 'sanctions' }] });
  expect(await events(bad)).toMatchObject([
    { operation: 'deposit', decision: 'freeze', wallet_id: wallet.wallet_id, lists: [{ list_id }] },
  ]);
  await app.simulated.mine(1, '51');
  await app.synced();
  await app.status(bad, 'confirmed');
  expect(await events(bad)).toHaveLength(1);
  const { balance } = (await app.get(`/api/v1/wallets/${wallet.wallet_id}/balance`)).body;
  expect(balance ?? (await app.get(`/api/v1/wallets/${wallet.wallet_id}`)).body.balance).toMatchObject({
    locked: '0.00990000',
  });
  expect((await spend(bad)).status).toBe(422);
  const unlock = { outpoints: [{ txid: bad, vout: 0 }] };
  expect(refusal(await app.post(`/api/v1/wallets/${wallet.wallet_id}/utxos/unlock`, unlock))).toEqual([
    409,
    'state_conflict',
  ]);
  expect(refusal(await release(bad, await app.key({ role: 'operator' })))).toEqual([403, 'forbidden']);
  expect(refusal(await release(good))).toEqual([404, 'not_found']);
  const strange = await app.anotherAccount('strange');
  expect(refusal(await app.post(`${DEPOSITS}/${bad}/release`, undefined, strange))).toEqual([404, 'not_found']);
  expect((await release(bad)).body).toMatchObject({ txid: bad, status: 'released' });
  expect(refusal(await release(bad))).toEqual([409, 'state_conflict']);
  expect(await coin(bad)).toMatchObject({ locked: false, screened: false });
  expect((await spend(bad)).status).toBe(201);
});

it('earlier deposits are frozen when a list comes; a released one is again by another list alone', async () => {
  const before = await (await payer('later'))();
  const first = await listed(outsider('later'));
  await becomesFrozen(before);
  expect((await frozen(before)).lists).toMatchObject([{ list_id: first }]);
  expect((await release(before)).status).toBe(200);
  const same = await app.call('PUT', `${LISTS}/${first}`, {
    name: 'renewed',
    csv: `${outsider('later')}\n${outsider('y')}`,
  });
  expect(same.status).toBe(200);
  const swept = async () => (await app.app.store.read.screeningLists.toSweep(10)).length;
  await expect.poll(swept, { timeout: 90_000, interval: 50 }).toBe(0);
  expect(await coin(before)).toMatchObject({ locked: false, screened: false });
  const second = await listed(outsider('later'));
  await becomesFrozen(before);
  expect((await frozen(before)).lists).toMatchObject([{ list_id: first }, { list_id: second }]);
  expect(await events(before)).toMatchObject([{ lists: [{ list_id: first }] }, { lists: [{ list_id: second }] }]);
  for (const id of [first, second]) expect((await app.call('DELETE', `${LISTS}/${id}`)).status).toBe(204);
  expect(await coin(before)).toMatchObject({ locked: true, screened: true });
});

it('where policy_change is set, a release waits, and says what is released', async () => {
  const pay = await payer('held');
  await listed(outsider('held'));
  const txid = await pay();
  await app.app.store.write(async (tx) => {
    await tx.enterpriseConfig.lockOrMake(app.accountId, 1);
    const policyChange = { required: 1, from: { roles: ['admin' as const] }, expiresInHours: 24 };
    await tx.enterpriseConfig.update(app.accountId, { policyChange });
  });
  const asked = await release(txid, eve);
  expect(asked.status, asked.text).toBe(202);
  const { signs } = JSON.parse(asked.body.text);
  const shown = { txid, lists: [{ name: 'sanctions', address: outsider('held') }] };
  expect(signs).toMatchObject({
    ...{ kind: 'rules_change', target: txid },
    ...{ before: { ...shown, status: 'frozen' }, after: { ...shown, status: 'released' } },
  });
  expect(await coin(txid)).toMatchObject({ locked: true });
  await app.vote(asked.body.approval_id, ada);
  await expect.poll(async () => (await coin(txid)).locked, { timeout: 90_000, interval: 50 }).toBe(false);
});
