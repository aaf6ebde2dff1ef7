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
}

const IDLE_MS = 0.2;

/** Nothing else may be going on in this thread. */
export async function measured<T>(work: () => Promise<T>): Promise<Measured<T>> {
  const turns = { longest: 0, total: 0 };
  let going = true;
  let last = threadCpu();
  const look = (): void => {
    const now = threadCpu();
    turns.longest = Math.max(turns.longest, now - last);
    if (now - last > IDLE_MS) turns.total += now - last;
    last = threadCpu();
    if (going) setImmediate(look);
  };
  setImmediate(look);
  try {
    const made = await work();
    going = false;
    look();
    return { made, longestMs: turns.longest, totalMs: turns.total };
  } finally {
    going = false;
  }
}

const TIMES = 5;

/** CPU of all turns against a calibrated loop: the least of several times, since what the machine does besides is not the work's. */
export async function leastRatio(work: () => Promise<unknown>): Promise<number> {
  const ratios: number[] = [];
  while (ratios.length < TIMES) ratios.push((await measured(work)).totalMs / calibrated());
  return Math.min(...ratios);
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
