/** Contracts of one holder on a real node: its verdict on every funding transaction, CET and refund; reorganizations; kill -9. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBitcoindSource } from '../../src/chain/bitcoind/create-bitcoind-source.ts';
import type { ChainSource } from '../../src/chain/chain-source.ts';
import { startTestApp, type TestApp } from '../builders/app.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';
import { collectedLog } from '../secrets/collected.ts';

const PATH = '/api/v1/contracts';
let node: TestNode;
let chain: ChainSource;
let app: TestApp;

interface Decoded {
  vout: { value: number; scriptPubKey: { address: string } }[];
  locktime: number;
  vin: { txinwitness: string[] }[];
}

beforeAll(async () => {
  node = await startTestNode();
  await node.mine(150);
  chain = createBitcoindSource({
    rpcUrl: node.rpcUrl,
    cookieFile: node.cookieFile,
    zmqUrls: node.zmqUrls,
    network: 'regtest',
    log: collectedLog(),
  });
  app = await startTestApp({ chain, env: { CHAIN: 'bitcoind', BITCOIN_RPC_URL: node.rpcUrl } });
});

afterAll(async () => {
  await app?.close();
  await chain?.close();
  await node?.stop();
});

async function fundedWallet(type: string, coins: readonly string[]): Promise<string> {
  const made = await app.post('/api/v1/wallets', { name: type, type, backup_type: 'none' });
  expect(made.status, made.text).toBe(201);
  const id = made.body.wallet_id as string;
  for (const amount of coins) {
    const { body } = await app.post(`/api/v1/wallets/${id}/addresses`);
    await node.send(body.address, amount);
  }
  await node.mine(1);
  await app.synced();
  return id;
}

async function create(walletId: string, more: Record<string, unknown> = {}) {
  const answer = await app.post(PATH, {
    ...{ type: 'dlc', oracle: 'local', outcomes: ['win', 'draw', 'lose'], collateral: '0.01', wallet_id: walletId },
    ...more,
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const get = async (id: string) => (await app.get(`${PATH}/${id}`)).body;
const execute = (id: string, outcome: string) => app.call('PUT', `${PATH}/${id}/execute`, { outcome });

async function until(id: string, status: string) {
  let body = await get(id);
  await eventually(`contract ${id} is ${status}`, async () => {
    body = await get(id);
    return body.status === status;
  });
  return body;
}

async function confirmed(walletId: string, more: Record<string, unknown> = {}) {
  // Where the machine is slow, the first answer comes before it is funded.
  const made = await until((await create(walletId, more)).contract_id, 'funded');
  expect(made.custody).toBe('single');
  expect(await node.rpc<string[]>('getrawmempool')).toContain(made.funding_txid);
  await node.mine(1);
  return until(made.contract_id, 'confirmed');
}

/** What the node says that the transaction pays. */
async function paid(txid: string): Promise<string[]> {
  const decoded = await node.rpc<Decoded>('getrawtransaction', txid, true);
  return decoded.vout.map(({ value }) => value.toFixed(8));
}

describe('a contract on outcomes', () => {
  const payouts = { first: '0.01', middle: '0.0075', equal: '0.005', dust: '0.0099901', last: '0' };
  it.each([
    ['first', 'segwit', ['0.01000000']],
    ['middle', 'taproot', ['0.00250000', '0.00750000']],
    ['equal', 'nested-segwit', ['0.00500000', '0.00500000']],
    ['dust', 'segwit', ['0.00999010']],
    ['last', 'taproot', ['0.01000000']],
  ])('pays by its %s outcome, funded by a %s wallet', async (outcome, type, shares) => {
    const wallet = await fundedWallet(type, ['0.006', '0.007']);
    const contract = await confirmed(wallet, { outcomes: Object.keys(payouts), payouts });
    const answer = await execute(contract.contract_id, outcome);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ status: 'executed', outcome });
    expect((await paid(answer.body.cet_txid)).sort()).toEqual(shares);
    await node.mine(1);
    await until(contract.contract_id, 'closed');
  });

  it('of two wallets pays both', async () => {
    const [one, other] = [await fundedWallet('segwit', ['0.02']), await fundedWallet('taproot', ['0.02'])];
    const contract = await confirmed(one, { counterparty: { wallet_id: other }, offer_collateral: '0.004' });
    expect(contract).toMatchObject({ offer_collateral: '0.00400000', counterparty_wallet_id: other });
    const answer = await execute(contract.contract_id, 'lose');
    expect(answer.body).toMatchObject({ status: 'executed' });
    await node.mine(1);
    await until(contract.contract_id, 'closed');
    const { balance } = (await app.get(`/api/v1/wallets/${other}`)).body;
    expect(Number(balance.confirmed)).toBeGreaterThan(0.0239);
  });

  it('is executed once, however often and by how many it is asked for', async () => {
    const contract = await confirmed(await fundedWallet('segwit', ['0.02']));
    const answers = await Promise.all(['win', 'win', 'lose', 'win'].map((one) => execute(contract.contract_id, one)));
    const done = answers.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ body }) => `${body.outcome} ${body.cet_txid}`)).size).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const again = await execute(contract.contract_id, done[0]!.body.outcome);
    expect(again.body.cet_txid).toBe(done[0]!.body.cet_txid);
  });

  it('is refunded by itself when its time is over', async () => {
    const height = await node.rpc<number>('getblockcount');
    const wallet = await fundedWallet('segwit', ['0.02', '0.02']);
    const contract = await confirmed(wallet, { offer_collateral: '0.003', refund_locktime: height + 6 });
    await node.mine(2);
    await app.synced();
    expect((await get(contract.contract_id)).status).toBe('confirmed');
    await node.mine(3);
    const refunded = await until(contract.contract_id, 'refunded');
    expect((await paid(refunded.refund_txid)).sort()).toEqual(['0.00300000', '0.00700000']);
    await node.mine(1);
    await until(contract.contract_id, 'closed');
  });

  it('is settled by itself when its event is attested', async () => {
    const contract = await confirmed(await fundedWallet('segwit', ['0.02']));
    const attested = await app.post('/api/v1/dlc/attestations', {
      oracle: contract.oracle,
      event_id: contract.event_ids[0],
      outcome: 'draw',
    });
    expect(attested.status, attested.text).toBe(201);
    const executed = await until(contract.contract_id, 'executed');
    expect(executed.outcome).toBe('draw');
    expect(await node.rpc<string[]>('getrawmempool')).toContain(executed.cet_txid);
  });

  it('follows the chain back and forth', async () => {
    const contract = await confirmed(await fundedWallet('segwit', ['0.02']));
    const tip = await node.rpc<string>('getbestblockhash');
    await node.rpc('invalidateblock', tip);
    await until(contract.contract_id, 'funded');
    expect((await execute(contract.contract_id, 'win')).status).toBe(409);
    await node.mine(2);
    await until(contract.contract_id, 'confirmed');
    expect((await execute(contract.contract_id, 'win')).body.status).toBe('executed');
    await node.mine(1);
    await until(contract.contract_id, 'closed');
  });
});

