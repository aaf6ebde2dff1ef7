/** Two processes on one PostgreSQL, one real node: one of them follows, both pay, and the other takes over when it dies. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChannelUpdate, openLiveEvents } from '../../src/demo/live-events.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

describe('two processes on one PostgreSQL', () => {
  let node: TestNode;
  let postgres: TemporaryPostgres;
  let first: ServiceProcess;
  let second: ServiceProcess;
  let secrets: string;

  beforeAll(async () => {
    [node, postgres] = await Promise.all([startTestNode(), withPostgres({ durable: true })]);
    await node.mine(101, await node.rpc<string>('getnewaddress'));
    secrets = mkdtempSync(join(tmpdir(), 'ashlar-secrets-'));
    writeFileSync(join(secrets, 'master.key'), crypto.getRandomValues(Buffer.alloc(32)), { mode: 0o600 });
    const env = {
      DATABASE_URL: await postgres.newDatabase(),
      MASTER_KEY_FILE: join(secrets, 'master.key'),
      BITCOIN_RPC_URL: node.rpcUrl,
      BITCOIN_RPC_COOKIE_FILE: node.cookieFile,
    };
    first = await startService(env);
    second = await startService(env);
  });

  afterAll(async () => {
    await Promise.all([first?.dispose(), second?.dispose()]);
    await Promise.all([node?.stop(), postgres?.stop()]);
    rmSync(secrets, { recursive: true, force: true });
  });

  const via = (service: ServiceProcess) => ({
    call: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      service.call(method, path, body, { ...headers, authorization: `Bearer ${first.apiKey}` }),
  });

  it('pays from both at once without ever choosing one coin twice, and shows each event once to either', async () => {
    const updates: ChannelUpdate[] = [];
    const live = await openLiveEvents(second.baseUrl, first.apiKey, (update) => updates.push(update));
    const { body: wallet } = await via(first).call('POST', '/api/v1/wallets', {
      name: 'shared',
      type: 'taproot',
      backup_type: 'none',
    });
    const walletPath = `/api/v1/wallets/${wallet.wallet_id}`;
    for (let i = 0; i < 8; i++) {
      const { body } = await via(i % 2 ? first : second).call('POST', `${walletPath}/addresses`);
      await node.rpc('sendtoaddress', body.address, '1');
    }
    await node.mine(1);
    await eventually('all eight deposits are confirmed', async () => {
      const { body } = await via(second).call('GET', walletPath);
      return body.balance.confirmed === '8.00000000';
    });

    const address = await node.rpc<string>('getnewaddress');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        via(i % 2 ? first : second).call('POST', '/api/v1/transactions', {
          wallet_id: wallet.wallet_id,
          recipients: [{ address, amount: '0.6' }],
          fee_rate: '2',
          rbf: true,
        }),
      ),
    );
    const paid = answers.filter(({ status }) => status === 201).map(({ body }) => body);
    for (const { status, body } of answers) {
      if (status !== 201) expect(body.error.details.code).toMatch(/insufficient_funds|state_conflict/);
    }
    expect(paid.length).toBeGreaterThanOrEqual(8);
    const mempool = await node.rpc<string[]>('getrawmempool');
    expect(mempool.toSorted()).toEqual(paid.map(({ txid }) => txid).toSorted());

    await node.mine(1);
    for (const { txid } of paid) {
      await live.until('it confirms', ({ data }) => data.txid === txid && data.status === 'confirmed');
    }
    const confirmations = updates.filter(({ data }) => data.txid === paid[0].txid && data.status === 'confirmed');
    expect(confirmations).toHaveLength(1);
    const seqs = updates.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
    live.close();
  });

  it('keeps 50 payments that are sent to both at once within one limit', async () => {
    const given = { name: 'limited', type: 'segwit', backup_type: 'none' };
    const { body: wallet } = await via(first).call('POST', '/api/v1/wallets', given);
    const walletPath = `/api/v1/wallets/${wallet.wallet_id}`;
    for (let i = 0; i < 12; i++) {
      const { body } = await via(first).call('POST', `${walletPath}/addresses`);
      await node.rpc('sendtoaddress', body.address, '0.1');
    }
    await node.mine(1);
    await eventually('the deposits are confirmed', async () => {
      const { body } = await via(second).call('GET', walletPath);
      return body.balance.confirmed === '1.20000000';
    });
    const rule = await via(first).call('POST', '/api/v1/enterprise/policies', {
      name: 'limit',
      when: { wallets: [wallet.wallet_id], window: { hours: 24, per: 'wallet', amount_over: '0.05' } },
      then: { action: 'deny', message: 'enough' },
    });
    expect(rule.status, JSON.stringify(rule.body)).toBe(201);
    const address = await node.rpc<string>('getnewaddress');
    const recipients = [{ address, amount: '0.005' }];
    const payment = { wallet_id: wallet.wallet_id, recipients, fee_rate: '2', rbf: true };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => via(i % 2 ? first : second).call('POST', '/api/v1/transactions', payment)),
    );
    const said = answers.map(({ status, body }) => (status === 201 ? 'paid' : body.error.details.code));
    expect(Map.groupBy(said, (one) => one).get('paid')).toHaveLength(10);
    expect(said.filter((one) => one === 'policy_denied')).toHaveLength(40);
  });

  it('follows in one process only, and the other takes over when that one is killed', async () => {
    await first.kill();
    const [hash] = await node.mine(1);
    await eventually('the second process follows', async () => {
      const { body } = await via(second).call('GET', '/api/v1/blockchain/status');
      return body.best_block_hash === hash && body.follower.lag === 0;
    });
    await first.start();
    await node.mine(2);
    const tip = await node.rpc<string>('getbestblockhash');
    await eventually('both say the tip', async () => {
      const [one, other] = await Promise.all(
        [first, second].map((service) => via(service).call('GET', '/api/v1/blockchain/status')),
      );
      return one?.body.follower.lag === 0 && other?.body.follower.lag === 0 && one.body.best_block_hash === tip;
    });
  });
});
