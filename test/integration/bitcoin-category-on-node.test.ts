/** The chain in the Bitcoin category against what a real node says itself, straight and through an Esplora server on it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBitcoindSource } from '../../src/chain/bitcoind/create-bitcoind-source.ts';
import type { ChainSource } from '../../src/chain/chain-source.ts';
import { createEsploraSource } from '../../src/chain/esplora/create-esplora-source.ts';
import { type Json, startTestApp, type TestApp } from '../builders/app.ts';
import { type EsploraServer, startEsploraServer } from '../builders/esplora-server.ts';
import { BURN_ADDRESS, startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { collectedLog } from '../secrets/collected.ts';

const ROOT = '/api/v1/bitcoin';
let node: TestNode;
let esplora: EsploraServer;
let chains: ChainSource[];
let app: TestApp;
let overEsplora: TestApp;

const bitcoindOf = (of: TestNode) =>
  createBitcoindSource({
    rpcUrl: of.rpcUrl,
    cookieFile: of.cookieFile,
    zmqUrls: of.zmqUrls,
    network: 'regtest',
    log: collectedLog(),
  });

beforeAll(async () => {
  node = await startTestNode();
  await node.mine(110);
  esplora = await startEsploraServer(node);
  chains = [bitcoindOf(node), createEsploraSource({ url: esplora.url, network: 'regtest', log: collectedLog() })];
  app = await startTestApp({ chain: chains[0]!, env: { CHAIN: 'bitcoind', BITCOIN_RPC_URL: node.rpcUrl } });
  overEsplora = await startTestApp({ chain: chains[1]!, env: { CHAIN: 'esplora', ESPLORA_URL: esplora.url } });
});

afterAll(async () => {
  await app?.close();
  await overEsplora?.close();
  for (const chain of chains ?? []) await chain.close();
  await esplora?.close();
  await node?.stop();
});

async function get(path: string, of = app): Promise<Json> {
  const answer = await of.get(`${ROOT}${path}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}
async function post(path: string, body: Json, of = app): Promise<Json> {
  const answer = await of.post(`${ROOT}${path}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}
const sats = (btc: string | number): number => Math.round(Number(btc) * 1e8);
const newAddress = (type = 'bech32') => node.rpc<string>('getnewaddress', '', type);
const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString();

/** Payments to every script type that the node's wallet makes, then a block. */
async function aBusyBlock(): Promise<{ hash: string; txids: string[] }> {
  const txids: string[] = [];
  for (const type of ['legacy', 'p2sh-segwit', 'bech32', 'bech32m'])
    txids.push(await node.send(await newAddress(type), '1.5'));
  const [hash] = await node.mine(1, BURN_ADDRESS);
  return { hash: hash!, txids };
}