describe('a contract on a number', () => {
  const descriptor = {
    ...{ base: 2, digits: 14, unit: 'usd', precision: 0 },
    payout_points: [
      { outcome: 0, payout: '0', is_endpoint: true },
      { outcome: 10_000, payout: '0.01', is_endpoint: true },
      { outcome: 16_383, payout: '0.01', is_endpoint: true },
    ],
    rounding: [{ begin_interval: 0, rounding_mod: '0.0001' }],
  };

  it.each([
    ['0', ['0.01000000']],
    ['5049', ['0.00500000', '0.00500000']],
    ['2549', ['0.00250000', '0.00750000']],
    ['16383', ['0.01000000']],
  ])('pays by %s', async (outcome, shares) => {
    const wallet = await fundedWallet('segwit', ['0.02']);
    const contract = await confirmed(wallet, { outcomes: undefined, descriptor });
    const answer = await execute(contract.contract_id, outcome);
    expect(answer.status, answer.text).toBe(200);
    expect((await paid(answer.body.cet_txid)).sort()).toEqual(shares);
  });
});

describe('a process that is killed', () => {
  let service: ServiceProcess;
  afterAll(() => service?.dispose());

  it('while it signs a large contract signs it after its next start, and funds it once', async () => {
    service = await startService(
      { BITCOIN_RPC_URL: node.rpcUrl, BITCOIN_RPC_COOKIE_FILE: node.cookieFile },
      { unlimited: true },
    );
    const wallet = await service.call('POST', '/api/v1/wallets', { name: 'k', type: 'segwit', backup_type: 'none' });
    const walletPath = `/api/v1/wallets/${wallet.body.wallet_id}`;
    const deposit = await service.call('POST', `${walletPath}/addresses`);
    await node.send(deposit.body.address, '0.05');
    await node.mine(1);
    const balance = async () => (await service.call('GET', walletPath)).body.balance;
    await eventually('the deposit is there', async () => (await balance()).confirmed === '0.05000000');

    const outcomes = Array.from({ length: 1_000 }, (_, at) => `outcome ${at}`);
    const asked = { type: 'dlc', oracle: 'local', outcomes, collateral: '0.01', external_id: 'killed' };
    const asking = service.call('POST', PATH, asked).catch(() => null);
    const only = async () => (await service.call('GET', `${PATH}?external_id=killed`)).body.data[0];
    await eventually('signing has begun', async () => {
      const contract = await only();
      return contract !== undefined && (contract.progress !== null || contract.status !== 'offered');
    });
    await service.kill();
    await asking;
    await service.start();
    let contract = await only();
    await eventually('it is funded', async () => {
      contract = await only();
      return contract.status === 'funded' || contract.status === 'confirmed';
    });
    const mempool = await node.rpc<string[]>('getrawmempool');
    expect(mempool.filter((txid) => txid === contract.funding_txid)).toHaveLength(1);
    await node.mine(1);
    await eventually('it is confirmed', async () => (await only()).status === 'confirmed');
    const answer = await service.call('PUT', `${PATH}/${contract.contract_id}/execute`, { outcome: 'outcome 500' });
    expect(answer.body).toMatchObject({ status: 'executed', outcome: 'outcome 500' });
  });
});
