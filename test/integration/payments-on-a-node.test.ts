/** Payments against a real node: its own verdict on what is built, replaced, helped, evicted and sent again. */
import { randomBytes } from 'node:crypto';
import { address as addressCodec } from 'bitcoinjs-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBitcoindSource } from '../../src/chain/bitcoind/create-bitcoind-source.ts';
import type { ChainSource } from '../../src/chain/chain-source.ts';
import { networkParameters } from '../../src/core/network.ts';
import { startTestApp, type TestApp } from '../builders/app.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { collectedLog } from '../secrets/collected.ts';

const PATH = '/api/v1/transactions';
let node: TestNode;
let chain: ChainSource;
let app: TestApp;

interface Entry {
  vsize: number;
  fees: { base: number; ancestor: number };
  ancestorsize: number;
  spentby: string[];
}

beforeAll(async () => {
  node = await startTestNode({ extraArgs: ['-maxmempool=5'] });
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

const mempool = () => node.rpc<string[]>('getrawmempool');
const entryOf = (txid: string) => node.rpc<Entry>('getmempoolentry', txid);
const sats = (btc: number) => Math.round(btc * 1e8);

async function until(what: string, done: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 90_000;
  while (!(await done())) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

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

const pay = async (walletId: string, more: Record<string, unknown> = {}) => {
  const answer = await app.post(PATH, {
    recipients: [{ address: await node.rpc<string>('getnewaddress'), amount: '0.1' }],
    fee_rate: '2',
    rbf: true,
    wallet_id: walletId,
    ...more,
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const act = (txid: string, action: string, body: unknown) => app.post(`${PATH}/${txid}/${action}`, body);

describe('a node takes', () => {
  it.each([
    'segwit',
    'taproot',
    'nested-segwit',
    'legacy',
  ])('payments of a %s wallet, at the size and fee that the record says', async (type) => {
    const wallet = await fundedWallet(type, ['0.3', '0.2']);
    const paid = await pay(wallet, {
      recipients: [
        { address: await node.rpc<string>('getnewaddress', '', 'bech32m'), amount: '0.25' },
        { address: await node.rpc<string>('getnewaddress', '', 'legacy'), amount: '0.05' },
      ],
      fee_rate: '1.7',
    });
    expect(paid).toMatchObject({ status: 'broadcast', reason: null });
    const entry = await entryOf(paid.txid);
    expect(entry.vsize).toBe(paid.vsize);
    expect(entry.fees.base.toFixed(8)).toBe(paid.fee);
    expect(sats(entry.fees.base)).toBeGreaterThanOrEqual(1.7 * entry.vsize);
    await node.mine(1);
    await app.synced();
    expect((await app.get(`${PATH}/${paid.txid}`)).body).toMatchObject({ status: 'confirmed', confirmations: 1 });
  });

  it('a bump at exactly the fee that the refusal names, and none below', async () => {
    const wallet = await fundedWallet('segwit', ['0.5']);
    const paid = await pay(wallet, { fee_rate: '5', rbf: false });
    const refused = await act(paid.txid, 'bump', { fee_rate: '5.01' });
    expect(refused.status).toBe(422);
    const [, would] = /([\d.]+) sat\/vB, would do/.exec(refused.body.error.message) ?? [];
    const bumped = await act(paid.txid, 'bump', { fee_rate: would });
    expect(bumped.status, bumped.text).toBe(201);
    expect(await mempool()).toEqual([bumped.body.txid]);
    expect((await app.get(`${PATH}/${paid.txid}`)).body).toMatchObject({
      status: 'replaced',
      replaced_by: bumped.body.txid,
    });
  });

  it('a bump that carries the recipients of its descendants along', async () => {
    const wallet = await fundedWallet('taproot', ['0.5']);
    const first = await pay(wallet);
    const child = await pay(wallet, { fee_rate: '9' });
    expect((await act(first.txid, 'bump', { fee_rate: '20' })).body.error.details.code).toBe(
      'descendants_would_be_evicted',
    );
    const all = await act(first.txid, 'bump', { fee_rate: '20', replace_descendants: true });
    expect(all.status, all.text).toBe(201);
    expect(all.body).toMatchObject({ status: 'broadcast', amount: '0.20000000' });
    const there = await mempool();
    expect(there).toContain(all.body.txid);
    expect(there).not.toContain(first.txid);
    expect(there).not.toContain(child.txid);
  });

  it('a cancellation, and a child that pays for a deposit', async () => {
    const wallet = await fundedWallet('segwit', ['0.5']);
    const paid = await pay(wallet);
    const cancelled = await act(paid.txid, 'cancel', {});
    expect(cancelled.status, cancelled.text).toBe(201);
    expect(await mempool()).toContain(cancelled.body.txid);
    expect(await mempool()).not.toContain(paid.txid);

    const { body: to } = await app.post(`/api/v1/wallets/${wallet}/addresses`);
    const deposit = await node.send(to.address, '0.2');
    await until('the deposit is known', async () => (await app.get(`${PATH}/${deposit}`)).status === 200);
    const child = await act(deposit, 'cpfp', { fee_rate: '30' });
    expect(child.status, child.text).toBe(201);
    const entry = await entryOf(child.body.txid);
    expect(sats(entry.fees.ancestor)).toBeGreaterThanOrEqual(30 * entry.ancestorsize);
    expect(sats(entry.fees.ancestor)).toBeLessThan(30.5 * entry.ancestorsize);
  });

  it('a payment from a deposit that another child lifts already, which pays for itself alone', async () => {
    const wallet = await fundedWallet('segwit', ['0.5']);
    const addresses = await Promise.all([1, 2].map(() => app.post(`/api/v1/wallets/${wallet}/addresses`)));
    const amounts = Object.fromEntries(addresses.map(({ body }, index) => [body.address, 0.2 - index / 10]));
    const deposit = await node.rpc<string>('sendmany', '', amounts);
    await until('the deposit is known', async () => (await app.get(`${PATH}/${deposit}`)).status === 200);
    const child = await act(deposit, 'cpfp', { fee_rate: '30' });
    expect(child.status, child.text).toBe(201);
    const { vout } = await node.rpc<{ vout: { n: number; value: number }[] }>('getrawtransaction', deposit, 2);
    const other = vout.find(({ value }) => value === 0.1)!;
    const paid = await pay(wallet, {
      recipients: [{ address: await node.rpc<string>('getnewaddress'), amount: '0.05' }],
      ...{ fee_rate: '30', min_conf: 0, coin_control: { include: [`${deposit}:${other.n}`] } },
    });
    expect(paid).toMatchObject({ status: 'broadcast', ancestor_fee: '0.00000000' });
    const entries = await Promise.all([deposit, child.body.txid, paid.txid].map(entryOf));
    const lacking = entries.reduce((sum, { vsize, fees }) => sum + 30 * vsize - sats(fees.base), 0);
    expect(lacking).toBeLessThanOrEqual(0);
    expect(lacking).toBeGreaterThan(-100);
  });
});

describe('a node forgets', () => {
  it('its mempool with its process, and gets our payments back by itself', async () => {
    const wallet = await fundedWallet('segwit', ['0.5']);
    const first = await pay(wallet);
    const second = await pay(wallet);
    await node.kill();
    await node.restart();
    await until('both are back', async () => {
      const there = await mempool();
      return there.includes(first.txid) && there.includes(second.txid);
    });
    await node.mine(1);
    await app.synced();
    expect((await app.get(`${PATH}/${second.txid}`)).body.status).toBe('confirmed');
  });

  it('what is below the risen minimum: it waits for its child, and a CET comes with one; each two as a package', async () => {
    const wallet = await fundedWallet('segwit', ['0.5']);
    const contract = await confirmedContract(await fundedWallet('segwit', ['0.5']));
    const paid = await pay(wallet, { fee_rate: '1' });
    await crowdOut(paid.txid);
    await until('the record says why', async () =>
      ((await app.get(`${PATH}/${paid.txid}`)).body.reason ?? '').includes('min fee not met'),
    );
    expect((await app.get(`${PATH}/${paid.txid}`)).body.status).toBe('broadcast');
    const late = await app.post(PATH, {
      recipients: [{ address: await node.rpc<string>('getnewaddress'), amount: '0.1' }],
      ...{ fee_rate: '1', rbf: true, wallet_id: wallet },
    });
    expect(late.body.error.details).toMatchObject({ field: 'fee_rate', code: 'fee_too_low' });
    const child = await act(paid.txid, 'cpfp', { fee_rate: '120' });
    expect(child.status, child.text).toBe(201);
    expect(child.body.status).toBe('broadcast');
    const there = await mempool();
    expect(there).toContain(paid.txid);
    expect(there).toContain(child.body.txid);
    expect((await app.get(`${PATH}/${paid.txid}`)).body.reason).toBeNull();

    const executed = await app.call('PUT', `/api/v1/contracts/${contract}/execute`, { outcome: 'win' });
    expect(executed.body, executed.text).toMatchObject({ status: 'executed', outcome: 'win' });
    const entry = await entryOf(executed.body.cet_txid);
    expect(sats(entry.fees.base) / entry.vsize).toBeLessThan(2);
    expect(entry.spentby).toHaveLength(1);
  }, 300_000);
});

/** Of one holder, its fee fixed at the least. */
async function confirmedContract(walletId: string): Promise<string> {
  const made = await app.post('/api/v1/contracts', {
    ...{ type: 'dlc', oracle: 'local', outcomes: ['win', 'lose'], collateral: '0.2' },
    ...{ wallet_id: walletId, fee_rate: '1' },
  });
  expect(made.status, made.text).toBe(201);
  const reaches = (status: string) =>
    until(`the contract is ${status}`, async () => {
      const { body } = await app.get(`/api/v1/contracts/${made.body.contract_id}`);
      return body.status === status;
    });
  await reaches('funded');
  await node.mine(1);
  await app.synced();
  await reaches('confirmed');
  return made.body.contract_id;
}

/** Fills the mempool with large transactions at rising feerates until it drops this one. */
async function crowdOut(txid: string): Promise<void> {
  const coins = await node.rpc<{ txid: string; vout: number; amount: number }[]>('listunspent');
  const large = coins.filter((coin) => coin.amount > 10);
  for (const [index, coin] of large.entries()) {
    if (!(await mempool()).includes(txid)) return;
    const dust = Object.fromEntries(
      Array.from({ length: 2_800 }, () => [
        addressCodec.fromOutputScript(Buffer.concat([Buffer.of(0, 20), randomBytes(20)]), networkParameters('regtest')),
        0.00001,
      ]),
    );
    const feeBtc = (90_000 * (20 + index)) / 1e8;
    const back = Number((coin.amount - 2_800 * 0.00001 - feeBtc).toFixed(8));
    const outputs = { ...dust, [await node.rpc<string>('getnewaddress')]: back };
    const raw = await node.rpc<string>('createrawtransaction', [{ txid: coin.txid, vout: coin.vout }], outputs);
    const { hex } = await node.rpc<{ hex: string }>('signrawtransactionwithwallet', raw);
    await node.rpc('sendrawtransaction', hex, 0);
  }
  throw new Error('the mempool did not fill up');
}