describe('blocks', () => {
  it("are the node's own getblock and getblockheader", async () => {
    const { hash } = await aBusyBlock();
    const theirs = await node.rpc<Json>('getblock', hash, 2);
    for (const of of [app, overEsplora]) {
      const ours = await get(`/blocks/${hash}`, of);
      expect(ours).toMatchObject({
        ...{ hash, height: theirs.height, confirmations: theirs.confirmations, in_best_chain: true },
        ...{ previous_hash: theirs.previousblockhash, version: theirs.version, merkle_root: theirs.merkleroot },
        ...{ timestamp: theirs.time, median_time: isoOf(theirs.mediantime), bits: theirs.bits, nonce: theirs.nonce },
        ...{
          size: theirs.size,
          stripped_size: theirs.strippedsize,
          weight: theirs.weight,
          transaction_count: theirs.nTx,
        },
        header: await node.rpc('getblockheader', hash, false),
        coinbase: { txid: theirs.tx[0].txid, height: theirs.height, script_sig: theirs.tx[0].vin[0].coinbase },
      });
      expect(Number(ours.difficulty)).toBeCloseTo(theirs.difficulty, 8);
      const paid = theirs.tx[0].vout.reduce((sum: number, { value }: Json) => sum + sats(value), 0);
      expect(sats(ours.coinbase.amount)).toBe(paid);
      expect((await get(`/blocks/${hash}/raw`, of)).block).toBe(await node.rpc('getblock', hash, 0));
      const page = await get(`/blocks/${theirs.height}/transactions?limit=100`, of);
      expect(
        page.data.map((tx: Json) => [tx.txid, tx.wtxid, tx.size, tx.vsize, tx.weight, tx.version, tx.locktime]),
      ).toEqual(theirs.tx.map((tx: Json) => [tx.txid, tx.hash, tx.size, tx.vsize, tx.weight, tx.version, tx.locktime]));
    }
    const before = await get(`/blocks/${theirs.height - 1}`);
    expect(before.next_hash).toBe(hash);
    expect(await get('/blocks?limit=3', overEsplora)).toEqual(await get('/blocks?limit=3'));
  });

  it('of the whole chain have headers that hold together', async () => {
    const headers: Json[] = [];
    for (let from: string | null = '0'; from !== null; ) {
      const page: Json = await get(`/headers?from=${from}&limit=50`);
      headers.push(...page.data);
      from = page.pagination.next_cursor;
    }
    const chainwork = (await node.rpc<Json>('getblockchaininfo')).chainwork;
    const verdict = await post('/headers/verify', { headers: headers.map(({ header }) => header), start_height: 0 });
    expect(verdict).toMatchObject({ valid: true, work: chainwork, count: headers.length });
    expect(verdict.difficulty_checked).toBe(headers.length - 1);
    expect(await get('/headers?from=5&limit=7', overEsplora)).toEqual(await get('/headers?from=5&limit=7'));
  });
});

