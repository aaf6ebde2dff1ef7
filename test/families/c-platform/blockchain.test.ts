import { Block, Psbt } from 'bitcoinjs-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../builders/app.ts';
import { type TestCoin, testKey } from '../../builders/test-key.ts';

const PATH = '/api/v1/blockchain';
const owner = testKey('blockchain');
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
let app: TestApp;
let coins: TestCoin[];
const coin = (): TestCoin => coins.pop()!;
const submit = (body: object) => app.post(`${PATH}/transaction`, body);

beforeAll(async () => {
  app = await startTestApp({ blocks: 3 });
  const mined = await app.simulated.mine(8, owner.scriptHex);
  await app.simulated.mine(100, '51');
  coins = await Promise.all(
    mined.map(async ({ hash }) => {
      const [coinbase] = Block.fromBuffer(Buffer.from((await app.simulated.block(hash))!.bytes)).transactions!;
      return { txid: coinbase!.getId(), vout: 0, amountSats: coinbase!.outs[0]!.value };
    }),
  );
});
afterAll(() => app.close());

describe('POST /api/v1/blockchain/transaction', () => {
  it('broadcasts, and answers the same of one that the node has, in the mempool and in a block', async () => {
    const tx = owner.spend({ coins: [coin()], feeSats: 1_500n });
    const expected = {
      ...{ txid: tx.txid, status: 'broadcast', fee: '0.00001500', vsize: tx.transaction.virtualSize() },
      wtxid: Buffer.from(tx.transaction.getHash(true)).reverse().toString('hex'),
    };
    expect((await submit({ raw: hex(tx.raw) })).body).toEqual(expected);
    expect((await submit({ raw: hex(tx.raw) })).body).toEqual(expected);
    await app.simulated.mine(1, '51');
    expect((await submit({ raw: hex(tx.raw) })).body).toEqual({ ...expected, status: 'confirmed', fee: null });
    expect((await app.get(`${PATH}/transaction/${tx.txid}`)).body).toMatchObject({
      status: 'confirmed',
      fee: '0.00001500',
    });
  });

  it('takes a final PSBT in the place of the transaction', async () => {
    const tx = owner.spend({ coins: [coin()], feeSats: 900n });
    const psbt = new Psbt();
    tx.transaction.ins.forEach(({ hash, index, sequence, witness }) => {
      psbt.addInput({ hash, index, sequence });
      const items = witness.flatMap((item) => [Uint8Array.of(item.length), item]);
      psbt.updateInput(0, { finalScriptWitness: Buffer.concat([Uint8Array.of(witness.length), ...items]) });
    });
    for (const { script, value } of tx.transaction.outs) psbt.addOutput({ script, value });
    psbt.setVersion(tx.transaction.version).setLocktime(tx.transaction.locktime);
    const answer = await submit({ psbt: psbt.toBase64() });
    expect([answer.status, answer.body.txid, answer.body.fee], answer.text).toEqual([200, tx.txid, '0.00000900']);
  });

  it.each([
    [{}, 400, 'raw'],
    [{ raw: '00', psbt: 'cHNidP8=' }, 400, 'raw'],
    [{ raw: 'zz' }, 400, 'raw'],
    [{ psbt: 'cHNidP8=' }, 400, 'psbt'],
  ])('names what is wrong in %j', async (body, status, field) => {
    const answer = await submit(body);
    expect([answer.status, answer.body.error.details.field], answer.text).toEqual([status, field]);
  });

  it('answers the reason of the node, and refuses what pays above max_fee_rate', async () => {
    const spent = coin();
    await app.simulated.broadcast(owner.spend({ coins: [spent], feeSats: 5_000n }).raw);
    const conflict = await submit({ raw: hex(owner.spend({ coins: [spent], feeSats: 4_000n }).raw) });
    expect([conflict.status, conflict.body.error.details.code]).toEqual([422, 'policy_refused']);
    const dear = owner.spend({ coins: [coin()], feeSats: 1_000_000n });
    const refused = await submit({ raw: hex(dear.raw), max_fee_rate: '10' });
    expect([refused.status, refused.body.error.details.code]).toEqual([422, 'fee_too_high']);
  });
});

describe('GET /api/v1/blockchain/block/{hash}', () => {
  it('answers a block with its fees and a page of its txids', async () => {
    const sent = [1_000n, 2_500n].map((feeSats) => owner.spend({ coins: [coin()], feeSats }));
    for (const { raw } of sent) await app.simulated.broadcast(raw);
    const waiting = await app.simulated.mempoolTxids();
    const fees = await app.simulated.mempoolInfo();
    const [mined] = await app.simulated.mine(1, '51');
    const first = (await app.get(`${PATH}/block/${mined!.hash}?limit=2`)).body;
    const rest = (await app.get(`${PATH}/block/${mined!.height}?limit=100&offset=2`)).body;
    expect(first).toMatchObject({
      ...{ hash: mined!.hash, height: mined!.height, next_hash: null, confirmations: 1 },
      transaction_count: waiting.length + 1,
      pagination: { total: waiting.length + 1, limit: 2, offset: 0, has_more: true },
    });
    const btc = (sats: bigint) => `0.${sats.toString().padStart(8, '0')}`;
    expect(first.total_fees).toBe(btc(fees.totalFeesSats!));
    expect([first.coinbase.txid, ...waiting].sort()).toEqual([...first.txids, ...rest.txids].sort());
    expect((await app.get(`${PATH}/block/0`)).body).toMatchObject({ total_fees: '0.00000000', height: 0 });
    const none = await app.get(`${PATH}/block/${'ab'.repeat(32)}`);
    expect([none.status, none.body.error.details.field]).toEqual([404, 'hash']);
  });
});

describe('GET /api/v1/blockchain/status', () => {
  it('tells of the node, and how long the follower needs to the tip at its pace', async () => {
    await app.synced();
    expect((await app.get(`${PATH}/status`)).body).toMatchObject({
      ...{ peers: { inbound: 0, outbound: 0 }, verification_progress: 1, warnings: [] },
      follower: { lag: 0, seconds_to_tip: 0 },
    });
  });
});
