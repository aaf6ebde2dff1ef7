/**
 * What the serving thread computes for a balance and for pages of a wallet of 400, 1,000, 10,000 and 100,000 coins and addresses:
 * medians in alternating rounds, and how each grows. Of transactions: history-page.ts. Run: node test/bench/wallet-growth.ts [SIZE...]
 */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { payments } from 'bitcoinjs-lib';
import { Pool } from 'undici';
import type { WalletId } from '../../src/core/ids.ts';
import { networkParameters } from '../../src/core/network.ts';
import type { Txid } from '../../src/core/outpoint.ts';
import { startTestApp } from '../builders/app.ts';

if (!isMainThread) {
  const pool = new Pool(workerData.origin, { connections: 4, pipelining: 1 });
  const headers = { authorization: `Bearer ${workerData.apiKey}` };
  parentPort!.on('message', async ({ path, amount }) => {
    let left = amount;
    let refused: string | null = null;
    const ask = async () => {
      while (left-- > 0) {
        const answer = await pool.request({ path, method: 'GET', headers });
        const text = await answer.body.text();
        if (answer.statusCode !== 200) refused = text;
      }
    };
    await Promise.all([ask(), ask(), ask(), ask()]);
    parentPort!.postMessage(refused);
  });
} else await measure();

async function measure(): Promise<void> {
  const given = process.argv.slice(2).map(Number);
  const SIZES = given.length > 0 ? given : [400, 1_000, 10_000, 100_000];
  const PER_JOB = 500;
  const ROUNDS = 5;
  const PER_ROUND = 60;
  const network = networkParameters('regtest');

  const app = await startTestApp();
  const { accountId } = app;
  const { store } = app.app;
  await app.simulated.mine(100, '51');
  await app.synced();

  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

  /** Each coin on an address of its own; one of a hundred is locked, one frozen, one unconfirmed. */
  async function walletWith(count: number): Promise<string> {
    const made = await app.post('/api/v1/wallets', { name: `${count}`, type: 'segwit', backup_type: 'none' });
    const walletId: WalletId = made.body.wallet_id;
    const at = Date.now();
    for (let from = 0; from < count; from += PER_JOB) {
      const many = Array.from({ length: Math.min(PER_JOB, count - from) }, (_, i) => from + i);
      const rows = many.map((index) => {
        const hash = hashOf(`${walletId} ${index}`);
        const { output, address } = payments.p2wpkh({ hash: Buffer.from(hash.slice(0, 40), 'hex'), network });
        return {
          index: index + 20,
          txid: hash as Txid,
          script: Buffer.from(output!).toString('hex'),
          address: address!,
        };
      });
      await store.write(async (tx) => {
        await tx.scripts.insertMissing(
          rows.map(({ index, script, address }) => ({
            ...{ walletId, accountId, scriptPubKey: script, change: false, index, address },
            ...{ label: null, reservedAt: at, usedAt: index % 2 ? at : null },
          })),
        );
        await tx.ledger.insertCoins(
          rows.map(({ index, txid, script }) => ({
            ...{ walletId, accountId, txid, vout: 0, amountSats: 150_000n, scriptPubKey: script, change: false, index },
            ...{
              coinbase: false,
              live: true,
              own: false,
              txVersion: 2,
              height: index % 100 === 3 ? null : 1 + (index % 100),
            },
            ...{ spentBy: null, spentHeight: null, locked: index % 100 === 1, frozen: index % 100 === 2 },
            ...{ label: null, createdAt: at },
          })),
        );
        await tx.wallets.raiseNextIndex(accountId, walletId, false, rows.at(-1)!.index + 1);
      });
    }
    return walletId;
  }

  const wallets = new Map<number, string>();
  for (const size of SIZES) wallets.set(size, await walletWith(size));
  const origin = await app.listen();

  const READS: Record<string, (walletId: string, size: number) => string> = {
    balance: (id) => `/api/v1/wallets/${id}/balance`,
    'balance at a height': (id) => `/api/v1/wallets/${id}/balance?height=90`,
    wallet: (id) => `/api/v1/wallets/${id}`,
    wallets: () => '/api/v1/wallets',
    '100 UTXOs': (id) => `/api/v1/wallets/${id}/utxos?limit=100`,
    '50 UTXOs, locked': (id) => `/api/v1/wallets/${id}/utxos?limit=50&locked=true`,
    '50 UTXOs, not locked': (id) => `/api/v1/wallets/${id}/utxos?limit=50&locked=false`,
    '50 UTXOs, frozen': (id) => `/api/v1/wallets/${id}/utxos?limit=50&frozen=true`,
    '50 UTXOs, unconfirmed': (id) => `/api/v1/wallets/${id}/utxos?limit=50&confirmed=false`,
    '50 UTXOs, the last': (id, size) => `/api/v1/wallets/${id}/utxos?limit=50&offset=${size - 50}`,
    '50 addresses': (id) => `/api/v1/wallets/${id}/addresses?limit=50`,
    '50 addresses, used': (id) => `/api/v1/wallets/${id}/addresses?limit=50&used=true`,
    '50 addresses, unused': (id) => `/api/v1/wallets/${id}/addresses?limit=50&used=false`,
    '50 addresses, the last': (id, size) => `/api/v1/wallets/${id}/addresses?limit=50&offset=${size - 50}`,
  };

  /** The caller has a thread of its own: the service's time is that of this one. */
  const caller = new Worker(fileURLToPath(import.meta.url), { workerData: { origin, apiKey: app.adminKey } });
  async function micros(path: string, amount: number): Promise<number> {
    const before = process.threadCpuUsage();
    caller.postMessage({ path, amount });
    const [refused] = await once(caller, 'message');
    const { user, system } = process.threadCpuUsage(before);
    if (refused !== null) throw new Error(`${path}: ${refused}`);
    return (user + system) / amount;
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

  /** Requests whose CPU time is large are asked fewer times. */
  async function growth(name: string, pathOf: (walletId: string, size: number) => string): Promise<void> {
    const times = new Map(SIZES.map((size) => [size, [] as number[]]));
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [size, walletId] of wallets) {
        const first = times.get(size)!.at(-1) ?? 1_000;
        const spent = await micros(
          pathOf(walletId, size),
          Math.min(PER_ROUND, Math.max(4, Math.ceil(100_000 / first))),
        );
        if (round > 0 || first > 100_000) times.get(size)!.push(spent);
      }
    }
    const medians = SIZES.map((size) => median(times.get(size)!));
    const figures = medians.map((value) => `${(value / 1_000).toFixed(3).padStart(9)} ms`).join('');
    console.log(`${name.padEnd(28)}${figures}  ${(medians.at(-1)! / medians[0]!).toFixed(1).padStart(6)}x`);
  }

  const only = process.env.ONLY;
  console.log(`${''.padEnd(28)}${SIZES.map((size) => `${size}`.padStart(12)).join('')}  growth`);
  for (const [name, pathOf] of Object.entries(READS)) {
    if (only === undefined || new RegExp(only).test(name)) await growth(name, pathOf);
  }
  console.log(`resident ${/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]} kB`);
  await caller.terminate();
  await app.close();
}