describe('transactions', () => {
  it("are the node's own getrawtransaction, with what they spend", async () => {
    const { txids } = await aBusyBlock();
    // One that spends from an unconfirmed one, besides.
    const waiting = await node.send(await newAddress('bech32m'), '2');
    for (const txid of [...txids, waiting]) {
      const theirs = await node.rpc<Json>('getrawtransaction', txid, 2);
      const ours = await get(`/transactions/${txid}`);
      expect(ours).toMatchObject({
        ...{ txid, wtxid: theirs.hash, transaction: theirs.hex, size: theirs.size, vsize: theirs.vsize },
        ...{ weight: theirs.weight, version: theirs.version, locktime: theirs.locktime },
        ...{ block_hash: theirs.blockhash ?? null, confirmations: theirs.confirmations ?? 0 },
        status: theirs.blockhash ? 'confirmed' : 'unconfirmed',
      });
      expect(ours.outputs.map((output: Json) => [output.script_pubkey, output.address, sats(output.amount)])).toEqual(
        theirs.vout.map(({ scriptPubKey, value }: Json) => [
          scriptPubKey.hex,
          scriptPubKey.address ?? null,
          sats(value),
        ]),
      );
      for (const [index, input] of ours.inputs.entries()) {
        const { txid: from, vout, sequence, txinwitness, scriptSig } = theirs.vin[index];
        expect(input).toMatchObject({
          txid: from,
          vout,
          sequence,
          script_sig: scriptSig.hex,
          witness: txinwitness ?? [],
        });
        const spent = (await node.rpc<Json>('getrawtransaction', from, 1)).vout[vout];
        expect(input.prevout).toMatchObject({
          script_pubkey: spent.scriptPubKey.hex,
          address: spent.scriptPubKey.address,
        });
        expect(sats(input.prevout.amount)).toBe(sats(spent.value));
      }
      const fee = theirs.fee ?? (await node.rpc<Json>('getmempoolentry', txid)).fees.base;
      expect(sats(ours.fee)).toBe(sats(fee));
      expect(await get(`/transactions/${txid}`, overEsplora)).toEqual(ours);
    }
    await node.mine(1, BURN_ADDRESS);
  });

  it("are tested as the node's testmempoolaccept says, and sent", async () => {
    const [coin] = await node.rpc<Json[]>('listunspent', 1, 9999999, [], true, { minimumAmount: 1 });
    const value = (satoshis: number) => (satoshis / 1e8).toFixed(8);
    const outputs = { [await newAddress()]: value(sats(coin.amount) - 5_000) };
    const raw = await node.rpc<string>('createrawtransaction', [{ txid: coin.txid, vout: coin.vout }], outputs);
    const unsigned = await post('/transactions/test-acceptance', { transaction: raw });
    const [theirNo] = await node.rpc<Json[]>('testmempoolaccept', [raw]);
    expect(unsigned.data[0].reason).toContain(theirNo['reject-reason']);
    expect((await app.post(`${ROOT}/transactions/broadcast`, { transaction: raw })).body.error.details).toMatchObject({
      ...{ code: 'policy_refused', field: 'transaction', reason: expect.stringContaining('script-verify') },
    });
    const { hex } = await node.rpc<Json>('signrawtransactionwithwallet', raw);
    for (const of of [app, overEsplora]) {
      const [theirs] = await node.rpc<Json[]>('testmempoolaccept', [hex]);
      const tested = await post('/transactions/test-acceptance', { transaction: hex }, of);
      expect(tested).toMatchObject({
        allowed: true,
        data: [{ txid: theirs.txid, vsize: theirs.vsize, fee: '0.00005000' }],
      });
    }
    const absurd = await app.post(`${ROOT}/transactions/broadcast`, { transaction: hex, max_fee_rate: '1' });
    expect(absurd.body.error.details).toMatchObject({ code: 'fee_too_high', field: 'max_fee_rate' });
    const overThere = await overEsplora.post(`${ROOT}/transactions/broadcast`, { transaction: hex, max_fee_rate: '1' });
    expect(overThere.body.error.details).toMatchObject({ code: 'fee_too_high', field: 'max_fee_rate' });
    const { txid } = await node.rpc<Json>('decoderawtransaction', hex);
    expect(await post('/transactions/broadcast', { transaction: hex })).toEqual({ txid, known: false });
    expect(await post('/transactions/broadcast', { transaction: hex }, overEsplora)).toEqual({ txid, known: true });
    expect(await node.rpc<string[]>('getrawmempool')).toContain(txid);
    const output = await get(`/transactions/${coin.txid}/outputs/${coin.vout}`);
    expect(output).toMatchObject({ status: 'spent', spent_by: { txid, block_hash: null } });
    await node.mine(1, BURN_ADDRESS);
    expect(await post('/transactions/broadcast', { transaction: hex })).toEqual({ txid, known: true });
    expect((await get(`/transactions/${coin.txid}/outputs/${coin.vout}`)).status).toBe('spent');
    for (const vout of [99, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff])
      expect((await app.get(`${ROOT}/transactions/${coin.txid}/outputs/${vout}`)).status).toBe(404);
    const theirs = await node.rpc<Json>('gettxout', txid, 0);
    expect(await get(`/transactions/${txid}/outputs/0`)).toMatchObject({
      ...{ status: 'unspent', address: theirs.scriptPubKey.address, coinbase: false },
      block_height: await node.rpc('getblockcount'),
    });
  });
});

