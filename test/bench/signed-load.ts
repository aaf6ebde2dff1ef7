/** Signed requests over HTTP from a thread of its own, 32 at once: it signs all of them first, then sends. */
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Pool } from 'undici';
import { requestSigner, signRequest } from '../../src/core/request-signatures/sign-request.ts';
import type { PrivateJwk } from '../../src/core/request-signatures/signing-algorithm.ts';

export const AT_ONCE = 32;

export interface SignedLoad {
  origin: string;
  host: string;
  method: 'PATCH' | 'POST';
  path: string;
  /** They take turns. */
  senders: { apiKey: string; privateJwk: PrivateJwk }[];
  /** No other load of the service has it. */
  name: string;
  /** A request each. */
  bodies: object[];
}

interface Sent {
  /** That the sending took. */
  seconds: number;
  latencies: number[];
}

async function send({ origin, host, method, path, senders, name, bodies }: SignedLoad): Promise<Sent> {
  const signers = senders.map(({ apiKey, privateJwk }) => ({ apiKey, signer: requestSigner(privateJwk) }));
  const requests = bodies.map((content, i) => {
    const { apiKey, signer } = signers[i % signers.length]!;
    const body = Buffer.from(JSON.stringify(content));
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': `${name}-${i}`,
    };
    const params = { created: Math.floor(Date.now() / 1000), nonce: `${name}-${i}` };
    const signed = signRequest({ method, url: `http://${host}${path}`, headers, body }, signer, params);
    return { body, headers: { host, ...headers, ...signed } };
  });
  const pool = new Pool(origin, { connections: AT_ONCE, pipelining: 1 });
  const latencies: number[] = [];
  parentPort?.postMessage('signed');
  const started = performance.now();
  const sender = async () => {
    for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
      const from = performance.now();
      const answer = await pool.request({ path, method, ...next });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${answer.statusCode} ${text}`);
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  return { seconds, latencies };
}

export function sendSigned(load: SignedLoad, onSigned: () => void = () => {}): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: load });
    worker.on('message', (message) => (message === 'signed' ? onSigned() : resolve(message)));
    worker.once('error', reject);
  });
}

if (!isMainThread) parentPort!.postMessage(await send(workerData as SignedLoad));
