import { Block } from 'bitcoinjs-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';
import { testKey } from '../../../builders/test-key.ts';
import { GENESIS, SECOND, THIRD } from '../../../core/blocks/known-headers.ts';

const BLOCKS = '/api/v1/bitcoin/blocks';
const HEADERS = '/api/v1/bitcoin/headers';
const UNKNOWN = 'ab'.repeat(32);
const owner = testKey('blocks');
let app: TestApp;

const tip = async () => (await app.simulated.info()).height;
const get = async (path: string): Promise<Json> => {
  const answer = await app.get(path);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const refusal = async (path: string, status: number) => {
  const answer = await app.get(path);
  expect(answer.status, answer.text).toBe(status);
  return answer.body.error.details;
};

beforeAll(async () => {
  app = await startTestApp({ blocks: 3 });
  const [first] = await app.simulated.mine(1, owner.scriptHex);
  await app.simulated.mine(110, '51');
  const { transactions } = Block.fromBuffer(Buffer.from((await app.simulated.block(first!.hash))!.bytes));
  const coinbase = transactions![0]!;
  const spend = owner.spend({
    coins: [{ txid: coinbase.getId(), vout: 0, amountSats: coinbase.outs[0]!.value }],
    feeSats: 1_000n,
  });
  await app.simulated.mineTransactions([spend.raw]);
});
afterAll(() => app.close());

describe('GET /api/v1/bitcoin/blocks', () => {
  it('lists the best chain, newest first, in pages that meet', async () => {
    const height = await tip();
    const first = await get(`${BLOCKS}?limit=3`);
    expect(first.data.map((block: Json) => block.height)).toEqual([height, height - 1, height - 2]);
    expect(first.pagination).toEqual({
      ...{ total: height + 1, limit: 3, offset: 0, has_more: true },
      next_cursor: String(height - 3),
    });
    expect(first.data[0]).toMatchObject({ confirmations: 1, in_best_chain: true, transaction_count: 2 });
    expect(first.data[0].previous_hash).toBe(first.data[1].hash);
    const second = await get(`${BLOCKS}?limit=3&offset=3`);
    expect(second.data[0].hash).toBe(first.data[2].previous_hash);
    const last = await get(`${BLOCKS}?limit=100&offset=${height - 1}`);
    expect(last.data.map((block: Json) => block.height)).toEqual([1, 0]);
    expect(last.pagination).toMatchObject({ has_more: false, next_cursor: null });
    expect(last.data[1]).toMatchObject({ previous_hash: null, confirmations: height + 1 });
    expect((await get(`${BLOCKS}?offset=100000`)).data).toEqual([]);
  });

  it('goes on below where a page ended although blocks came meanwhile', async () => {
    const before = await get(`${BLOCKS}?limit=2`);
    await app.simulated.mine(2, '51');
    const next = await get(`${BLOCKS}?limit=2&cursor=${before.pagination.next_cursor}`);
    expect(next.data[0].hash).toBe(before.data[1].previous_hash);
    expect(next.pagination).toMatchObject({ offset: 4, total: (await tip()) + 1 });
    expect(await refusal(`${BLOCKS}?cursor=x`, 400)).toMatchObject({ field: 'query.cursor' });
    expect(await refusal(`${BLOCKS}?limit=0`, 400)).toMatchObject({ field: 'query.limit' });
  });
});

describe('GET /api/v1/bitcoin/blocks/{hash_or_height}', () => {
  it('tells of a block what its bytes say', async () => {
    const latest = await get(`${BLOCKS}/latest`);
    expect(latest).toMatchObject({ height: await tip(), confirmations: 1, next_hash: null });
    const block = await get(`${BLOCKS}/115`);
    const parsed = Block.fromBuffer(Buffer.from((await get(`${BLOCKS}/115/raw`)).block, 'hex'));
    expect(block).toEqual(await get(`${BLOCKS}/${block.hash}`));
    expect(block).toEqual(await get(`${BLOCKS}/${block.hash.toUpperCase()}`));
    expect(block).toMatchObject({
      hash: parsed.getId(),
      height: 115,
      version: parsed.version,
      timestamp: parsed.timestamp,
      nonce: parsed.nonce,
      bits: '207fffff',
      size: parsed.byteLength(),
      stripped_size: parsed.byteLength(false, false),
      weight: parsed.weight(),
      transaction_count: 2,
      merkle_root: Buffer.from(parsed.merkleRoot!).reverse().toString('hex'),
      coinbase: { txid: parsed.transactions![0]!.getId(), height: 115 },
      header: Buffer.from(parsed.toBuffer(true)).toString('hex'),
    });
    // Subsidy and the fee of the one transaction.
    expect(block.coinbase.amount).toBe('50.00001000');
    expect(block.next_hash).toBe((await get(`${BLOCKS}/116`)).hash);
    expect(block.median_time).toMatch(/^\d{4}-.*Z$/);
  });

  it('lists its transactions, decoded, in pages', async () => {
    const { transactions } = Block.fromBuffer(Buffer.from((await get(`${BLOCKS}/115/raw`)).block, 'hex'));
    const page = await get(`${BLOCKS}/115/transactions?limit=1`);
    expect(page.pagination).toEqual({ total: 2, limit: 1, offset: 0, has_more: true, next_cursor: null });
    expect(page.data[0]).toMatchObject({ txid: transactions![0]!.getId(), coinbase: true, fee: null });
    expect(page.data[0].inputs[0]).toMatchObject({ txid: null, vout: null, prevout: null });
    const rest = await get(`${BLOCKS}/115/transactions?limit=5&offset=1`);
    expect(rest.pagination.has_more).toBe(false);
    const [spend] = rest.data;
    expect(spend).toMatchObject({
      txid: transactions![1]!.getId(),
      vsize: transactions![1]!.virtualSize(),
      coinbase: false,
    });
    expect(spend.outputs).toEqual([
      {
        ...{ vout: 0, amount: '49.99999000', script_pubkey: owner.scriptHex, script_type: 'p2wpkh' },
        address: expect.stringMatching(/^bcrt1q/),
      },
    ]);
    expect((await get(`${BLOCKS}/115/transactions?offset=9`)).data).toEqual([]);
  });

  it('shows a block that has left the chain as such', async () => {
    const stale = await get(`${BLOCKS}/latest`);
    await app.simulated.reorganize(1);
    expect(await get(`${BLOCKS}/${stale.hash}`)).toMatchObject({
      in_best_chain: false,
      confirmations: 0,
      next_hash: null,
      height: stale.height,
    });
    expect((await get(`${BLOCKS}/${stale.height}`)).hash).not.toBe(stale.hash);
  });

  it('names what is wrong with an id, and what is not there', async () => {
    for (const below of ['', '/raw', '/transactions']) {
      for (const id of ['xyz', '-1', '1234567890', 'ab'.repeat(31), '1.5', 'LATEST', '0x10'])
        expect(await refusal(`${BLOCKS}/${id}${below}`, 400)).toMatchObject({ field: 'hash_or_height' });
      expect(await refusal(`${BLOCKS}/${UNKNOWN}${below}`, 404)).toMatchObject({ field: 'hash_or_height' });
      expect(await refusal(`${BLOCKS}/999999999${below}`, 404)).toMatchObject({ code: 'not_found' });
    }
  });
});

describe('headers', () => {
  it('are answered one by one and in ranges that can be checked', async () => {
    const range = await get(`${HEADERS}?from=100&limit=10`);
    expect(range.data.map((header: Json) => header.height)).toEqual([100, 101, 102, 103, 104, 105, 106, 107, 108, 109]);
    const total = (await tip()) + 1;
    expect(range.pagination).toEqual({ total, limit: 10, offset: 100, has_more: true, next_cursor: '110' });
    const next = await get(`${HEADERS}?cursor=${range.pagination.next_cursor}&limit=2`);
    expect(next.data.map((header: Json) => header.height)).toEqual([110, 111]);
    const { height: _, confirmations: __, ...one } = await get(`${HEADERS}/100`);
    expect(range.data[0]).toMatchObject(one);
    expect(await get(`${HEADERS}/latest`)).toMatchObject({ height: await tip(), confirmations: 1 });
    const end = await get(`${HEADERS}?from=${await tip()}&limit=200`);
    expect(end.pagination).toMatchObject({ has_more: false, next_cursor: null });
    expect(end.data.length).toBe(1);
    expect(await refusal(`${HEADERS}?from=${(await tip()) + 1}`, 404)).toMatchObject({ field: 'query.from' });
    expect(await refusal(`${HEADERS}?limit=201`, 400)).toMatchObject({ field: 'query.limit' });
    expect(await refusal(`${HEADERS}/zz`, 400)).toMatchObject({ field: 'hash_or_height' });
    expect(await refusal(`${HEADERS}/${UNKNOWN}`, 404)).toMatchObject({ field: 'hash_or_height' });
    const verdict = await app.post(`${HEADERS}/verify`, {
      headers: range.data.map((header: Json) => header.header),
      start_height: 100,
    });
    expect(verdict.body).toEqual({
      valid: true,
      failure: null,
      count: 10,
      first_hash: range.data[0].hash,
      last_hash: range.data[9].hash,
      work: 20n.toString(16).padStart(64, '0'),
      difficulty_checked: 10,
    });
  });

  it('are refused by the first that is at fault, with the reason', async () => {
    const { data } = await get(`${HEADERS}?from=50&limit=4`);
    const hex: string[] = data.map((header: Json) => header.header);
    const skipped = await app.post(`${HEADERS}/verify`, { headers: [hex[0], hex[2]], previous: undefined });
    expect(skipped.body).toMatchObject({ valid: false, failure: { index: 1, code: 'bad-prevblk' } });
    const wrongParent = await app.post(`${HEADERS}/verify`, { headers: hex.slice(2), previous: hex[0] });
    expect(wrongParent.body).toMatchObject({ valid: false, failure: { index: 0, code: 'bad-prevblk' } });
    const rightParent = await app.post(`${HEADERS}/verify`, {
      headers: hex.slice(1),
      previous: hex[0],
      start_height: 51,
    });
    expect(rightParent.body).toMatchObject({ valid: true, difficulty_checked: 3 });
    // Mainnet's own headers state more work than a regtest header has to.
    const mainnet = await app.post(`${HEADERS}/verify`, { headers: [GENESIS, SECOND, THIRD] });
    expect(mainnet.body).toMatchObject({ valid: true, work: (3n * 0x100010001n).toString(16).padStart(64, '0') });
    const atHeight = await app.post(`${HEADERS}/verify`, { headers: [SECOND], previous: hex[0], start_height: 1 });
    expect(atHeight.body).toMatchObject({ valid: false, failure: { index: 0, code: 'bad-prevblk' } });
  });

  it('name the field that is wrong', async () => {
    const verify = async (body: Json) => (await app.post(`${HEADERS}/verify`, body)).body.error.details.field;
    expect(await verify({ headers: [] })).toBe('headers');
    expect(await verify({ headers: [GENESIS, 'ff'] })).toBe('headers[1]');
    expect(await verify({ headers: [GENESIS], previous: `${GENESIS}00` })).toBe('previous');
    expect(await verify({ headers: [GENESIS], start_height: -1 })).toBe('start_height');
    expect(await verify({ headers: [GENESIS], start_height: '1' })).toBe('start_height');
    expect(await verify({ headers: Array(4_033).fill(GENESIS) })).toBe('headers');
    expect(await verify({ headers: [GENESIS], surplus: 1 })).toBe('surplus');
  });
});

it('is 503 with Retry-After while the chain source is away, and back by itself', async () => {
  app.simulated.setReachable(false);
  try {
    for (const path of [BLOCKS, `${BLOCKS}/latest`, `${BLOCKS}/1/transactions`, HEADERS, `${HEADERS}/1`]) {
      const answer = await app.get(path);
      expect(answer.status, answer.text).toBe(503);
      expect(answer.body.error.details.code).toBe('node_unavailable');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
  } finally {
    app.simulated.setReachable(true);
  }
  await get(`${BLOCKS}/latest`);
});
