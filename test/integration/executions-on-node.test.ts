/**
 * Payments of passed proposals by two processes on one PostgreSQL and a real node: asked of both at once, and of one that is killed, each is
 * paid once; it confirms, and the one that confirms is the proposal's.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BURN_ADDRESS, startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';
import { withPostgres } from '../builders/stores.ts';
import { type Caller, createCaller } from './crashes/caller.ts';
import { post } from './crashes/voices.ts';

const BASE = '/v1/governance';
const opened = new AsyncDisposableStack();
/** Of the node; what is changed here holds from its next start. */
const extraArgs: string[] = [];
let node: TestNode;
let first: ServiceProcess;
/** The same key, of either process. */
let callers: [Caller, Caller];

const made = async (path: string, body: object = {}, method = 'POST') =>
  (await post(callers[1], { method, path, body }, randomUUID())).body;
const look = (path: string) => callers[1].read(path);
const executionOf = async (id: string) => (await look(`${BASE}/proposals/${id}`)).execution;
const execute = (by: Caller, id: string) =>
  by.write({ method: 'POST', path: `${BASE}/dao/execute/${id}` }, randomUUID(), () => {});
const paymentsOf = async (id: string): Promise<string[]> =>
  (await look(`/api/v1/transactions?label=proposal%20${id}`)).data.map(({ txid }: any) => txid);
const statusOf = async (txid: string) => (await look(`/api/v1/transactions/${txid}`)).status;
const mempool = () => node.rpc<string[]>('getrawmempool');

async function followed(): Promise<void> {
  const height = await node.rpc<number>('getblockcount');
  await eventually('followed', async () => (await look('/api/v1/blockchain/status')).follower.height === height);
}
/** Of a treasury payment, by a vote; answers its id. */
async function passed(): Promise<string> {
  // Not to the node's wallet, which would send it again when it starts.
  const recipients = [{ address: BURN_ADDRESS, amount: '0.1' }];
  const given = { title: 'Pay', description: 'd', type: 'treasury_spend', parameters: { recipients, fee_rate: '2' } };
  const { id } = await made(`${BASE}/proposals`, given);
  await made(`${BASE}/proposals/${id}/vote`, { vote: 'for', voting_power: 100 });
  await eventually('it passed', async () => (await executionOf(id))?.status === 'ready');
  return id;
}
/** One payment, which the node has, and which confirms. */
async function expectPaidOnce(id: string): Promise<void> {
  const { status, txid } = await executionOf(id);
  expect([status, await paymentsOf(id)]).toEqual(['executed', [txid]]);
  await eventually('the node has it', async () => (await mempool()).includes(txid));
  expect(await mempool()).toEqual([txid]);
  await node.mine(1);
  await followed();
  await eventually('it is confirmed', async () => (await statusOf(txid)) === 'confirmed');
  expect(await executionOf(id)).toMatchObject({ status: 'executed', txid });
}

beforeAll(async () => {
  const [started, postgres] = await Promise.all([startTestNode({ extraArgs }), withPostgres({ durable: true })]);
  node = started;
  opened.defer(() => node.stop());
  opened.use(postgres);
  const secrets = mkdtempSync(join(tmpdir(), 'ashlar-secrets-'));
  opened.defer(() => rmSync(secrets, { recursive: true, force: true }));
  const keyFile = join(secrets, 'master.key');
  writeFileSync(keyFile, crypto.getRandomValues(Buffer.alloc(32)), { mode: 0o600 });
  const parameters = { voting_period_hours: 2 / 3600, timelock_hours: 0, quorum_percent: 0 };
  const env = {
    ...{ DATABASE_URL: await postgres.newTables(), MASTER_KEY_FILE: keyFile, CHAIN: 'bitcoind' },
    ...{ BITCOIN_RPC_URL: node.rpcUrl, BITCOIN_RPC_COOKIE_FILE: node.cookieFile, LOG_LEVEL: 'warn' },
    DAO_PARAMETERS: JSON.stringify(parameters),
  };
  first = await startService(env);
  opened.defer(() => first.dispose());
  const second = await startService(env);
  opened.defer(() => second.dispose());
  const limits = { requests_per_minute: 1_000_000, voting_per_minute: 1_000_000 };
  const key = { name: 'executor', role: 'admin', scopes: ['*'], tier: 'custom', limits };
  const { status, body } = await first.call('POST', '/api/v1/api-keys', key);
  expect(status, JSON.stringify(body)).toBe(201);
  callers = [createCaller(first.baseUrl, body), createCaller(second.baseUrl, body)];
  const { holder_id: address } = await look(`${BASE}/tokens/balance`);
  await made(`${BASE}/tokens/mint`, { address, amount: '100', reason: 'to vote' });
  const { wallet_id } = await made('/api/v1/wallets', { name: 'treasury', type: 'segwit', backup_type: 'none' });
  for (let coins = 0; coins < 3; coins++)
    await node.send((await made(`/api/v1/wallets/${wallet_id}/addresses`)).address, '1');
  await node.mine(1);
  await followed();
  await made(`${BASE}/dao/treasury`, { wallet_id }, 'PUT');
});
afterAll(() => opened.disposeAsync());

