/** Addresses on a real node: validity and error positions as Bitcoin Core has them, scans by block filters, and an index over Esplora. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { address as codec } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBitcoindSource } from '../../src/chain/bitcoind/create-bitcoind-source.ts';
import type { ChainSource } from '../../src/chain/chain-source.ts';
import { createEsploraSource } from '../../src/chain/esplora/create-esplora-source.ts';
import { inspectAddress } from '../../src/core/relay-policy/inspect-address.ts';
import { type Json, startTestApp, type TestApp } from '../builders/app.ts';
import { startEsploraServer } from '../builders/esplora-server.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { collectedLog } from '../secrets/collected.ts';

const ADDRESSES = '/api/v1/bitcoin/addresses';
const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

let node: TestNode;
beforeAll(async () => {
  node = await startTestNode({ extraArgs: ['-txindex=1'] });
});
afterAll(() => node?.stop());

describe('validity', () => {
  it('and the positions of up to two wrong characters are as Core tells them', async () => {
    const program = fc.oneof(
      fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => codec.toBech32(bytes, 0, 'bcrt')),
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => codec.toBech32(bytes, 0, 'bcrt')),
      fc.uint8Array({ minLength: 2, maxLength: 40 }).map((bytes) => codec.toBech32(bytes, 5, 'bcrt')),
    );
    const change = fc.tuple(fc.nat(), fc.nat(31));
    let located = 0;
    await fc.assert(
      fc.asyncProperty(program, fc.array(change, { maxLength: 3 }), async (right, changes) => {
        const characters = [...right];
        for (const [place, value] of changes) {
          characters[5 + (place % (right.length - 5))] = CHARSET[value] as string;
        }
        const text = characters.join('');
        const core = await node.rpc<{ isvalid: boolean; error_locations?: number[]; scriptPubKey?: string }>(
          'validateaddress',
          text,
        );
        const ours = inspectAddress(text, 'regtest');
        expect({ text, valid: ours.valid }).toEqual({ text, valid: core.isvalid });
        expect(ours.scriptPubKey).toBe(core.scriptPubKey ?? null);
        if (ours.problem !== 'checksum') return;
        located += ours.positions.length;
        expect(ours.positions).toEqual(core.error_locations);
      }),
      { numRuns: 500 },
    );
    expect(located).toBeGreaterThan(100);
  });
});

/** An address of the node's wallet with a deposit that is spent, one that stands, and the same seen by the service. */
async function history(): Promise<{ address: string; first: string; second: string }> {
  await node.send(await node.rpc<string>('getnewaddress'), '1');
  await node.mine(1);
  const address = await node.rpc<string>('getnewaddress', '', 'bech32m');
  const first = await node.send(address, '0.5');
  await node.mine(1);
  const { vout } = (await node.rpc<Json[]>('listunspent')).find(
    (coin) => coin.txid === first && coin.address === address,
  );
  const spent = await node.rpc<Json>('send', [{ [address]: '0.2' }], null, 'unset', 5, {
    inputs: [{ txid: first, vout }],
    add_inputs: false,
  });
  await node.mine(1);
  return { address, first, second: spent.txid };
}

