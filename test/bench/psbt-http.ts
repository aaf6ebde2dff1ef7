/**
 * What the service adds to signing and finalizing a PSBT over HTTP: the core's own time (reading the text, signing or finalizing, writing
 * it again) as a share of what the serving thread computes for the whole request, in alternating rounds; and what the answer's view takes
 * of the rest. Computing time, which other load on the machine changes less than the clock's.
 * Without the worker threads that large ones are handed to (psbt-event-loop).
 * Run: node test/bench/psbt-http.ts [ROUNDS]
 */
import { randomBytes } from 'node:crypto';
// @ts-expect-error it brings no types
import autocannon from 'autocannon';
import { createLog } from '../../src/app/log.ts';
import { logDestination } from '../../src/app/log-destination.ts';
import { workerOperations } from '../../src/app/worker-operations.ts';
import { hash160 } from '../../src/core/hashes.ts';
import { ecc } from '../../src/core/keys/ecc.ts';
import { txid } from '../../src/core/outpoint.ts';
import { psbtFromText, psbtToBase64 } from '../../src/core/psbt/codec/psbt-text.ts';
import { createPsbt } from '../../src/core/psbt/construction/create-psbt.ts';
import { extractTransaction } from '../../src/core/psbt/finalizing/extract-transaction.ts';
import { finalizePsbt } from '../../src/core/psbt/finalizing/finalize-psbt.ts';
import { inspectToData } from '../../src/core/psbt/jobs/psbt-data.ts';
import { psbtJobs } from '../../src/core/psbt/jobs/psbt-jobs.ts';
import type { PsbtV2 } from '../../src/core/psbt/psbt.ts';
import { requireV2 } from '../../src/core/psbt/require-v2.ts';
import { signPsbt } from '../../src/core/psbt/signing/sign-psbt.ts';
import { signerFromKeyText } from '../../src/core/psbt/signing/signers.ts';
import { computeHere } from '../../src/engines/computing/compute-here.ts';
import { createWorkerAnswers } from '../../src/hooks/worker-answers.ts';
import { startTestApp } from '../builders/app.ts';
import { A } from '../core/psbt/spend-cases.ts';

const ROUNDS = Number(process.argv[2] ?? 7);
/** Inputs that are gone through in one round of each side. */
const INPUTS_A_ROUND = 4_000;

const log = createLog('info', logDestination('/dev/null'));
// What else runs on the machine must not have requests shed.
const calm = { eventLoopDelayMs: () => 0, queueDepth: () => 0, most: { eventLoopDelayMs: 1, queueDepth: 1 } };
const tools = { network: 'regtest', randomBytes } as const;
// All in the serving thread, whose time is measured.
const inThisThread = computeHere(tools, createWorkerAnswers(workerOperations(tools)));
const app = await startTestApp({ log, limits: true, pressure: calm, computing: inThisThread });
const apiKey = await app.key({ tier: 'custom', limits: { requests_per_minute: 1_000_000_000 } });
const origin = await app.listen();

const { hex: key, point: publicKey } = A;
const script = Buffer.concat([Buffer.of(0, 20), hash160(publicKey)]);

const unsigned = (inputs: number): string =>
  psbtToBase64(
    createPsbt({
      inputs: Array.from({ length: inputs }, (_, vout) => ({
        outpoint: { txid: txid('ab'.repeat(32)), vout },
        witnessUtxo: { amountSats: 100_000n, script },
        bip32Derivations: [{ publicKey, fingerprint: 'd34db33f', path: [0x80000054, 0x80000001, 0x80000000, 0, vout] }],
      })),
      outputs: [1, 2].map(() => ({ amountSats: 40_000n, script })),
    }),
  );

function sign(text: string): string {
  const signer = signerFromKeyText(key, 'regtest');
  try {
    return psbtToBase64(signPsbt(requireV2(psbtFromText(text)), signer, { ecc, randomBytes }).psbt);
  } finally {
    signer.dispose();
  }
}

function finalize(text: string): string {
  const { psbt } = finalizePsbt(requireV2(psbtFromText(text)));
  extractTransaction(psbt).raw.toString('hex');
  return psbtToBase64(psbt);
}

/** Milliseconds that this thread computes for one of `times`. */
async function computing(times: number, work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000 / times;
}

const repeated = (times: number, work: () => unknown) => (): void => {
  for (let time = 0; time < times; time++) work();
};

async function requests(verb: 'sign' | 'finalize', body: string, amount: number): Promise<void> {
  const { non2xx, errors } = await autocannon({
    ...{ url: `${origin}/api/psbt/v2/${verb}`, method: 'POST', body, amount, connections: 1, workers: 1, timeout: 60 },
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
  });
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} refused, ${errors} failed`);
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

async function compare(verb: 'sign' | 'finalize', inputs: number): Promise<void> {
  const text = verb === 'sign' ? unsigned(inputs) : sign(unsigned(inputs));
  const body = JSON.stringify(verb === 'sign' ? { psbt: text, key } : { psbt: text });
  const core = verb === 'sign' ? sign : finalize;
  const result = requireV2(psbtFromText(core(text)));
  const view = (given: string, made: PsbtV2): unknown =>
    verb === 'sign'
      ? psbtJobs['psbt.sign']({ psbt: given, key: Buffer.from(key), allowSighash: [] }, tools)
      : inspectToData(made, tools);
  const amount = Math.min(500, Math.ceil(INPUTS_A_ROUND / inputs));
  const times: Record<'core' | 'view' | 'whole', number[]> = { core: [], view: [], whole: [] };
  // The first round warms up.
  for (let round = -1; round < ROUNDS; round++) {
    const figures = {
      core: await computing(
        amount,
        repeated(amount, () => core(text)),
      ),
      view: await computing(
        amount,
        repeated(amount, () => view(text, result)),
      ),
      whole: await computing(amount, () => requests(verb, body, amount)),
    };
    if (round >= 0) for (const part of ['core', 'view', 'whole'] as const) times[part].push(figures[part]);
  }
  const [inCore, withView, whole] = [median(times.core), median(times.view), median(times.whole)];
  // Signing and its view are one function of the service.
  const inView = verb === 'sign' ? withView - inCore : withView;
  const share = (part: number): string => `${((100 * part) / whole).toFixed(0)} %`.padStart(5);
  console.log(
    `${verb.padEnd(8)} ${String(inputs).padStart(5)} inputs  whole ${whole.toFixed(2).padStart(8)} ms  ` +
      `core ${inCore.toFixed(2).padStart(8)} ms ${share(inCore)}  view ${inView.toFixed(2).padStart(7)} ms ${share(inView)}  ` +
      `the rest ${share(whole - inCore - inView)}`,
  );
}

console.log(
  `p2wpkh inputs with derivations, two outputs; one client on one connection; medians of ${ROUNDS} rounds, computing time`,
);
for (const verb of ['sign', 'finalize'] as const) for (const inputs of [1, 10, 100, 1_000]) await compare(verb, inputs);
await app.close();
