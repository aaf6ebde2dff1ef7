/**
 * A page of 50 from a wallet of 100,000 transactions against one from a wallet of 1,000: median latency of each in alternating requests,
 * first page and a page in the middle, and the ratios. Run: node test/bench/history-page.ts
 */

import { createHash } from 'node:crypto';
import { Client } from 'undici';
import type { WalletId } from '../../src/core/ids.ts';
import type { Txid } from '../../src/core/outpoint.ts';
import { startTestApp } from '../builders/app.ts';
import { outsideAddress } from './funded-app.ts';

const SMALL = 1_000;
const LARGE = 100_000;
const PER_JOB = 500;
const ROUNDS = 400;
const WARM_UP = 50;

const app = await startTestApp();
const genesis = (await app.simulated.info()).genesisHash;

async function walletWith(count: number): Promise<string> {
  const made = await app.post('/api/v1/wallets', { name: `${count}`, type: 'segwit', backup_type: 'none' });
  const walletId: WalletId = made.body.wallet_id;
  for (let from = 0; from < count; from += PER_JOB) {
    await app.app.store.write(async (tx) => {
      for (let i = from; i < from + PER_JOB; i++) await insert(tx, walletId, i);
    });
  }
  return walletId;
}

async function insert(tx: typeof app.app.store.read, walletId: WalletId, index: number): Promise<void> {
  const txid = createHash('sha256').update(`${walletId} ${index}`).digest('hex') as Txid;
  const at = Date.now();
  await tx.transactions.insert(
    {
      ...{ accountId: app.accountId, txid, unsignedTxid: txid, walletId, kind: 'payment', status: 'confirmed' },
      ...{ direction: 'outgoing', raw: Buffer.alloc(222, index), psbt: null, amountSats: 150_000n, feeSats: 353n },
      recipients: [{ address: outsideAddress('payee'), amountSats: 150_000n }],
      ...{ vsize: 141, version: 2, locktime: 0, rbf: true, blockHeight: 0, blockHash: genesis, replaces: null },
      inputCount: 1,
      ancestorFeeSats: 0n,
      ...{ replacedBy: null, label: null, externalId: `order ${index}`, reason: null, createdAt: at, updatedAt: at },
      ...{ policy: null, counts: null, asked: null, approvalId: null },
    },
    [{ vin: 0, prev: { txid: txid.split('').reverse().join('') as Txid, vout: 0 } }],
    [{ walletId, receivedSats: 0n, sentSats: 150_353n }],
  );
}

const wallets = { small: await walletWith(SMALL), large: await walletWith(LARGE) };
const client = new Client(await app.listen());
const headers = { authorization: `Bearer ${app.adminKey}` };

async function page(walletId: string, offset: number): Promise<number> {
  const start = performance.now();
  const path = `/api/v1/wallets/${walletId}/transactions?limit=50&offset=${offset}`;
  const answer = await client.request({ method: 'GET', path, headers });
  const { data } = (await answer.body.json()) as { data: unknown[] };
  if (data.length !== 50) throw new Error(`a page of ${data.length}`);
  return performance.now() - start;
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
for (const [name, small, large] of [
  ['first page', 0, 0],
  ['page in the middle', SMALL / 2, LARGE / 2],
] as const) {
  const times: { small: number[]; large: number[] } = { small: [], large: [] };
  for (let i = 0; i < WARM_UP + ROUNDS; i++) {
    const [a, b] = [await page(wallets.small, small), await page(wallets.large, large)];
    if (i < WARM_UP) continue;
    times.small.push(a);
    times.large.push(b);
  }
  const [a, b] = [median(times.small), median(times.large)];
  console.log(
    `${name.padEnd(19)} of ${SMALL}: ${a.toFixed(2)} ms, of ${LARGE}: ${b.toFixed(2)} ms, ratio ${(b / a).toFixed(2)}`,
  );
}
await client.close();
await app.close();