describe('merkle proofs', () => {
  it("are the node's gettxoutproof to the byte, and each accepts the other's", async () => {
    const { hash, txids } = await aBusyBlock();
    for (const of of [app, overEsplora]) {
      for (const txid of txids) {
        const proof = await get(`/transactions/${txid}/merkle-proof`, of);
        expect(proof).toMatchObject({ block_hash: hash, transaction_count: txids.length + 1 });
        expect(proof.merkle_block).toBe(await node.rpc('gettxoutproof', [txid], hash));
        expect(await node.rpc('verifytxoutproof', proof.merkle_block)).toEqual([txid]);
        const { header, position, branch, coinbase } = proof;
        const branchForm = await post('/merkle-proofs/verify', { txid, header, position, branch, coinbase }, of);
        expect(branchForm).toMatchObject({ valid: true, block_hash: hash });
      }
    }
    const several = await node.rpc<string>('gettxoutproof', [txids[0], txids[3]], hash);
    const verdict = await post('/merkle-proofs/verify', { merkle_block: several });
    expect(verdict.valid).toBe(true);
    expect(verdict.data.map(({ txid }: Json) => txid).toSorted()).toEqual([txids[0], txids[3]].toSorted());
    const order = (await node.rpc<Json>('getblock', hash, 1)).tx;
    for (const { txid, position } of verdict.data) expect(order[position]).toBe(txid);
  });

  it('that the node refuses are not valid here', async () => {
    const { hash, txids } = await aBusyBlock();
    const good = Buffer.from(await node.rpc<string>('gettxoutproof', [txids[1]], hash), 'hex');
    for (let at = 80; at < good.length; at++) {
      const bad = Buffer.from(good);
      bad[at]! ^= 1;
      const proof = bad.toString('hex');
      const theirs = await node.rpc<string[]>('verifytxoutproof', proof).catch(() => []);
      const ours = await app.post(`${ROOT}/merkle-proofs/verify`, { merkle_block: proof });
      const accepted = ours.status === 200 && ours.body.valid ? ours.body.data.map(({ txid }: Json) => txid) : [];
      expect(accepted, `byte ${at}`).toEqual(theirs);
    }
  });
});

describe('mempool', () => {
  it("has the node's own entries, sums and floors", async () => {
    const parent = await node.send(await newAddress(), '3');
    await spendUnconfirmed(parent);
    for (const of of [app, overEsplora]) {
      for (const txid of await node.rpc<string[]>('getrawmempool')) {
        const theirs = await node.rpc<Json>('getmempoolentry', txid);
        const ours = await get(`/mempool/transactions/${txid}`, of);
        expect(ours).toMatchObject({
          ...{ txid, vsize: theirs.vsize },
          ancestors: { count: theirs.ancestorcount, vsize: theirs.ancestorsize },
          descendants: { count: theirs.descendantcount, vsize: theirs.descendantsize },
          first_seen: of === app ? isoOf(theirs.time) : null,
        });
        expect(sats(ours.fee)).toBe(sats(theirs.fees.base));
        expect(sats(ours.ancestors.fees)).toBe(sats(theirs.fees.ancestor));
        expect(sats(ours.descendants.fees)).toBe(sats(theirs.fees.descendant));
        expect(ours.ancestors.txids.toSorted()).toEqual(
          (await node.rpc<string[]>('getmempoolancestors', txid)).toSorted(),
        );
      }
    }
    const info = await node.rpc<Json>('getmempoolinfo');
    const seen = async (of: TestApp) => (await get('/mempool', of)).count;
    for (const of of [app, overEsplora]) {
      await expect.poll(() => seen(of)).toBe(info.size);
      const ours = await get('/mempool', of);
      expect(ours).toMatchObject({ count: info.size, vbytes: info.bytes });
      expect(sats(ours.total_fees)).toBe(sats(info.total_fee));
      const vbytes = ours.fee_histogram.reduce((sum: number, bucket: Json) => sum + bucket.vbytes, 0);
      expect(vbytes).toBe(info.bytes);
      const txids = await get('/mempool/transactions', of);
      expect(txids.data.map(({ txid }: Json) => txid).toSorted()).toEqual(
        (await node.rpc<string[]>('getrawmempool')).toSorted(),
      );
    }
    const { min_fee_rate, min_relay_fee_rate } = await get('/mempool');
    expect(Number(min_fee_rate)).toBeCloseTo(info.mempoolminfee * 1e5, 3);
    expect(Number(min_relay_fee_rate)).toBeCloseTo(info.minrelaytxfee * 1e5, 3);
    // An Esplora server does not tell them: unavailable, not guessed.
    expect(await get('/mempool', overEsplora)).toMatchObject({ min_fee_rate: null, min_relay_fee_rate: null });
    expect((await get('/fees', overEsplora)).recommended).toMatchObject({
      minimum: 'unavailable',
      economy: 'unavailable',
    });
    expect((await get('/fees')).recommended.minimum).toBe(min_fee_rate);
    await node.mine(1, BURN_ADDRESS);
  });

  /** Spends an output of the wallet's from an unconfirmed transaction. */
  async function spendUnconfirmed(parent: string): Promise<void> {
    const unspent = await node.rpc<Json[]>('listunspent', 0, 0);
    const coin = unspent.find(({ txid }) => txid === parent);
    const amount = (Number(coin.amount) - 0.0001).toFixed(8);
    const raw = await node.rpc<string>('createrawtransaction', [{ txid: parent, vout: coin.vout }], {
      [await newAddress()]: amount,
    });
    const { hex } = await node.rpc<Json>('signrawtransactionwithwallet', raw);
    await node.rpc('sendrawtransaction', hex);
  }
});