it('are made once where 50 ask both processes at once', async () => {
  const id = await passed();
  const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => execute(callers[at % 2]!, id)));
  const said = answers.map((answer) => answer?.body.error?.details.code ?? answer?.status);
  expect(said.filter((one) => one === 200)).toHaveLength(1);
  expect(new Set(said)).toEqual(new Set([200, 'state_conflict']));
  await expectPaidOnce(id);
  const [movement] = (await look(`${BASE}/dao/treasury`)).movements;
  expect(movement.proposal_id).toBe(id);
});

it.each([0, 30, 100])('are made once where one process is killed after %d ms of being asked', async (ms) => {
  const id = await passed();
  const asking = Promise.all(Array.from({ length: 20 }, (_, at) => execute(callers[at % 2]!, id)));
  await new Promise((resolve) => setTimeout(resolve, ms));
  await first.kill();
  await asking;
  await eventually('it is executed', async () => {
    await execute(callers[1], id);
    return (await executionOf(id)).status === 'executed';
  });
  await first.start();
  expect((await execute(callers[0], id))?.status).toBe(409);
  await expectPaidOnce(id);
});

it('of a proposal are those that confirm: one that was given up and replaced, too', async () => {
  const id = await passed();
  const paid = async (): Promise<string> => {
    const answer = await execute(callers[0], id);
    expect(answer?.body.execution, JSON.stringify(answer?.body)).toMatchObject({ status: 'executed' });
    return answer?.body.execution.txid;
  };
  const one = await paid();
  const raw = await node.rpc<string>('getrawtransaction', one);
  // A node that lost it does not take it again.
  extraArgs.push('-minrelaytxfee=0.001');
  await node.kill();
  await node.restart();
  await eventually('it is given up', async () => {
    const answer = await callers[1].write(
      { method: 'POST', path: `/api/v1/transactions/${one}/abandon` },
      randomUUID(),
      () => {},
    );
    return answer?.status === 200;
  });
  expect(await executionOf(id)).toMatchObject({ status: 'failed', txid: one });
  extraArgs.pop();
  await node.kill();
  await node.restart();
  const other = await eventually('it is paid again', paid);
  expect(await executionOf(id)).toMatchObject({ status: 'executed', txid: other });
  expect((await paymentsOf(id)).toSorted()).toEqual([one, other].toSorted());
  expect(await mempool()).toEqual([other]);
  // Both spend a coin: of a block with the first, the other is no more.
  await node.rpc('generateblock', await node.rpc<string>('getnewaddress'), [raw]);
  await followed();
  await eventually('the first is the one', async () => (await executionOf(id)).txid === one);
  await eventually('the other is known to be lost', async () => (await statusOf(other)) === 'conflicted');
  expect([await executionOf(id), await statusOf(one)]).toMatchObject([{ status: 'executed' }, 'confirmed']);
  expect((await execute(callers[1], id))?.status).toBe(409);
});
