/**
 * POST /api/v1/transactions end to end, 32 at once, over HTTP, each answered after its own COMMIT and its broadcast to the simulated
 * chain: payments per second, latencies, and where the event loop's time goes (sampled). Run: node test/bench/payments.ts [COINS]
 */
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { address as addressCodec } from 'bitcoinjs-lib';
import { Pool } from 'undici';
import { parseTransaction } from '../../src/core/blocks/transaction.ts';
import { networkParameters } from '../../src/core/network.ts';
import { requestSigner, signRequest } from '../../src/core/request-signatures/sign-request.ts';
import type { PrivateJwk } from '../../src/core/request-signatures/signing-algorithm.ts';
import { startTestApp } from '../builders/app.ts';
import { type TestCoin, testKey } from '../builders/test-key.ts';

const AT_ONCE = 32;
const PAYMENTS = 1_500;
const WARM_UP = 300;
const COINS = Number(process.argv[2] ?? 2_500);
const PER_DEPOSIT = 500;
const regtest = networkParameters('regtest');

interface Load {
  url: string;
  host: string;
  apiKey: string;
  privateJwk: PrivateJwk;
  body: string;
  count: number;
}

interface Sent {
  latencies: number[];
  /** From the first request to the last answer. */
  seconds: number;
}

/** The caller, in a thread of its own so that it does not take the service's time; it signs before it sends. */
async function callInParallel({ url, host, apiKey, privateJwk, body, count }: Load): Promise<Sent> {
  const path = '/api/v1/transactions';
  const signer = requestSigner(privateJwk);
  const signed = Array.from({ length: count }, (_, i) => {
    const headers = {
      ...{ authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      'idempotency-key': `bench-${count}-${i}`,
    };
    const request = { method: 'POST', url: `http://${host}${path}`, headers, body: Buffer.from(body) };
    const params = { created: Math.floor(Date.now() / 1000), nonce: `bench-${count}-${i}` };
    return { host, ...headers, ...signRequest(request, signer, params) };
  });
  const pool = new Pool(url, { connections: AT_ONCE, pipelining: 1 });
  const latencies: number[] = [];
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
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  return { latencies, seconds };
}

function inThread(load: Load): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: load });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** A sample counts for the innermost of these that is on its stack. */
const PARTS: readonly [string, RegExp][] = [
  [
    'signing and keys',
    /sign-transaction|sighash|core\/keys|key-ring|hd-key|wallet-keys|secret-box|secrets\/|bip32|secp256k1/,
  ],
  ['simulated node', /chain\/simulated|core\/scripts/],
  ['coin selection', /core\/(coin-selection|transactions|policy)/],
  ['database', /\/store\/|kysely|node:sqlite/],
  ['follower and ledger', /chain\/follower|services\/ledger|src\/events/],
  [
    'http and validation',
    /fastify|node:_http|node:http|node:net|find-my-way|zod|src\/hooks|families|fast-json|light-my|pino/,
  ],
];

interface Profile {
  nodes: { id: number; callFrame: { url: string; functionName: string }; children?: number[] }[];
  samples?: number[];
  timeDeltas?: number[];
}

function shares(profile: Profile): Map<string, number> {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const partOf = new Map<number, string>();
  const visit = (id: number, inherited: string): void => {
    const node = byId.get(id)!;
    const { url, functionName } = node.callFrame;
    const own = PARTS.find(([, pattern]) => pattern.test(url))?.[0];
    const idle =
      functionName === '(idle)' ? 'idle' : functionName === '(garbage collector)' ? 'garbage collection' : null;
    const part = idle ?? own ?? inherited;
    partOf.set(id, part);
    for (const child of node.children ?? []) visit(child, part);
  };
  visit(profile.nodes[0]!.id, 'other');
  const times = new Map<string, number>();
  profile.samples!.forEach((id, index) => {
    const part = partOf.get(id)!;
    times.set(part, (times.get(part) ?? 0) + profile.timeDeltas![index]!);
  });
  return times;
}

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
    recipients: [{ address: addressCodec.fromOutputScript(testKey('payee').script, regtest), amount: '0.00300000' }],
    fee_rate: '2',
    rbf: true,
    wallet_id: wallet.wallet_id,
  });
  const load = { url, host: app.host, apiKey: app.adminKey, privateJwk: app.pairOf(app.adminKey), body };
  await inThread({ ...load, count: WARM_UP });

  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 500 });
  await session.post('Profiler.start');
  const { latencies, seconds } = await inThread({ ...load, count: PAYMENTS });
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();

  latencies.sort((a, b) => a - b);
  const at = (quantile: number) => `${latencies[Math.floor(latencies.length * quantile)]!.toFixed(1)} ms`;
  console.log(`${PAYMENTS} payments, ${AT_ONCE} at once, wallet of ${COINS} coins, SQLite with synchronous=FULL`);
  console.log(
    `${(PAYMENTS / seconds).toFixed(0)} payments/s; latency p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}`,
  );
  const times = shares(profile as Profile);
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  for (const [part, time] of [...times].sort((a, b) => b[1] - a[1])) {
    const each = (time / 1000 / PAYMENTS).toFixed(3);
    console.log(`${part.padEnd(22)} ${((100 * time) / total).toFixed(1).padStart(5)} %  ${each} ms each`);
  }
  await app.close();
}

if (isMainThread) await main();
else parentPort!.postMessage(await callInParallel(workerData as Load));
