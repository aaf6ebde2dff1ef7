/** The main job with an Esplora server as the only view of the chain; the server answers from a real node. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EsploraServer, startEsploraServer } from '../builders/esplora-server.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';

describe('the main job through Esplora', () => {
  let node: TestNode;
  let esplora: EsploraServer;
  let service: ServiceProcess;

  beforeAll(async () => {
    node = await startTestNode();
    await node.mine(101, await node.rpc<string>('getnewaddress'));
    esplora = await startEsploraServer(node);
    service = await startService({ CHAIN: 'esplora', ESPLORA_URL: esplora.url }, { unlimited: true });
  });

  afterAll(async () => {
    await service?.dispose();
    await esplora?.close();
    await node?.stop();
  });

  it('receives, pays, bumps and confirms', async () => {
    const { body: wallet } = await service.call('POST', '/api/v1/wallets', {
      name: 'by Esplora',
      type: 'nested-segwit',
      backup_type: 'none',
    });
    const path = `/api/v1/wallets/${wallet.wallet_id}`;
    const { body: deposit } = await service.call('POST', `${path}/addresses`);
    await node.rpc('sendtoaddress', deposit.address, '2');
    await eventually('the deposit is seen unconfirmed', async () => {
      const { body } = await service.call('GET', path);
      return body.balance.pending === '2.00000000';
    });
    await node.mine(1);
    await eventually('the deposit is confirmed', async () => {
      const { body } = await service.call('GET', path);
      return body.balance.confirmed === '2.00000000';
    });

    const paid = await service.call('POST', '/api/v1/transactions', {
      recipients: [{ address: await node.rpc<string>('getnewaddress'), amount: '0.75' }],
      fee_rate: '2',
      rbf: true,
    });
    expect(paid.body, JSON.stringify(paid.body)).toMatchObject({ status: 'broadcast' });
    const bumped = await service.call('POST', `/api/v1/transactions/${paid.body.txid}/bump`, { fee_rate: '9' });
    expect(bumped.body, JSON.stringify(bumped.body)).toMatchObject({ status: 'broadcast', replaces: paid.body.txid });
    expect(await node.rpc('getrawmempool')).toEqual([bumped.body.txid]);
    await node.mine(1);
    await eventually('the bump is confirmed', async () => {
      const { body } = await service.call('GET', `/api/v1/transactions/${bumped.body.txid}`);
      return body.status === 'confirmed';
    });
    expect((await service.call('GET', `/api/v1/transactions/${paid.body.txid}`)).body.status).toBe('replaced');
  });

  it('says plainly that it cannot mine', async () => {
    const mined = await service.call('POST', '/api/v1/bitcoin/blocks', { count: 1 });
    expect(mined.status).toBe(403);
    expect(mined.body.error.code).toBe('forbidden');
  });
});