describe('a node without a transaction index', () => {
  let bare: TestNode;
  let source: ChainSource;
  let there: TestApp;
  beforeAll(async () => {
    bare = await startTestNode({ extraArgs: ['-txindex=0'] });
    source = bitcoindOf(bare);
    there = await startTestApp({ chain: source, env: { CHAIN: 'bitcoind', BITCOIN_RPC_URL: bare.rpcUrl } });
  });
  afterAll(async () => {
    await there?.close();
    await source?.close();
    await bare?.stop();
  });

  it('says what it cannot know, and answers what it can by block', async () => {
    const txid = await bare.send(await bare.rpc<string>('getnewaddress'), '1');
    expect((await get(`/transactions/${txid}`, there)).status).toBe('unconfirmed');
    const [coin] = (await get(`/transactions/${txid}`, there)).inputs;
    const [hash] = await bare.mine(1);
    const unknown = await there.get(`${ROOT}/transactions/${txid}`);
    expect([unknown.status, unknown.body.error.details.code]).toEqual([422, 'no_index']);
    expect(unknown.body.error.message).toMatch(/index.*block_hash/);
    const found = await get(`/transactions/${txid}?block_hash=${hash}`, there);
    expect(found).toMatchObject({ status: 'confirmed', confirmations: 1, inputs: [{ txid: coin.txid }] });
    expect(found.fee).not.toBeNull();
    const proof = await get(`/transactions/${txid}/merkle-proof?block_hash=${hash}`, there);
    expect(proof.merkle_block).toBe(await bare.rpc('gettxoutproof', [txid], hash));
    const elsewhere = await there.get(`${ROOT}/transactions/${txid}?block_hash=${await bare.rpc('getblockhash', 1)}`);
    expect([elsewhere.status, elsewhere.body.error.details.field]).toEqual([404, 'txid']);
    expect((await get(`/transactions/${txid}/outputs/0`, there)).status).toBe('unspent');
    const gone = await there.get(`${ROOT}/transactions/${coin.txid}/outputs/${coin.vout}`);
    expect([gone.status, gone.body.error.details.code]).toEqual([422, 'no_index']);
  });

  it('is 503 with Retry-After while it is away, and back by itself', async () => {
    await bare.kill();
    try {
      for (const path of ['/blocks', '/blocks/1', '/fees', `/transactions/${'ab'.repeat(32)}`, '/headers/latest']) {
        const answer = await there.get(ROOT + path);
        expect([path, answer.status, answer.body.error.details.code]).toEqual([path, 503, 'node_unavailable']);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      }
    } finally {
      await bare.restart();
    }
    await get('/blocks/1', there);
  });
});
