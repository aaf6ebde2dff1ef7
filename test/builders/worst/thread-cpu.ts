/** How long the serving thread computes without coming round, in CPU time: what others use of the machine does not count. */
import { WASI } from 'node:wasi';

/** Not among the types of Node. */
const { Memory } = (
  globalThis as unknown as { WebAssembly: { Memory: new (given: { initial: number }) => { buffer: ArrayBuffer } } }
).WebAssembly;

/** CPU of this thread in milliseconds. What process.threadCpuUsage tells advances with the kernel's ticks, some milliseconds each. */
const threadCpu = createClock();

/** WASI hands through CLOCK_THREAD_CPUTIME_ID, which is exact. */
function createClock(): () => number {
  const THREAD_CPUTIME = 3;
  const memory = new Memory({ initial: 1 });
  const wasi = new WASI({ version: 'preview1' });
  wasi.finalizeBindings({ exports: { memory } }, { memory });
  const { clock_time_get: read } = wasi.wasiImport as {
    clock_time_get(id: number, precision: bigint, at: number): number;
  };
  const at = new BigUint64Array(memory.buffer, 0, 1);
  return () => {
    if (read(THREAD_CPUTIME, 1n, 0) !== 0) throw new Error('the CPU time of the thread cannot be read');
    return Number(at[0]) / 1e6;
  };
}

export interface Measured<T> {
  readonly made: T;
  /** Of the turns of the event loop, the one that took most. */
  readonly longestMs: number;
  /** All turns in which something was done. */
  readonly totalMs: number;
  /** Those turns, the longest first. */
  readonly turnsMs: readonly number[];
}

const IDLE_MS = 0.2;

/** Nothing else may be going on in this thread. */
export async function measured<T>(work: () => Promise<T>): Promise<Measured<T>> {
  const turns: number[] = [];
  let going = true;
  let last = threadCpu();
  const look = (): void => {
    const now = threadCpu();
    if (now - last > IDLE_MS) turns.push(now - last);
    last = threadCpu();
    if (going) setImmediate(look);
  };
  setImmediate(look);
  try {
    const made = await work();
    going = false;
    look();
    const turnsMs = turns.toSorted((a, b) => b - a);
    return { made, longestMs: turnsMs[0] ?? 0, totalMs: turnsMs.reduce((sum, ms) => sum + ms, 0), turnsMs };
  } finally {
    going = false;
  }
}

/** What is done for the first time, garbage, page faults and what the machine does besides are not the work's: the best of so many tries counts. */
const TRIES = 8;

/** Tries until one is good enough: the least of their ratios, with what is said of it. */
async function bestTry<T extends { ratio: number }>(tryIt: () => Promise<T>, enough: number): Promise<T> {
  let best = await tryIt();
  for (let tries = 1; tries < TRIES && best.ratio > enough; tries++) {
    const again = await tryIt();
    if (again.ratio < best.ratio) best = again;
  }
  return best;
}

/** CPU of all turns against a calibrated loop, for work that can be repeated; `enough` ends the tries. */
export async function leastRatio(work: () => unknown, enough: number): Promise<number> {
  const once = async () => ({ ratio: (await measured(async () => work())).totalMs / calibrated() });
  return (await bestTry(once, enough)).ratio;
}

/**
 * How long a request that can be repeated holds the thread, against what one may (1): of its longest turn. `again` sends and measures it,
 * `about` says what it was answered.
 */
export function leastHeld<T>(again: () => Promise<Measured<T>>, about: (made: T) => unknown = () => '') {
  return bestTry(async () => {
    const { made, longestMs, totalMs } = await again();
    const ratio = longestMs / calibrated();
    const said = `${about(made)}, ${longestMs.toFixed(1)} ms of ${totalMs.toFixed(1)} ms, ratio ${ratio.toFixed(2)}`;
    return { made, ratio, said };
  }, 1);
}

const RARE = 0.01;
const MOST_RARELY = 3;

/**
 * How long thousands of turns that cannot be repeated hold the thread, against what a request may (1). One in a hundred may take up to three
 * times as long: garbage is collected and memory faulted in by single ones, while what each batch or request computes is in more.
 */
export function seriesHeld({ turnsMs }: Measured<unknown>): number {
  const [longest = 0, usual = 0] = [turnsMs[0], turnsMs[Math.floor(turnsMs.length * RARE)]];
  return Math.max(usual, longest / MOST_RARELY) / calibrated();
}

/**
 * A computation that takes as long as a request may hold the thread: 20 ms where the bound was set (one core of an EPYC, Node 24). Its CPU
 * in milliseconds here and now, the least of three times.
 */
export function calibrated(): number {
  return Math.min(...Array.from({ length: 3 }, loop));
}

const ROUNDS = 3_000_000;

function loop(): number {
  const began = threadCpu();
  let x = 1;
  for (let i = 0; i < ROUNDS; i++) x = Math.imul(x ^ i, 0x9e3779b1) + (x >>> 7);
  return x === 0 ? Number.NaN : threadCpu() - began;
}
