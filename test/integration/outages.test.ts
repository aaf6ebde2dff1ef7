/** What happens to money on bad days: the node dies, the service dies, the chain turns back, deposits vanish. On a real node. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { type RpcProxy, startRpcProxy } from '../builders/rpc-proxy.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';

let node: TestNode;
let proxy: RpcProxy;
let service: ServiceProcess;

beforeAll(async () => {
  node = await startTestNode();
  await node.mine(110, await node.rpc<string>('getnewaddress'));
  proxy = await startRpcProxy(node.rpcUrl);
  service = await startService(
    { BITCOIN_RPC_URL: proxy.url, BITCOIN_RPC_COOKIE_FILE: node.cookieFile },
    { unlimited: true },
  );
});

afterAll(async () => {
  await service?.dispose();
  await proxy?.close();
  await node?.stop();
});

async function synced(): Promise<void> {
  const tip = await node.rpc<string>('getbestblockhash');
  await eventually('the follower is at the tip', async () => {
    const { body } = await service.call('GET', '/api/v1/blockchain/status');
    return body.best_block_hash === tip && body.follower?.lag === 0;
  });
}

async function fundedWallet(name: string, coins: string[]): Promise<{ id: string; path: string }> {
  const made = await service.call('POST', '/api/v1/wallets', { name, type: 'segwit', backup_type: 'none' });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const path = `/api/v1/wallets/${made.body.wallet_id}`;
  for (const amount of coins) {
    const { body } = await service.call('POST', `${path}/addresses`);
    await node.rpc('sendtoaddress', body.address, amount);
  }
  await node.mine(1);
  await synced();
  return { id: made.body.wallet_id, path };
}

const payment = async (wallet: string, amount: string) => ({
  wallet_id: wallet,
  recipients: [{ address: await node.rpc<string>('getnewaddress'), amount }],
  fee_rate: '3',
  rbf: true,
});

const balanceOf = async (path: string) => (await service.call('GET', path)).body.balance;

async function freshRescan(path: string) {
  const asked = await service.call('POST', `${path}/rescan`, { from_height: 0 });
  expect(asked.status, JSON.stringify(asked.body)).toBe(202);
  await eventually('the rescan is done', async () => (await service.call('GET', path)).body.scan.state === 'idle');
  return balanceOf(path);
}

describe('the node goes away', () => {
  it('refuses with 503 and keeps nothing when the node is gone before the commit, and pays once it is back', async () => {
    const wallet = await fundedWallet('node gone', ['1']);
    const request = await payment(wallet.id, '0.25');
    const headers = { 'idempotency-key': 'node-gone-1' };
    await node.kill();
    const refused = await service.call('POST', '/api/v1/transactions', request, headers);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused.body.error.code).toBe('internal_error');
    expect(
      (await service.call('GET', `/api/v1/transactions?wallet_id=${wallet.id}&direction=outgoing`)).body.data,
    ).toEqual([]);
    await node.restart();
    await synced();
    const paid = await service.call('POST', '/api/v1/transactions', request, headers);
    expect(paid.status, JSON.stringify(paid.body)).toBe(201);
    expect(await node.rpc('getrawmempool')).toContain(paid.body.txid);
  });

  it('answers the signed record when the node goes away after the commit, and re-sends the same bytes by itself', async () => {
    const wallet = await fundedWallet('node gone after', ['1']);
    proxy.fault('sendrawtransaction', 'drop');
    const answer = await service.call('POST', '/api/v1/transactions', await payment(wallet.id, '0.25'));
    expect(answer.status).toBe(201);
    expect(answer.body.status).toBe('signed');
    proxy.heal();
    await node.mine(1);
    await eventually('the payment is in the mempool', async () =>
      (await node.rpc<string[]>('getrawmempool')).includes(answer.body.txid),
    );
    await eventually('its record says so', async () => {
      const { body } = await service.call('GET', `/api/v1/transactions/${answer.body.txid}`);
      return body.status === 'broadcast';
    });
  });
});

describe('the service is killed', () => {
  it('pays once when killed between commit and broadcast and asked again, also in parallel', async () => {
    const wallet = await fundedWallet('killed before broadcast', ['1', '1']);
    const request = await payment(wallet.id, '0.4');
    const headers = { 'idempotency-key': 'killed-1' };
    proxy.fault('sendrawtransaction', 'hold');
    const before = proxy.calls('sendrawtransaction');
    const lost = service.call('POST', '/api/v1/transactions', request, headers).catch(() => null);
    await eventually('the broadcast is under way', async () => proxy.calls('sendrawtransaction') > before);
    await service.kill();
    await lost;
    proxy.heal();
    await service.start();
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(() => service.call('POST', '/api/v1/transactions', request, headers)),
    );
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    // 409 says that one of the others is being answered: then this one would have been, too.
    const late = await eventually('it is answered', async () => {
      const answer = await service.call('POST', '/api/v1/transactions', request, headers);
      return answer.status === 201 && answer;
    });
    const { txid } = late.body;
    for (const { status, body } of answers) if (status === 201) expect(body.txid).toBe(txid);
    await eventually('it is in the mempool', async () => (await node.rpc<string[]>('getrawmempool')).includes(txid));
    const outgoing = await service.call('GET', `/api/v1/transactions?wallet_id=${wallet.id}&direction=outgoing`);
    expect(outgoing.body.data.map((one: { txid: string }) => one.txid)).toEqual([txid]);
    await node.mine(1);
    await synced();
    // One coin of 1 BTC was spent, the other is free: 2 - 0.4 - fee.
    const { confirmed } = await balanceOf(wallet.path);
    expect(confirmed).toMatch(/^1\.5999/);
    expect((await service.call('GET', `${wallet.path}/utxos`)).body.pagination.total).toBe(2);
  });

  it('pays once when killed right after the broadcast', async () => {
    const wallet = await fundedWallet('killed after broadcast', ['1']);
    const request = await payment(wallet.id, '0.4');
    const headers = { 'idempotency-key': 'killed-2' };
    const known = new Set(await node.rpc<string[]>('getrawmempool'));
    const lost = service.call('POST', '/api/v1/transactions', request, headers).catch(() => null);
    const txid = await eventually('the node has it', async () =>
      (await node.rpc<string[]>('getrawmempool')).find((one) => !known.has(one)),
    );
    await service.kill();
    await lost;
    await service.start();
    const again = await service.call('POST', '/api/v1/transactions', request, headers);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.txid).toBe(txid);
  });
});

describe('deposits that change their mind', () => {
  it('takes back a deposit that was replaced by a transaction that pays us nothing', async () => {
    const wallet = await fundedWallet('replaced deposit', ['0.5']);
    const { body: deposit } = await service.call('POST', `${wallet.path}/addresses`);
    const [coin] = await node.rpc<{ txid: string; vout: number; amount: number }[]>('listunspent');
    if (!coin) throw new Error('the node has no coin');
    const spend = async (address: string, fee: number) => {
      const raw = await node.rpc<string>(
        'createrawtransaction',
        [{ txid: coin.txid, vout: coin.vout, sequence: 0xfffffffd }],
        [{ [address]: Number((coin.amount - fee).toFixed(8)) }],
      );
      const { hex } = await node.rpc<{ hex: string }>('signrawtransactionwithwallet', raw);
      return node.rpc<string>('sendrawtransaction', hex, 0);
    };
    const first = await spend(deposit.address, 0.0001);
    await eventually('the deposit is pending', async () => (await balanceOf(wallet.path)).pending !== '0.00000000');
    const second = await spend(await node.rpc<string>('getnewaddress'), 0.0005);
    await eventually('the deposit is taken back', async () => (await balanceOf(wallet.path)).pending === '0.00000000');
    const record = await service.call('GET', `/api/v1/transactions/${first}`);
    expect(record.body).toMatchObject({ status: 'replaced', replaced_by: second });
    await node.mine(1);
    await synced();
    expect(await balanceOf(wallet.path)).toMatchObject({ confirmed: '0.50000000', pending: '0.00000000' });
    expect((await service.call('GET', `/api/v1/transactions/${first}`)).body.status).toBe('conflicted');
  });

  it('spends an unconfirmed TRUC deposit only by its rules', async () => {
    const wallet = await fundedWallet('truc deposit', []);
    const { body: deposit } = await service.call('POST', `${wallet.path}/addresses`);
    const [coin] = await node.rpc<{ txid: string; vout: number; amount: number }[]>('listunspent');
    if (!coin) throw new Error('the node has no coin');
    const plain = await node.rpc<string>(
      'createrawtransaction',
      [{ txid: coin.txid, vout: coin.vout }],
      [{ [deposit.address]: Number((coin.amount - 0.001).toFixed(8)) }],
    );
    const { hex } = await node.rpc<{ hex: string }>('signrawtransactionwithwallet', `03000000${plain.slice(8)}`);
    const txid = await node.rpc<string>('sendrawtransaction', hex, 0);
    await eventually('the deposit is pending', async () => (await balanceOf(wallet.path)).pending !== '0.00000000');
    const refused = await service.call('POST', '/api/v1/transactions', await payment(wallet.id, '0.1'));
    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toMatchObject({ field: 'recipients', code: 'insufficient_funds' });
    const spent = await service.call('POST', '/api/v1/transactions', {
      ...(await payment(wallet.id, '0.1')),
      min_conf: 0,
    });
    expect(spent.status, JSON.stringify(spent.body)).toBe(201);
    expect(spent.body.status).toBe('broadcast');
    const decoded = await node.rpc<{ version: number; vsize: number }>(
      'decoderawtransaction',
      await node.rpc('getrawtransaction', spent.body.txid),
    );
    expect(decoded.version).toBe(3);
    expect(decoded.vsize).toBeLessThanOrEqual(1000);
    await node.mine(1);
    await synced();
    expect((await service.call('GET', `/api/v1/transactions/${txid}`)).body.status).toBe('confirmed');
  });
});

describe('the chain turns back', () => {
  it.each([1, 2, 3, 4, 5, 6])('a reorg of %i blocks, alternately while the service is down', async (depth) => {
    const wallet = await fundedWallet(`reorg ${depth}`, ['1', '0.5']);
    const paid = await service.call('POST', '/api/v1/transactions', await payment(wallet.id, '0.3'));
    expect(paid.status, JSON.stringify(paid.body)).toBe(201);
    await node.mine(depth);
    await synced();
    expect((await service.call('GET', `/api/v1/transactions/${paid.body.txid}`)).body.status).toBe('confirmed');

    const down = depth % 2 === 0;
    if (down) await service.stop();
    const height = await node.rpc<number>('getblockcount');
    await node.rpc('invalidateblock', await node.rpc('getblockhash', height - depth + 1));
    // Empty blocks of another branch: what the old one confirmed is unconfirmed again.
    const burn = await node.rpc<string>('getnewaddress');
    for (let i = 0; i <= depth; i++) await node.rpc('generateblock', burn, []);
    if (down) await service.start();
    await synced();

    await eventually('our payment is back in the mempool', async () =>
      (await node.rpc<string[]>('getrawmempool')).includes(paid.body.txid),
    );
    const record = await service.call('GET', `/api/v1/transactions/${paid.body.txid}`);
    expect(record.body).toMatchObject({ status: 'broadcast', block_height: null, block_hash: null, confirmations: 0 });
    await node.mine(1);
    await synced();
    expect((await service.call('GET', `/api/v1/transactions/${paid.body.txid}`)).body).toMatchObject({
      status: 'confirmed',
      block_height: await node.rpc('getblockcount'),
    });
    const followed = await balanceOf(wallet.path);
    expect(await freshRescan(wallet.path)).toEqual(followed);
    expect(followed.confirmed).toMatch(/^1\.1999/);
  });
});

describe('another chain', () => {
  it('refuses to start a data directory against another chain, saying so', async () => {
    await service.stop();
    const wrong = await startService({ CHAIN: 'simulated' }, { untilReady: false, dataDir: service.dataDir });
    expect(await wrong.exited).not.toBe(0);
    expect(wrong.output()).toMatch(
      /first used with the chain source bitcoind, now it is simulated: use another DATA_DIR/,
    );
    await service.start();
    expect((await service.call('GET', '/api/v1/blockchain/status')).status).toBe(200);
  });
});
