import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainSource } from '../../../src/chain/chain-source.ts';
import { createEsploraSource } from '../../../src/chain/esplora/create-esplora-source.ts';
import { GENESIS_HASHES } from '../../../src/chain/genesis.ts';
import { txid } from '../../../src/core/outpoint.ts';
import { collectedLog } from '../../secrets/collected.ts';

const TIP = '00'.repeat(31).concat('aa');
const TXID = txid('ab'.repeat(32));

/** Answers canned replies by method and path, so that what real servers say can be told word for word. */
describe('Esplora source', () => {
  let server: Server;
  let source: ChainSource;
  let routes: Record<string, { status?: number; headers?: Record<string, string>; body?: unknown }>;
  let authorization: string | undefined;

  beforeEach(async () => {
    routes = {};
    server = createServer((request, response) => {
      authorization = request.headers.authorization;
      const reply = routes[`${request.method} ${request.url}`] ?? { status: 404, body: 'not found' };
      const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
      request.resume().on('end', () => response.writeHead(reply.status ?? 200, reply.headers).end(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    source = createEsploraSource({
      url: `http://me:sesame@127.0.0.1:${port}/signet/api/`,
      network: 'signet',
      log: collectedLog(),
    });
  });
  afterEach(async () => {
    await source.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const route = (path: string, reply: (typeof routes)[string], method = 'GET') => {
    routes[`${method} /signet/api${path}`] = reply;
  };

  it('knows the network by its genesis block', async () => {
    route('/blocks/tip/hash', { body: TIP });
    route(`/block/${TIP}`, { body: { id: TIP, height: 9, timestamp: 1, mediantime: 1 } });
    route('/block-height/0', { body: GENESIS_HASHES.signet });
    expect(await source.info()).toMatchObject({
      network: 'signet',
      height: 9,
      capabilities: { packages: false, mining: false },
    });
    expect(authorization).toBe(`Basic ${Buffer.from('me:sesame').toString('base64')}`);
    route('/block-height/0', { body: '11'.repeat(32) });
    await expect(source.info()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('sees that a newer server takes packages', async () => {
    route('/blocks/tip/hash', { body: TIP });
    route(`/block/${TIP}`, { body: { id: TIP, height: 9, timestamp: 1, mediantime: 1 } });
    route('/block-height/0', { body: GENESIS_HASHES.signet });
    route('/txs/package', { status: 400, body: 'Invalid number of transactions' }, 'POST');
    expect((await source.info()).capabilities.packages).toBe(true);
  });

  it.each([
    [429, { 'retry-after': '17' }, 17],
    [429, {}, 60],
    [500, {}, 5],
    [502, {}, 5],
  ])('takes HTTP %i for a server that is away, with the wait it asks for', async (status, headers, retryAfterSeconds) => {
    route('/mempool/txids', { status, headers, body: 'no' });
    await expect(source.mempoolTxids()).rejects.toMatchObject({
      code: 'node_unavailable',
      details: { retryAfterSeconds },
    });
  });

  it('reads estimates without floats; a target between two is answered by the sooner one', async () => {
    route('/fee-estimates', { body: '{"2":87.882,"6":10.1,"144":1.0000001}' });
    expect([...(await source.estimateFees([1, 2, 5, 6, 100, 1008]))]).toEqual([
      [1, 'unavailable'],
      [2, 87_882n],
      [5, 87_882n],
      [6, 10_100n],
      [100, 10_100n],
      [1008, 1_001n],
    ]);
  });

  it.each([
    ['sendrawtransaction RPC error: {"code":-26,"message":"min relay fee not met, 0 < 110"}', false],
    ['sendrawtransaction RPC error -26: min relay fee not met, 0 < 110', false],
    ['sendrawtransaction RPC error: {"code":-26,"message":"dust"}', true],
  ])('finds the words of the node in %s', async (body, final) => {
    route('/tx', { status: 400, body }, 'POST');
    const raw = Buffer.from(
      `02000000${'01'}${'cd'.repeat(32)}00000000${'00'}ffffffff${'01'}${'00'.repeat(8)}${'00'}00000000`,
      'hex',
    );
    expect(await source.broadcast(raw)).toEqual({
      result: 'refused',
      reason: final ? 'dust' : 'min relay fee not met, 0 < 110',
      final,
    });
  });

  it('does not take a transaction of a block that has left the chain for one in the mempool', async () => {
    const parent = 'ee'.repeat(32);
    const transaction = {
      txid: TXID,
      weight: 400,
      fee: 100,
      vin: [{ txid: parent, vout: 0, is_coinbase: false }],
      vout: [{ scriptpubkey: '51', value: 1000 }],
      status: { confirmed: false },
    };
    route(`/tx/${TXID}`, { body: transaction });
    route(`/tx/${TXID}/raw`, { body: 'raw' });
    route(`/tx/${TXID}/outspend/0`, { body: { spent: false } });
    route(`/tx/${parent}/outspend/0`, { body: { spent: false } });
    expect(await source.transaction(TXID)).toBeNull();
    expect(await source.mempoolEntry(TXID)).toBeNull();
    expect(await source.utxo({ txid: TXID, vout: 0 })).toBeNull();
    route(`/tx/${parent}/outspend/0`, { body: { spent: true, txid: TXID, status: { confirmed: false } } });
    expect(await source.transaction(TXID)).toMatchObject({ blockHash: null, confirmations: 0 });
  });

  it('says what it cannot do', async () => {
    const raw = Buffer.from(
      `02000000${'01'}${'cd'.repeat(32)}00000000${'00'}ffffffff${'01'}${'00'.repeat(8)}${'00'}00000000`,
      'hex',
    );
    expect(await source.matchingBlocks(['51'], 0, 10)).toBeNull();
    await expect(source.mine(1, '51')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(source.testAccept(raw)).rejects.toMatchObject({ code: 'source_incapable' });
    await expect(source.broadcastPackage([raw, raw])).rejects.toMatchObject({ code: 'source_incapable' });
  });

  it('takes a refusal where no verdict is asked for an incapacity of the server', async () => {
    route('/mempool', { status: 400, body: 'what?' });
    await expect(source.mempoolInfo()).rejects.toMatchObject({ code: 'unavailable' });
  });
});