async function withService(
  chain: ChainSource,
  test: (app: TestApp) => Promise<void>,
  env: Record<string, string> = {},
) {
  const dataDir = mkdtempSync(join(tmpdir(), 'ashlar-addresses-'));
  const app = await startTestApp({ chain, dataDir, env });
  try {
    await app.synced();
    await test(app);
  } finally {
    await app.close();
    await chain.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const expected = (first: string, second: string, height: number) => ({
  entries: [
    { txid: second, block_height: height, received: '0.20000000', spent: '0.50000000' },
    { txid: first, block_height: height - 1, received: '0.50000000', spent: '0.00000000' },
  ],
  balance: { confirmed: '0.20000000', utxo_count: 1 },
});

describe('on the node', () => {
  it('scans find what happened, and find it anew after a reorganization', async () => {
    const { address, first, second } = await history();
    const { rpcUrl, cookieFile } = node;
    const chain = createBitcoindSource({ rpcUrl, cookieFile, zmqUrls: [], network: 'regtest', log: collectedLog() });
    await withService(chain, async (app) => {
      expect((await app.get(`${ADDRESSES}/${address}/balance`)).status).toBe(422);
      const { body: queued } = await app.post(`${ADDRESSES}/${address}/scans`);
      const until = async (fits: (scan: Json) => boolean): Promise<Json> => {
        for (;;) {
          const { body } = await app.get(`${ADDRESSES}/${address}/scans/${queued.scan_id}`);
          if (fits(body)) return body;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      };
      const scan = await until(({ state }) => state === 'done');
      const height = await node.rpc<number>('getblockcount');
      const { entries, balance } = expected(first, second, height);
      expect(scan).toMatchObject({ at_height: height, at_hash: await node.rpc('getbestblockhash') });
      expect((await app.get(`${ADDRESSES}/${address}/transactions`)).body).toMatchObject({
        source: 'scan',
        data: entries,
      });
      expect((await app.get(`${ADDRESSES}/${address}/balance`)).body).toMatchObject({ source: 'scan', ...balance });

      // The spend's block goes, and its transaction with it into the mempool, and into a later block.
      await node.rpc('invalidateblock', await node.rpc('getbestblockhash'));
      await node.rpc('generateblock', await node.rpc('getnewaddress'), []);
      await node.rpc('generateblock', await node.rpc('getnewaddress'), []);
      await app.synced();
      const again = await until(({ state, restarts }) => state === 'done' && restarts > 0);
      expect(again).toMatchObject({ at_height: height + 1, result: { confirmed: '0.50000000', utxo_count: 1 } });
    });
    await node.mine(1);
  });

  it('an Esplora server tells balance, outputs and pages of history', async () => {
    const { address, first, second } = await history();
    /** The node's wallet pays from whatever it has: not from these. */
    const keep = async () => {
      const coins = await node.rpc<Json[]>('listunspent', 0, 9_999_999, [address]);
      const outpoints = coins.map(({ txid, vout }) => ({ txid, vout }));
      if (outpoints.length > 0) await node.rpc('lockunspent', false, outpoints);
    };
    for (let count = 0; count < 26; count++) {
      await keep();
      await node.send(address, '0.001');
      await node.mine(1);
    }
    await keep();
    const waiting = await node.send(address, '0.003');
    const esplora = await startEsploraServer(node);
    const chain = createEsploraSource({ url: esplora.url, network: 'regtest', log: collectedLog() });
    try {
      await withService(
        chain,
        async (app) => {
          const balance = await app.get(`${ADDRESSES}/${address}/balance`);
          expect(balance.body).toMatchObject({
            source: 'esplora',
            confirmed: '0.22600000',
            pending: '0.00300000',
            utxo_count: 28,
            as_of: null,
          });
          const utxos = await app.get(`${ADDRESSES}/${address}/utxos?limit=2`);
          expect(utxos.body).toMatchObject({ source: 'esplora', pagination: { total: 28, has_more: true } });
          expect(utxos.body.data[0]).toMatchObject({
            txid: waiting,
            block_height: null,
            amount: '0.00300000',
            coinbase: null,
          });
          const page = await app.get(`${ADDRESSES}/${address}/transactions?limit=20`);
          expect(page.body.pagination).toMatchObject({ total: 29, has_more: true });
          expect(page.body.data[0]).toMatchObject({ txid: waiting, block_height: null });
          const rest = await app.get(
            `${ADDRESSES}/${address}/transactions?limit=20&cursor=${page.body.pagination.next_cursor}`,
          );
          expect(rest.body.data).toHaveLength(9);
          expect(rest.body.pagination).toMatchObject({ offset: 20, has_more: false, next_cursor: null });
          const height = (await node.rpc<number>('getblockcount')) - 26;
          expect(rest.body.data.slice(-2)).toMatchObject(expected(first, second, height).entries);
          const deep = await app.get(`${ADDRESSES}/${address}/transactions?limit=20&offset=20`);
          expect(deep.body.data).toEqual(rest.body.data);
          const wrong = await app.get(`${ADDRESSES}/${address}/transactions?cursor=x`);
          expect(wrong.body.error.details.field).toBe('query.cursor');
        },
        { CHAIN: 'esplora', ESPLORA_URL: esplora.url },
      );
    } finally {
      await esplora.close();
    }
  });
});
