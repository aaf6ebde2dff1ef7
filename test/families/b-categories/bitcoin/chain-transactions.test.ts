import { Block } from 'bitcoinjs-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';
import { type TestCoin, testKey } from '../../../builders/test-key.ts';

const PATH = '/api/v1/bitcoin/transactions';
const VERIFY = '/api/v1/bitcoin/merkle-proofs/verify';
const UNKNOWN = 'ab'.repeat(32);
const owner = testKey('chain transactions');
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
let app: TestApp;
let coins: TestCoin[];

const coin = (): TestCoin => coins.pop()!;
const get = async (path: string): Promise<Json> => {
  const answer = await app.get(path);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const post = async (path: string, body: Json): Promise<Json> => {
  const answer = await app.post(path, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const refused = async (path: string, body: Json, status: number) => {
  const answer = await app.post(path, body);
  expect(answer.status, answer.text).toBe(status);
  return answer.body.error.details;
};

beforeAll(async () => {
  app = await startTestApp({ blocks: 3 });
  const mined = await app.simulated.mine(13, owner.scriptHex);
  await app.simulated.mine(100, '51');
  coins = await Promise.all(
    mined.map(async ({ hash }) => {
      const [coinbase] = Block.fromBuffer(Buffer.from((await app.simulated.block(hash))!.bytes)).transactions!;
      return { txid: coinbase!.getId(), vout: 0, amountSats: coinbase!.outs[0]!.value };
    }),
  );
});
afterAll(() => app.close());

describe('GET /api/v1/bitcoin/transactions/{txid}', () => {
  it('decodes with what is spent, the fee and the place, waiting and confirmed', async () => {
    const spent = coin();
    const tx = owner.spend({ coins: [spent], feeSats: 2_000n });
    await app.simulated.broadcast(tx.raw);
    const waiting = await get(`${PATH}/${tx.txid}`);
    expect(waiting).toMatchObject({
      ...{ txid: tx.txid, wtxid: Buffer.from(tx.transaction.getHash(true)).reverse().toString('hex') },
      ...{ status: 'unconfirmed', block_hash: null, block_height: null, timestamp: null, confirmations: 0 },
      ...{ vsize: tx.transaction.virtualSize(), weight: tx.transaction.weight(), size: tx.raw.length },
      ...{ version: 2, locktime: 0, coinbase: false, fee: '0.00002000', transaction: hex(tx.raw) },
    });
    expect(Number(waiting.fee_rate)).toBeCloseTo(2_000 / tx.transaction.virtualSize(), 2);
    const [input] = waiting.inputs;
    expect(input).toMatchObject({ txid: spent.txid, vout: 0, script_sig: '', sequence: 0xfffffffd });
    expect(input.witness.length).toBe(2);
    expect(input.prevout).toEqual({
      ...{ amount: '50.00000000', script_pubkey: owner.scriptHex, script_type: 'p2wpkh' },
      address: expect.stringMatching(/^bcrt1q/),
    });
    const { hash, height } = (await app.simulated.mine(1, '51'))[0]!;
    const confirmed = await get(`${PATH}/${tx.txid.toUpperCase()}`);
    expect(confirmed).toMatchObject({ status: 'confirmed', block_hash: hash, block_height: height, confirmations: 1 });
    expect({ ...confirmed, ...place }).toEqual({ ...waiting, ...place });
    expect(await get(`${PATH}/${tx.txid}?block_hash=${hash}`)).toEqual(confirmed);
    await app.simulated.reorganize(1, { exclude: [tx.txid as never] });
    expect(await get(`${PATH}/${tx.txid}?block_hash=${hash}`)).toMatchObject({ status: 'stale', confirmations: 0 });
    expect((await app.get(`${PATH}/${tx.txid}`)).status).toBe(404);
  });
  const place = { status: 0, block_hash: 0, block_height: 0, timestamp: 0, confirmations: 0 };

  it('answers a coinbase without fee', async () => {
    const { coinbase } = await get('/api/v1/bitcoin/blocks/1');
    expect(await get(`${PATH}/${coinbase.txid}`)).toMatchObject({ coinbase: true, fee: null, fee_rate: null });
  });

  it('names what is wrong, and what is not there', async () => {
    const details = async (path: string) => (await app.get(path)).body.error.details;
    expect(await details(`${PATH}/abc`)).toMatchObject({ field: 'txid', code: 'invalid_value' });
    expect(await details(`${PATH}/${UNKNOWN}?block_hash=1`)).toMatchObject({ field: 'query.block_hash' });
    expect(await details(`${PATH}/${UNKNOWN}`)).toMatchObject({ field: 'txid', code: 'not_found' });
    const [block] = (await app.get('/api/v1/bitcoin/blocks?limit=1')).body.data;
    for (const [hash, field] of [
      [UNKNOWN, 'query.block_hash'],
      [block.hash, 'txid'],
    ])
      expect(await details(`${PATH}/${UNKNOWN}?block_hash=${hash}`)).toMatchObject({ field, code: 'not_found' });
    expect(await details(`${PATH}/${UNKNOWN}/outputs/0`)).toMatchObject({ code: 'not_found' });
    expect(await details(`${PATH}/${UNKNOWN}/outputs/-1`)).toMatchObject({ field: 'vout' });
    expect(await details(`${PATH}/${UNKNOWN}/outputs/4294967296`)).toMatchObject({ field: 'vout' });
    expect(await details(`${PATH}/${UNKNOWN}/merkle-proof`)).toMatchObject({ field: 'txid', code: 'not_found' });
  });
});

describe('GET /api/v1/bitcoin/transactions/{txid}/outputs/{vout}', () => {
  it('says unspent, spent by whom, and what nobody can spend', async () => {
    const spent = coin();
    const path = `${PATH}/${spent.txid}/outputs/0`;
    expect(await get(path)).toMatchObject({ status: 'unspent', spent_by: null, coinbase: true, amount: '50.00000000' });
    const data = Buffer.from('6a0568656c6c6f', 'hex');
    const tx = owner.spend({
      coins: [spent],
      outputs: [
        { script: owner.script, amountSats: spent.amountSats - 1_000n },
        { script: data, amountSats: 0n },
      ],
    });
    await app.simulated.broadcast(tx.raw);
    expect(await get(path)).toMatchObject({ status: 'spent', spent_by: { txid: tx.txid, block_hash: null } });
    expect(await get(`${PATH}/${tx.txid}/outputs/0`)).toMatchObject({ status: 'unspent', block_height: null });
    const { hash, height } = (await app.simulated.mine(1, '51'))[0]!;
    expect(await get(path)).toMatchObject({ status: 'spent', spent_by: { txid: tx.txid, block_hash: hash } });
    expect(await get(`${PATH}/${tx.txid}/outputs/1`)).toMatchObject({
      ...{ status: 'unspendable', spent_by: null, script_type: 'null-data', address: null, block_height: height },
    });
    expect((await app.get(`${PATH}/${tx.txid}/outputs/2`)).status).toBe(404);
  });
});

describe('POST /api/v1/bitcoin/transactions/decode', () => {
  it('takes apart what nobody has seen', async () => {
    const tx = owner.spend({ coins: [{ txid: UNKNOWN, vout: 7, amountSats: 5_000n }] });
    const decoded = await post(`${PATH}/decode`, { transaction: hex(tx.raw) });
    expect(decoded).toMatchObject({ txid: tx.txid, fee: null, inputs: [{ txid: UNKNOWN, vout: 7, prevout: null }] });
    expect(decoded).not.toHaveProperty('status');
  });

  it('refuses what is no transaction, by name', async () => {
    const good = hex(owner.spend({ coins: [{ txid: UNKNOWN, vout: 7, amountSats: 5_000n }] }).raw);
    for (const transaction of ['zz', 'abc', good.slice(2), good.slice(0, -2), `${good}00`])
      expect(await refused(`${PATH}/decode`, { transaction }, 400)).toMatchObject({
        ...{ field: 'transaction', code: 'invalid_transaction' },
      });
    expect(await refused(`${PATH}/decode`, { transaction: '' }, 400)).toMatchObject({ field: 'transaction' });
    expect(await refused(`${PATH}/decode`, { transaction: 7 }, 400)).toMatchObject({ field: 'transaction' });
    expect(await refused(`${PATH}/decode`, {}, 400)).toMatchObject({ field: 'transaction' });
  });
});

describe('POST /api/v1/bitcoin/transactions/test-acceptance', () => {
  it('answers verdicts with sizes and fees, and sends nothing', async () => {
    const parent = owner.spend({ coins: [coin()], feeSats: 1_000n });
    const child = owner.spend({ coins: [parent.coin(0)], feeSats: 3_000n });
    const one = await post(`${PATH}/test-acceptance`, { transaction: hex(parent.raw) });
    expect(one).toEqual({
      allowed: true,
      data: [
        {
          ...{ txid: parent.txid, allowed: true, known: false, reason: null, fee: '0.00001000' },
          ...{ vsize: parent.transaction.virtualSize(), fee_rate: expect.stringMatching(/^\d+(\.\d+)?$/) },
        },
      ],
    });
    const both = await post(`${PATH}/test-acceptance`, { transactions: [hex(parent.raw), hex(child.raw)] });
    expect(both.data.map(({ fee }: Json) => fee)).toEqual(['0.00001000', '0.00003000']);
    const wrong = await post(`${PATH}/test-acceptance`, { transactions: [hex(child.raw), hex(parent.raw)] });
    const unsorted = { allowed: false, reason: 'package-not-sorted' };
    expect(wrong).toMatchObject({ allowed: false, data: [unsorted, unsorted] });
    expect(await app.simulated.mempoolTxids()).toEqual([]);
    const forged = owner.spend({ coins: [coin()], badSignature: true });
    const { data } = await post(`${PATH}/test-acceptance`, { transaction: hex(forged.raw) });
    expect(data[0]).toMatchObject({ allowed: false, reason: expect.stringMatching(/script-verify/), fee: null });
  });

  it('names the field that is wrong', async () => {
    const good = hex(owner.spend({ coins: [{ txid: UNKNOWN, vout: 7, amountSats: 5_000n }] }).raw);
    const field = async (body: Json) => (await refused(`${PATH}/test-acceptance`, body, 400)).field;
    expect(await field({})).toBe('transaction');
    expect(await field({ transaction: good, transactions: [good] })).toBe('transaction');
    expect(await field({ transactions: [] })).toBe('transactions');
    expect(await field({ transactions: Array(26).fill(good) })).toBe('transactions');
    expect(await field({ transactions: [good, '00'] })).toBe('transactions[1]');
  });
});

describe('POST /api/v1/bitcoin/transactions/broadcast', () => {
  it('sends once, knows it again, also in a block, and is in the audit log', async () => {
    const tx = owner.spend({ coins: [coin()] });
    const body = { transaction: hex(tx.raw) };
    expect(await post(`${PATH}/broadcast`, body)).toEqual({ txid: tx.txid, known: false });
    expect(await app.simulated.mempoolTxids()).toEqual([tx.txid]);
    expect(await post(`${PATH}/broadcast`, body)).toEqual({ txid: tx.txid, known: true });
    await app.simulated.mine(1, '51');
    expect(await post(`${PATH}/broadcast`, body)).toEqual({ txid: tx.txid, known: true });
    const audit = await get('/api/v1/compliance/audit?operation=chain-transaction.broadcast');
    expect(audit.data[0]).toMatchObject({ operation: 'chain-transaction.broadcast', target: tx.txid });
  });

  it('answers a retry with what it answered', async () => {
    const tx = owner.spend({ coins: [coin()] });
    const again = () => app.post(`${PATH}/broadcast`, { transaction: hex(tx.raw) }, { idempotencyKey: 'broadcast-1' });
    expect((await again()).body).toEqual({ txid: tx.txid, known: false });
    const replay = await again();
    expect(replay.body).toEqual({ txid: tx.txid, known: false });
    expect(replay.headers['idempotency-replayed']).toBe('true');
  });

  it("refuses with the node's reason", async () => {
    const tx = owner.spend({ coins: [{ txid: UNKNOWN, vout: 0, amountSats: 5_000n }] });
    expect(await refused(`${PATH}/broadcast`, { transaction: hex(tx.raw) }, 422)).toMatchObject({
      ...{ code: 'policy_refused', field: 'transaction', reason: expect.stringMatching(/missingorspent/) },
    });
  });

  it('guards against outputs that nobody can spend, unless told how much is meant', async () => {
    const spent = coin();
    for (const burnt of ['6a01ff', '4c']) {
      const outputs = [
        { script: Buffer.from(burnt, 'hex'), amountSats: 1_000n },
        { script: owner.script, amountSats: spent.amountSats - 2_000n },
      ];
      const transaction = hex(owner.spend({ coins: [spent], outputs }).raw);
      for (const max_burn_amount of [undefined, '0', '0.00000999']) {
        const { status, body } = await app.post(`${PATH}/broadcast`, { transaction, max_burn_amount });
        expect(status).toBe(422);
        expect(body.error).toMatchObject({
          message: expect.stringContaining('output 0 gives 0.00001000'),
          details: { code: 'policy_refused', field: 'max_burn_amount' },
        });
      }
      if (burnt.startsWith('6a'))
        expect(await post(`${PATH}/broadcast`, { transaction, max_burn_amount: '0.00001' })).toMatchObject({
          known: false,
        });
    }
  });

  it('guards against absurd fees unless told not to', async () => {
    const spent = coin();
    const tx = owner.spend({ coins: [spent], feeSats: 2_000_000n });
    const transaction = hex(tx.raw);
    expect(await refused(`${PATH}/broadcast`, { transaction }, 422)).toMatchObject({
      ...{ code: 'fee_too_high', field: 'max_fee_rate' },
    });
    expect(await refused(`${PATH}/broadcast`, { transaction, max_fee_rate: '10' }, 422)).toMatchObject({
      code: 'fee_too_high',
    });
    expect(await app.simulated.mempoolTxids()).not.toContain(tx.txid);
    expect(await post(`${PATH}/broadcast`, { transaction, max_fee_rate: 'none' })).toMatchObject({ known: false });
    for (const max_fee_rate of ['0', '10001', 'any', 5, '-1'])
      expect(await refused(`${PATH}/broadcast`, { transaction, max_fee_rate }, 400)).toMatchObject({
        field: 'max_fee_rate',
      });
  });

  it('keeps nothing while the node is away: the same request works once it is back', async () => {
    const tx = owner.spend({ coins: [coin()] });
    const send = () => app.post(`${PATH}/broadcast`, { transaction: hex(tx.raw) }, { idempotencyKey: 'away-1' });
    app.simulated.setReachable(false);
    const away = await send();
    app.simulated.setReachable(true);
    expect(away.status).toBe(503);
    expect(Number(away.headers['retry-after'])).toBeGreaterThan(0);
    expect((await send()).body).toEqual({ txid: tx.txid, known: false });
  });
});

it('says what a cap is that is none, in one sentence', async () => {
  const { body } = await app.post(`${PATH}/broadcast`, { transaction: '00', max_fee_rate: 'any' });
  expect(body.error.details).toMatchObject({ field: 'max_fee_rate', code: 'invalid_value' });
  expect(body.error.details.reason).toBe('must be a decimal feerate in sat/vB such as "25", up to 10000, or "none"');
});

describe('merkle proofs', () => {
  let proof: Json;
  beforeAll(async () => {
    const txs = Array.from({ length: 4 }, () => owner.spend({ coins: [coin()] }));
    for (const { raw } of txs) await app.simulated.broadcast(raw);
    expect((await app.get(`${PATH}/${txs[2]!.txid}/merkle-proof`)).body.error.details.code).toBe('state_conflict');
    await app.simulated.mine(1, '51');
    proof = await get(`${PATH}/${txs[2]!.txid}/merkle-proof`);
  });
  const branchProof = () => ({
    txid: proof.txid,
    header: proof.header,
    position: proof.position,
    branch: proof.branch,
  });
  const code = async (body: Json) => (await post(VERIFY, body)).code;

  it('hold in both forms, and with the coinbase beside', async () => {
    const block = await get('/api/v1/bitcoin/blocks/latest');
    expect(proof).toMatchObject({ block_hash: block.hash, block_height: block.height, in_best_chain: true });
    expect(proof.transaction_count).toBe(block.transaction_count);
    const expected = {
      ...{ valid: true, code: null, reason: null, block_hash: block.hash },
      data: [{ txid: proof.txid, position: proof.position }],
    };
    const { checked, not_checked, ...said } = await post(VERIFY, branchProof());
    expect({ said, checked: checked.toSorted(), not_checked }).toEqual({
      said: expected,
      checked: ['branch', 'header', 'position', 'txid'],
      not_checked: [],
    });
    expect(await post(VERIFY, { merkle_block: proof.merkle_block })).toMatchObject(expected);
    const { transaction } = await get(`${PATH}/${proof.txid}`);
    expect(await post(VERIFY, { ...branchProof(), coinbase: proof.coinbase, transaction })).toMatchObject(expected);
    expect(await get(`${PATH}/${proof.txid}/merkle-proof?block_hash=${block.hash}`)).toEqual(proof);
    expect(await get(`${PATH}/${block.coinbase.txid}/merkle-proof`)).toMatchObject({ position: 0 });
  });

  it('hold as they were answered, and only where all that was answered agrees', async () => {
    const verdict = await post(VERIFY, proof);
    expect(verdict).toMatchObject({ valid: true, data: [{ txid: proof.txid, position: proof.position }] });
    expect(verdict.not_checked.toSorted()).toEqual(['block_height', 'in_best_chain']);
    expect([...verdict.checked, ...verdict.not_checked].toSorted()).toEqual(Object.keys(proof).toSorted());
    expect(await code({ ...proof, block_hash: UNKNOWN })).toBe('other-block');
    expect(await code({ ...proof, transaction_count: proof.transaction_count + 1 })).toBe('other-count');
    expect(await code({ ...branchProof(), transaction_count: 2 ** proof.branch.length + 1 })).toBe('other-count');
    expect(await code({ ...branchProof(), transaction_count: proof.position })).toBe('other-count');
    expect(await code({ ...branchProof(), transaction_count: proof.transaction_count })).toBeNull();
    const { coinbase } = await get('/api/v1/bitcoin/blocks/latest');
    const other = await get(`${PATH}/${coinbase.txid}/merkle-proof`);
    expect(await code({ ...proof, merkle_block: other.merkle_block })).toBe('forms-differ');
    expect(await code({ merkle_block: proof.merkle_block, block_hash: UNKNOWN })).toBe('other-block');
    expect(await code({ ...proof, branch: other.branch })).toBe('wrong-root');
  });

  it('fail for another transaction, place, header, branch or coinbase, each for its reason', async () => {
    const good = branchProof();
    expect(await code({ ...good, txid: UNKNOWN })).toBe('wrong-root');
    expect(await code({ ...good, position: good.position ^ 1 })).toBe('wrong-root');
    expect(await code({ ...good, position: 2 ** good.branch.length })).toBe('position-beyond-branch');
    expect(await code({ ...good, branch: good.branch.slice(1) })).toMatch(/wrong-root|position-beyond-branch/);
    const other = await get('/api/v1/bitcoin/headers/5');
    expect(await code({ ...good, header: other.header })).toBe('wrong-root');
    const { transaction } = await get(`${PATH}/${proof.txid}`);
    expect(await code({ ...good, transaction: proof.coinbase.transaction })).toBe('wrong-transaction');
    expect(await code({ ...good, coinbase: { transaction, branch: good.branch } })).toBe('wrong-coinbase');
    // The last hex digit of the nonce: another hash, and on regtest every second one is work enough.
    const nonces = [...'0123456789abcdef'].map((digit) => good.header.slice(0, -1) + digit);
    const codes = await Promise.all(nonces.map((header) => code({ ...good, header })));
    expect(new Set(codes)).toEqual(new Set([null, 'no-work']));
    const { merkle_block } = proof;
    expect(await code({ merkle_block: other.header + merkle_block.slice(160) })).toBe('wrong-root');
    expect(await post(VERIFY, { ...good, txid: UNKNOWN })).toMatchObject({ valid: false, data: [] });
  });

  it('name the field that is wrong', async () => {
    const field = async (body: Json) => (await refused(VERIFY, body, 400)).field;
    const good = branchProof();
    expect(await field({})).toBe('txid');
    expect(await field({ ...good, header: undefined })).toBe('header');
    expect(await field({ ...good, header: 'ff' })).toBe('header');
    expect(await field({ ...good, branch: ['00'] })).toBe('branch[0]');
    expect(await field({ ...good, branch: Array(16).fill(UNKNOWN) })).toBe('branch');
    expect(await field({ ...good, position: -1 })).toBe('position');
    expect(await field({ ...good, transaction: 'xx' })).toBe('transaction');
    expect(await field({ ...good, coinbase: { transaction: '00', branch: [] } })).toBe('coinbase.transaction');
    expect(await field({ merkle_block: 'abc' })).toBe('merkle_block');
    expect(await field({ merkle_block: proof.merkle_block.slice(0, -2) })).toBe('merkle_block');
    expect(await field({ merkle_block: proof.merkle_block, txid: UNKNOWN })).toBe('header');
  });
});
