import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSimulatedChain, type SimulatedChain } from '../../../../src/chain/simulated/simulated-chain.ts';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';
import { collectedLog } from '../../../secrets/collected.ts';

const ADDRESSES = '/api/v1/bitcoin/addresses';
const FOREIGN = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const FOREIGN_SCRIPT = '0014751e76e8199196d454941c45d1b3a323f1433bd6';

let chain: SimulatedChain;
let dataDir: string;
let app: TestApp;

const open = () => startTestApp({ chain, dataDir });

beforeEach(async () => {
  chain = await createSimulatedChain({ clock: Date.now, randomBytes, log: collectedLog() });
  dataDir = mkdtempSync(join(tmpdir(), 'ashlar-scans-'));
  app = await open();
});
afterEach(async () => {
  await app.close();
  await chain.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = (address = FOREIGN, body: object | undefined = undefined) =>
  app.post(`${ADDRESSES}/${address}/scans`, body);

async function until(address: string, scanId: string, fits: (scan: Json) => boolean): Promise<Json> {
  for (;;) {
    const { body } = await app.get(`${ADDRESSES}/${address}/scans/${scanId}`);
    if (fits(body)) return body;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
const done = (address: string, scanId: string) =>
  until(address, scanId, ({ state, stale }) => state === 'done' && !stale);

/** A wallet with coins, and what it paid to an address, in a block. */
async function paid(address: string, amount: string): Promise<{ wallet: Json; txid: string }> {
  const { body: wallet } = await app.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' });
  const { body: reserved } = await app.post(`/api/v1/wallets/${wallet.wallet_id}/addresses`);
  await app.post('/api/v1/bitcoin/blocks', { count: 1, address: reserved.address });
  await app.post('/api/v1/bitcoin/blocks', { count: 100 });
  await app.synced();
  const payment = await app.post('/api/v1/transactions', {
    wallet_id: wallet.wallet_id,
    recipients: [{ address, amount }],
    fee_rate: '2',
    rbf: true,
  });
  expect(payment.status).toBe(201);
  await app.post('/api/v1/bitcoin/blocks', { count: 1 });
  await app.synced();
  return { wallet, txid: payment.body.txid };
}

describe('addresses that nothing here knows', () => {
  it('are refused for good, with the way to scan for them', async () => {
    for (const what of ['balance', 'utxos', 'transactions']) {
      const { status, headers, body } = await app.get(`${ADDRESSES}/${FOREIGN}/${what}`);
      expect({ status, code: body.error.details.code }).toEqual({ status: 422, code: 'no_index' });
      expect(body.error.message).toContain('POST /api/v1/bitcoin/addresses/{address}/scans');
      expect(headers['retry-after']).toBeUndefined();
    }
    const wrong = await app.get(`${ADDRESSES}/bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4/balance`);
    expect(wrong.body.error.details).toMatchObject({ code: 'wrong_network', field: 'address' });
    const none = await app.get(`${ADDRESSES}/nonsense/utxos`);
    expect(none.body.error.details).toMatchObject({ code: 'invalid_address', field: 'address' });
  });
});

describe('scans of addresses', () => {
  it('find balance, outputs and history as of a block', async () => {
    const { txid } = await paid(FOREIGN, '0.25');
    await chain.mine(3, FOREIGN_SCRIPT);
    await app.synced();
    const queued = await start();
    expect(queued.status).toBe(202);
    expect(queued.body).toMatchObject({ state: 'queued', address: FOREIGN, from_height: 0, result: null, progress: 0 });
    const scan = await done(FOREIGN, queued.body.scan_id);
    const { height, bestBlockHash } = await chain.info();
    expect(scan).toMatchObject({
      state: 'done',
      at_height: height,
      at_hash: bestBlockHash,
      progress: 1,
      restarts: 0,
      stale: false,
      result: {
        confirmed: '0.25000000',
        immature: '150.00000000',
        utxo_count: 4,
        as_of: { height, hash: bestBlockHash },
      },
    });
    const balance = await app.get(`${ADDRESSES}/${FOREIGN.toUpperCase()}/balance`);
    expect(balance.body).toMatchObject({
      confirmed: '0.25000000',
      immature: '150.00000000',
      pending: null,
      utxo_count: 4,
      source: 'scan',
      scan_id: scan.scan_id,
      wallet_id: null,
      as_of: { height, hash: bestBlockHash },
    });
    const utxos = await app.get(`${ADDRESSES}/${FOREIGN}/utxos?limit=3`);
    expect(utxos.body.pagination).toMatchObject({ total: 4, has_more: true });
    expect(utxos.body.data.every((utxo: Json) => utxo.coinbase)).toBe(true);
    const rest = await app.get(`${ADDRESSES}/${FOREIGN}/utxos?cursor=${utxos.body.pagination.next_cursor}`);
    expect(rest.body.data).toEqual([
      {
        txid,
        vout: expect.any(Number),
        amount: '0.25000000',
        block_height: height - 3,
        block_hash: expect.any(String),
        coinbase: false,
      },
    ]);
    const history = await app.get(`${ADDRESSES}/${FOREIGN}/transactions`);
    expect(history.body.data.map((entry: Json) => entry.block_height)).toEqual([
      height,
      height - 1,
      height - 2,
      height - 3,
    ]);
    expect(history.body.data[3]).toMatchObject({ txid, received: '0.25000000', spent: '0.00000000' });
  });

  it('are of one account, listed, not doubled, and gone when deleted', async () => {
    const { body: first } = await start();
    const again = await start();
    expect([202, 409]).toContain(again.status);
    await done(FOREIGN, first.scan_id);
    const other = await app.anotherAccount();
    const foreign = { apiKey: other.apiKey };
    expect((await app.get(`${ADDRESSES}/${FOREIGN}/scans/${first.scan_id}`, foreign)).status).toBe(404);
    expect(
      (await app.call('DELETE', `${ADDRESSES}/${FOREIGN}/scans/${first.scan_id}`, undefined, foreign)).status,
    ).toBe(404);
    expect((await app.get(`${ADDRESSES}/${FOREIGN}/scans`, foreign)).body.data).toEqual([]);
    expect((await app.get(`${ADDRESSES}/${FOREIGN}/balance`, foreign)).status).toBe(422);
    expect((await app.get(`${ADDRESSES}/mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn/scans/${first.scan_id}`)).status).toBe(404);
    const listed = await app.get(`${ADDRESSES}/${FOREIGN}/scans?state=done`);
    expect(listed.body.data.map((scan: Json) => scan.scan_id)).toContain(first.scan_id);
    for (const { scan_id } of listed.body.data) {
      expect((await app.call('DELETE', `${ADDRESSES}/${FOREIGN}/scans/${scan_id}`)).status).toBe(204);
    }
    expect((await app.get(`${ADDRESSES}/${FOREIGN}/scans/${first.scan_id}`)).status).toBe(404);
    expect((await app.get(`${ADDRESSES}/${FOREIGN}/balance`)).status).toBe(422);
  });

  it('go on after a restart where they were, and see spends of what they had found before', async () => {
    const { body: wallet } = await app.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' });
    const { body: own } = await app.post(`/api/v1/wallets/${wallet.wallet_id}/addresses`);
    const script = (await app.get(`${ADDRESSES}/${own.address}`)).body.script;
    await chain.mine(1, script);
    const before = await chain.info();
    await chain.mine(100, '51');
    await app.synced();
    const { body: utxos } = await app.get(`${ADDRESSES}/${own.address}/utxos`);
    const [{ txid, vout }] = utxos.data;
    const { body: payment } = await app.post('/api/v1/transactions', {
      wallet_id: wallet.wallet_id,
      recipients: [{ address: FOREIGN, amount: 'max' }],
      fee_rate: '2',
      rbf: true,
    });
    await app.post('/api/v1/bitcoin/blocks', { count: 1 });
    await app.synced();
    // As a process leaves it that ends within a scan: up to a block, with what was found until then.
    const scan = {
      scanId: 'scn_3mVb1k7Q2xYt9LpRw0Zc5A',
      accountId: app.accountId,
      address: own.address,
      scriptPubKey: script,
      state: 'running',
      fromHeight: 0,
      atHeight: before.height,
      atHash: before.bestBlockHash,
      toHeight: before.height,
      error: null,
      restarts: 0,
      createdAt: 1,
      finishedAt: null,
    } as const;
    const coin = { txid, vout, amountSats: 7n, height: before.height, blockHash: before.bestBlockHash, coinbase: true };
    const { store } = app.app;
    await store.write(async (tx) => {
      await tx.addressScans.insert(scan);
      await tx.addressScans.addCoins(scan, [coin]);
    });
    await app.close();
    app = await open();
    const ended = await done(own.address, scan.scanId);
    expect(ended).toMatchObject({
      restarts: 0,
      result: { confirmed: '0.00000000', immature: '0.00000000', utxo_count: 0 },
    });
    const entries = await app.app.store.read.addressScans.entries(scan, { limit: 10, offset: 0 });
    // The amount is the one that was found before: what stood was not read again.
    expect(entries.data.map(({ txid, spentSats }) => [txid, spentSats])).toEqual([
      [payment.txid, 7n],
      [txid, 0n],
    ]);
  });

  it('are done anew when their last block leaves the chain', async () => {
    await chain.mine(5, FOREIGN_SCRIPT);
    await app.synced();
    const { body: queued } = await start();
    const first = await done(FOREIGN, queued.scan_id);
    expect(first.result).toMatchObject({ immature: '250.00000000', utxo_count: 5 });
    await chain.reorganize(2);
    await chain.mine(1, '51');
    await app.synced();
    const second = await until(FOREIGN, queued.scan_id, ({ restarts, state }) => restarts > 0 && state === 'done');
    const { bestBlockHash } = await chain.info();
    expect(second).toMatchObject({
      at_hash: bestBlockHash,
      stale: false,
      result: { immature: '150.00000000', utxo_count: 3 },
    });
  });

  const record = (scanId: string) => ({
    scanId,
    accountId: app.accountId,
    address: FOREIGN,
    scriptPubKey: FOREIGN_SCRIPT,
    state: 'failed' as const,
    fromHeight: 0,
    atHeight: null,
    atHash: null,
    toHeight: null,
    error: 'as a scan is that failed',
    restarts: 0,
    createdAt: 1,
    finishedAt: 1,
  });

  it('fail where there is more than they may keep, and say what else there is', async () => {
    const MAX = 100_000;
    await chain.mine(1, '51');
    await app.synced();
    const { height, bestBlockHash } = await chain.info();
    const scan = { ...record('scn_3mVb1k7Q2xYt9LpRw0Zc5A'), atHeight: height, atHash: bestBlockHash };
    await app.app.store.write((tx) => tx.addressScans.insert(scan));
    await app.close();
    // Spent ones: they count, and there is nothing to be watched for.
    const database = new DatabaseSync(join(dataDir, 'ashlar.db'));
    database
      .prepare(
        `WITH RECURSIVE made (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM made WHERE n < ${MAX})
        INSERT INTO address_scan_coins
          (scan_id, account_id, txid, vout, amount_sats, height, block_hash, coinbase, spent_by, spent_height, spent_block_hash)
        SELECT ?1, ?2, printf('%064x', n), 0, 1, ?3, ?4, 0, ?4, ?3, ?4 FROM made`,
      )
      .run(scan.scanId, scan.accountId, height, bestBlockHash);
    database.close();
    app = await open();
    const goOn = () => app.app.store.write((tx) => tx.addressScans.update(scan, { state: 'running', error: null }));
    await goOn();
    // As many as may be are kept.
    expect(await done(FOREIGN, scan.scanId)).toMatchObject({ result: { utxo_count: 0 } });
    expect(await app.app.store.read.addressScans.countCoins(scan)).toBe(MAX);
    await goOn();
    await chain.mine(1, FOREIGN_SCRIPT);
    const failed = await until(FOREIGN, scan.scanId, ({ state }) => state === 'failed' || state === 'done');
    expect(failed).toMatchObject({ state: 'failed', result: null });
    expect(failed.error).toMatch(/more than 100000 outputs up to block \d+.*index of addresses.*later from_height/);
    expect(await app.app.store.read.addressScans.countCoins(scan)).toBe(0);
  });

  it('are kept up to a thousand finished ones: the oldest go for a new one', async () => {
    const id = (index: number) => `scn_${String(index).padStart(22, '0')}`;
    await app.app.store.write(async (tx) => {
      for (let index = 0; index < 1_002; index++)
        await tx.addressScans.insert({ ...record(id(index)), createdAt: index + 1 });
      await tx.addressScans.insert({ ...record(id(2_000)), state: 'queued', createdAt: 1, scriptPubKey: '51' });
    });
    expect((await start()).status).toBe(202);
    const { addressScans } = app.app.store.read;
    const standing = await Promise.all([0, 1, 2, 1_001].map((index) => addressScans.find(app.accountId, id(index))));
    expect(standing.map((scan) => scan !== null)).toEqual([false, false, true, true]);
    expect(await addressScans.find(app.accountId, id(2_000))).not.toBeNull();
  });

  it.each([
    [{ from_height: -1 }, 400, 'from_height'],
    [{ from_height: 5_000 }, 400, 'from_height'],
    [{ from_height: '0' }, 400, 'from_height'],
    [{ to_height: 1 }, 400, 'to_height'],
  ])('%j is refused', async (body, status, field) => {
    const answer = await start(FOREIGN, body);
    expect({ status: answer.status, field: answer.body.error.details.field }).toEqual({ status, field });
  });
});

describe('addresses that a wallet watches', () => {
  it('come from the wallet, mempool included, and only its account sees them', async () => {
    const { wallet, txid } = await paid(FOREIGN, '0.25');
    const { body: own } = await app.post(`/api/v1/wallets/${wallet.wallet_id}/addresses`);
    const { body: payment } = await app.post('/api/v1/transactions', {
      wallet_id: wallet.wallet_id,
      recipients: [{ address: own.address, amount: '0.5' }],
      fee_rate: '2',
      rbf: true,
    });
    const waiting = await app.get(`${ADDRESSES}/${own.address}/balance`);
    expect(waiting.body).toMatchObject({
      source: 'wallet',
      wallet_id: wallet.wallet_id,
      confirmed: '0.00000000',
      pending: '0.50000000',
      utxo_count: 1,
    });
    await app.post('/api/v1/bitcoin/blocks', { count: 1 });
    await app.synced();
    const { height } = await chain.info();
    const settled = await app.get(`${ADDRESSES}/${own.address}/balance`);
    expect(settled.body).toMatchObject({ confirmed: '0.50000000', pending: '0.00000000', as_of: { height } });
    const history = await app.get(`${ADDRESSES}/${own.address}/transactions`);
    expect(history.body).toMatchObject({
      source: 'wallet',
      data: [{ txid: payment.txid, block_height: height, received: '0.50000000', spent: '0.00000000' }],
    });
    const utxos = await app.get(`${ADDRESSES}/${own.address}/utxos`);
    expect(utxos.body.data).toMatchObject([
      { txid: payment.txid, amount: '0.50000000', block_height: height, coinbase: false },
    ]);
    expect(history.body.data[0].txid).not.toBe(txid);
    const other = await app.anotherAccount();
    expect((await app.get(`${ADDRESSES}/${own.address}/balance`, { apiKey: other.apiKey })).status).toBe(422);
  });
});
