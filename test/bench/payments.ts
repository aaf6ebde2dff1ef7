/**
 * POST /api/v1/transactions end to end, signed, over HTTP, each answered after its own COMMIT and its broadcast to the simulated chain:
 * 32 at once and one by one: payments per second, latencies, what one computes, its SQL statements and rows, what it leaves in the
 * database, and where the serving thread's time goes (sampled). STATEMENTS=1 lists them. Run: node test/bench/payments.ts [COINS [PAYMENTS]]
 */
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { address as addressCodec } from 'bitcoinjs-lib';
import { Pool } from 'undici';
import { parseTransaction } from '../../src/core/blocks/transaction.ts';
import { networkParameters } from '../../src/core/network.ts';
import { requestSigner, signRequest } from '../../src/core/request-signatures/sign-request.ts';
import type { PrivateJwk } from '../../src/core/request-signatures/signing-algorithm.ts';
import { startTestApp, type TestApp } from '../builders/app.ts';
import { type TestCoin, testKey } from '../builders/test-key.ts';
import { printCosts } from './cpu-profile.ts';
import { BRACKET, READS, STATEMENT, takeStatements, WRITES } from './statements.ts';

const COINS = Number(process.argv[2] ?? 400);
const PAYMENTS = Number(process.argv[3] ?? 320);
const WARM_UP = 300;
const PER_DEPOSIT = Math.min(500, COINS);
const regtest = networkParameters('regtest');

interface Load {
  url: string;
  host: string;
  apiKey: string;
  privateJwk: PrivateJwk;
  body: string;
  count: number;
  atOnce: number;
  /** Tells the nonces of one run from another's. */
  name: string;
}

interface Sent {
  latencies: number[];
  /** From the first request to the last answer. */
  seconds: number;
}

/** The caller, in a thread of its own so that it does not take the service's time; it signs before it sends. */
async function callInParallel({ url, host, apiKey, privateJwk, body, count, atOnce, name }: Load): Promise<Sent> {
  const path = '/api/v1/transactions';
  const signer = requestSigner(privateJwk);
  const signed = Array.from({ length: count }, (_, i) => {
    const headers = {
      ...{ authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      'idempotency-key': `${name}-${i}`,
    };
    const request = { method: 'POST', url: `http://${host}${path}`, headers, body: Buffer.from(body) };
    const params = { created: Math.floor(Date.now() / 1000), nonce: `${name}-${i}` };
    return { host, ...headers, ...signRequest(request, signer, params) };
  });
  const pool = new Pool(url, { connections: atOnce, pipelining: 1 });
  const latencies: number[] = [];
  parentPort?.postMessage('signed');
  const started = performance.now();
  const caller = async () => {
    for (let headers = signed.pop(); headers !== undefined; headers = signed.pop()) {
      const start = performance.now();
      const answer = await pool.request({ path, method: 'POST', headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 201 || JSON.parse(text).status !== 'broadcast') throw new Error(text);
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  return { latencies, seconds };
}

function inThread(load: Load, onSigned: () => void = () => {}): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: load });
    worker.on('message', (message) => (message === 'signed' ? onSigned() : resolve(message)));
    worker.once('error', reject);
  });
}

const PARTS: Parameters<typeof printCosts>[2] = [
  [
    'signing and keys',
    /sign-transaction|sighash|core\/keys|key-ring|hd-key|wallet-keys|secret-box|secrets\/|bip32|secp256k1/,
  ],
  ['simulated node', /chain\/simulated|core\/scripts/],
  ['coin selection', /core\/(coin-selection|transactions|policy)/],
  ['audit, nonce, kept answer', /services\/(audit|requests)|repositories\/(audit|idempotency|signature)/],
  ['database', /\/store\/|kysely|node:sqlite/],
  ['follower and ledger', /chain\/follower|services\/ledger|src\/events/],
  ['validation', /zod/],
  ['request signature', /request-signatures|http-message-sig|structured-headers/],
  ['hooks', /src\/hooks|families/],
  ['http', /fastify|node:_http|node:http|node:net|find-my-way|fast-json|light-my|pino/],
];

