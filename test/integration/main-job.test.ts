/** The main job as an enterprise backend does it: a process of its own, a real node, a real socket. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChannelUpdate, openLiveEvents } from '../../src/demo/live-events.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';

describe('the main job on a real node', () => {
  let node: TestNode;
  let service: ServiceProcess;

  beforeAll(async () => {
    node = await startTestNode();
    await node.mine(1);
    service = await startService(
      { BITCOIN_RPC_URL: node.rpcUrl, BITCOIN_RPC_COOKIE_FILE: node.cookieFile },
      { unlimited: true },
    );
  });

  afterAll(async () => {
    await service?.dispose();
    await node?.stop();
  });

  it('makes a wallet, receives, pays three, bumps, confirms, and shows every step live', async () => {
    const updates: ChannelUpdate[] = [];
    const live = await openLiveEvents(service.baseUrl, service.apiKey, (update) => updates.push(update));
    const wallet = await service.call('POST', '/api/v1/wallets', {
      name: 'Treasury',
      type: 'segwit',
      backup_type: 'encrypted',
    });
    expect(wallet.status).toBe(201);
    const walletPath = `/api/v1/wallets/${wallet.body.wallet_id}`;
    const deposit = await service.call('POST', `${walletPath}/addresses`);
    expect(deposit.body).toMatchObject({ address: expect.stringMatching(/^bcrt1q/), index: 0, change: false });

    await node.mine(1, deposit.body.address);
    await node.mine(100);
    await eventually('the coinbase matures', async () => {
      const { body } = await service.call('GET', walletPath);
      return body.balance.confirmed === '50.00000000';
    });

    const addresses = await Promise.all([1, 2, 3].map(() => node.rpc<string>('getnewaddress')));
    const payment = await service.call('POST', '/api/v1/transactions', {
      recipients: addresses.map((address, i) => ({ address, amount: `${i + 1}.5` })),
      fee_rate: '1.5',
      rbf: true,
    });
    expect(payment.status, JSON.stringify(payment.body)).toBe(201);
    expect(payment.body).toMatchObject({
      status: 'broadcast',
      direction: 'outgoing',
      amount: '7.50000000',
      rbf: true,
      block_height: null,
      wallet_id: wallet.body.wallet_id,
    });
    const inMempool = await node.rpc<{ vsize: number; fees: { base: number } }>('getmempoolentry', payment.body.txid);
    expect(inMempool.vsize).toBe(payment.body.vsize);
    expect(inMempool.fees.base.toFixed(8)).toBe(payment.body.fee);
    expect(inMempool.fees.base * 1e8).toBeGreaterThanOrEqual(1.5 * inMempool.vsize);

    const bumped = await service.call('POST', `/api/v1/transactions/${payment.body.txid}/bump`, { fee_rate: '20' });
    expect(bumped.status, JSON.stringify(bumped.body)).toBe(201);
    expect(bumped.body).toMatchObject({ status: 'broadcast', replaces: payment.body.txid });
    const mempool = await node.rpc<string[]>('getrawmempool');
    expect(mempool).toEqual([bumped.body.txid]);
    const replaced = await service.call('GET', `/api/v1/transactions/${payment.body.txid}`);
    expect(replaced.body).toMatchObject({ status: 'replaced', replaced_by: bumped.body.txid });

    const [hash] = await node.mine(1);
    await live.until('the bump confirms', ({ data }) => data.txid === bumped.body.txid && data.status === 'confirmed');
    const confirmed = await service.call('GET', `/api/v1/transactions/${bumped.body.txid}`);
    expect(confirmed.body).toMatchObject({ status: 'confirmed', block_hash: hash, confirmations: 1 });

    const seqs = updates.map((update) => update.seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    const story = updates.filter(({ data }) => data.txid === payment.body.txid).map(({ data }) => data.status);
    expect(story).toEqual(['signed', 'broadcast', 'replaced']);
    live.close();
  });
});
