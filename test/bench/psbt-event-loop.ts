/**
 * How late the event loop comes round while PSBTs of 1,000 inputs are signed over and over by the service, in the serving thread and in
 * worker threads, in alternating rounds; and how long one of them takes by the clock.
 * Run: node test/bench/psbt-event-loop.ts [ROUNDS]
 */
import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openComputing } from '../../src/app/open-computing.ts';
import type { ChainSource } from '../../src/chain/chain-source.ts';
import type { ClosableComputing } from '../../src/engines/computing/all-jobs.ts';
import { computeHere } from '../../src/engines/computing/compute-here.ts';
import { psbtAnswer } from '../../src/families/e-psbt/psbt-answer.ts';
import { fairLookups } from '../../src/services/blockchain/fair-lookups.ts';
import { createPsbtService } from '../../src/services/psbt/psbt-service.ts';
import { unsignedPsbt } from '../builders/unsigned-psbt.ts';
import { A } from '../core/psbt/spend-cases.ts';

const ROUNDS = Number(process.argv[2] ?? 5);
const SIGNED_A_ROUND = 10;
const RESOLUTION_MS = 1;
const network = 'regtest';
const psbt = unsignedPsbt(A.point, 1_000);
// Signing asks the chain nothing.
const chain = {} as ChainSource;

interface Figures {
  p99: number;
  max: number;
  each: number;
}

async function round(computing: ClosableComputing): Promise<Figures> {
  const service = createPsbtService({ chain: fairLookups(chain), network, computing });
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const began = performance.now();
  for (let time = 0; time < SIGNED_A_ROUND; time++) {
    const { psbtData } = await service.sign(psbt, A.hex, [], { accountId: 'acc_a' });
    JSON.stringify(psbtAnswer.present(psbtData));
    // The next request comes by the loop.
    await sleep(1);
  }
  histogram.disable();
  const each = (performance.now() - began) / SIGNED_A_ROUND;
  return { p99: histogram.percentile(99) / 1e6, max: histogram.max / 1e6, each };
}

const ways: Record<string, ClosableComputing> = {
  'serving thread': computeHere({ network, randomBytes }),
  'worker threads': openComputing({ network, randomBytes }),
};
const figures = new Map(Object.keys(ways).map((name) => [name, [] as Figures[]]));
// The first round warms up.
for (let time = -1; time < ROUNDS; time++)
  for (const [name, computing] of Object.entries(ways)) {
    const measured = await round(computing);
    if (time >= 0) figures.get(name)?.push(measured);
  }
const median = (values: number[]): string =>
  `${(values.toSorted((a, b) => a - b)[values.length >> 1] as number).toFixed(1).padStart(7)} ms`;
console.log(`${SIGNED_A_ROUND} PSBTs of 1,000 p2wpkh inputs one after the other; medians of ${ROUNDS} rounds`);
for (const [name, all] of figures)
  console.log(
    `${name}  delay p99 ${median(all.map(({ p99 }) => p99))}  most ${median(all.map(({ max }) => max))}  ` +
      `one PSBT ${median(all.map(({ each }) => each))}`,
  );
for (const computing of Object.values(ways)) await computing.close();