async function main(): Promise<void> {
  const app = await startTestApp();
  const wallet = (await app.post('/api/v1/wallets', { name: 'bench', type: 'segwit', backup_type: 'none' })).body;
  const miner = testKey('bench miner');
  const purse: TestCoin[] = [];
  for (const { hash } of await app.simulated.mine(Math.ceil(COINS / PER_DEPOSIT), miner.scriptHex)) {
    const coinbase = parseTransaction((await app.simulated.block(hash as never))!.bytes.subarray(81));
    purse.push({ txid: coinbase.txid, vout: 0, amountSats: coinbase.outputs[0]!.amountSats });
  }
  await app.simulated.mine(100, '51');
  for (let made = 0; made < COINS; made += PER_DEPOSIT) {
    const outputs = [];
    for (let i = 0; i < PER_DEPOSIT; i++) {
      const { body } = await app.post(`/api/v1/wallets/${wallet.wallet_id}/addresses`);
      outputs.push({ script: addressCodec.toOutputScript(body.address, regtest), amountSats: 1_000_000n });
    }
    const verdict = await app.simulated.broadcast(miner.spend({ coins: [purse.pop()!], outputs }).raw);
    if (verdict.result === 'refused') throw new Error(verdict.reason);
    await app.simulated.mine(1, '51');
  }
  await app.synced();

  const url = await app.listen();
  const body = JSON.stringify({
    recipients: [{ address: addressCodec.fromOutputScript(testKey('payee').script, regtest), amount: '0.00100000' }],
    fee_rate: '2',
    rbf: true,
    wallet_id: wallet.wallet_id,
  });
  const load = { url, host: app.host, apiKey: app.adminKey, privateJwk: app.pairOf(app.adminKey), body };
  const mined = async () => {
    await app.simulated.mine(1, '51');
    await app.synced();
  };
  await inThread({ ...load, count: WARM_UP, atOnce: 32, name: 'warm' });

  for (const atOnce of [32, 1]) {
    await mined();
    await measured(app, atOnce, (onSigned) =>
      inThread({ ...load, count: PAYMENTS, atOnce, name: `by-${atOnce}` }, onSigned),
    );
  }
  await mined();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 500 });
  await session.post('Profiler.start');
  const before = process.threadCpuUsage();
  await inThread({ ...load, count: PAYMENTS, atOnce: 32, name: 'sampled' });
  const { user, system } = process.threadCpuUsage(before);
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  console.log('where it goes, 32 at once, sampled:');
  printCosts(profile, (user + system) / PAYMENTS, PARTS);
  await app.close();
}

/** Bytes: whole pages, which have room left, and what stands in them; what the write-ahead log holds is counted, too. */
function storedIn({ dataDir }: TestApp): { pages: number; content: number } {
  const database = new DatabaseSync(join(dataDir, 'ashlar.db'), { readOnly: true });
  const found = database.prepare('select sum(pgsize) as pages, sum(payload) as content from dbstat').get();
  database.close();
  return found as { pages: number; content: number };
}

async function measured(app: TestApp, atOnce: number, run: (onSigned: () => void) => Promise<Sent>): Promise<void> {
  const was = storedIn(app);
  let before = process.threadCpuUsage();
  const { latencies, seconds } = await run(() => {
    before = process.threadCpuUsage();
    takeStatements();
  });
  const { user, system } = process.threadCpuUsage(before);
  const statements = takeStatements();
  latencies.sort((a, b) => a - b);
  const at = (quantile: number) => `${latencies[Math.floor(latencies.length * quantile)]!.toFixed(1)} ms`;
  const each = (pattern: RegExp, of: 'runs' | 'rows') =>
    (statements.reduce((sum, one) => sum + (pattern.test(one.sql) ? one[of] : 0), 0) / PAYMENTS).toFixed(1);
  console.log(
    `${atOnce} at once: ${(PAYMENTS / seconds).toFixed(0)} payments/s, p50 ${at(0.5)}, p99 ${at(0.99)}; of one: ` +
      `${((user + system) / 1000 / PAYMENTS).toFixed(2)} ms of computing, ${each(STATEMENT, 'runs')} statements ` +
      `(and ${each(BRACKET, 'runs')} that begin or end), ${each(READS, 'rows')} rows read, ${each(WRITES, 'rows')} written, ` +
      `${((storedIn(app).pages - was.pages) / 1024 / PAYMENTS).toFixed(1)} KiB stored, ` +
      `${((storedIn(app).content - was.content) / 1024 / PAYMENTS).toFixed(2)} of them content`,
  );
  if (process.env.STATEMENTS === undefined) return;
  for (const { sql, runs, rows, ms } of statements.toSorted((a, b) => b.ms - a.ms)) {
    const micros = ((1000 * ms) / PAYMENTS).toFixed(0).padStart(5);
    if (runs > PAYMENTS / 50)
      console.log(`${micros} µs ${(runs / PAYMENTS).toFixed(2)} ${(rows / PAYMENTS).toFixed(1)} ${sql.slice(0, 160)}`);
  }
}

if (isMainThread) await main();
else parentPort!.postMessage(await callInParallel(workerData as Load));
