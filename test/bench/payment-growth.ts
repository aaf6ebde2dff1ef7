/**
 * A payment by the number of its wallet's coins: CPU of the process and of the serving thread for each payment, and the longest that it
 * holds that thread, one at a time and 32 at once, on SQLite with a node that takes everything. Run: node test/bench/payment-growth.ts
 * [CHECKOUT…]: of each checkout, in turn, for comparison; COINS=1000,10000 for other numbers
 */

import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gateOver } from '../builders/gate.ts';
import { calibrated, measured } from '../builders/worst/thread-cpu.ts';
import { openPaying } from './paying.ts';

const SIZES = (process.env.COINS ?? '1000,10000,30000,100000').split(',').map(Number);
const ROUNDS = 8;
const AT_ONCE = 32;
const HERE = fileURLToPath(new URL('../..', import.meta.url));

async function growth(checkout: string): Promise<void> {
  const paying = await openPaying(checkout, 'growth', gateOver);
  for (const size of SIZES) {
    const { pay } = await paying.wallet(size);
    const times = async (atOnce: number) => {
      const perPayment: { thread: number; all: number; longest: number }[] = [];
      for (let round = 0; round < (atOnce === 1 ? ROUNDS : 1); round++) {
        const before = process.cpuUsage();
        const { longestMs, totalMs } = await measured(() => Promise.all(Array.from({ length: atOnce }, () => pay())));
        const { user, system } = process.cpuUsage(before);
        perPayment.push({ thread: totalMs / atOnce, all: (user + system) / 1_000 / atOnce, longest: longestMs });
        // A snapshot of the coins is not kept so long.
        await new Promise((resolved) => setTimeout(resolved, 250));
      }
      const median = (of: 'thread' | 'all' | 'longest') =>
        perPayment
          .map((one) => one[of])
          .toSorted((a, b) => a - b)
          [perPayment.length >> 1]!.toFixed(1)
          .padStart(8);
      return `${median('thread')} ${median('all')} ${median('longest')}`;
    };
    // Compiled, and the worker started.
    if (size === SIZES[0]) for (let i = 0; i < 20; i++) await pay();
    console.log(`${`${size}`.padStart(7)} | ${await times(1)} | ${await times(AT_ONCE)}`);
  }
  console.log(`what may hold the thread takes ${calibrated().toFixed(1)} ms here`);
  await paying.close();
}

const [first, ...others] = process.argv.slice(2);
if (first === '--one') await growth(others[0]!);
else {
  for (const checkout of [first, ...others].map((path) => resolve(path ?? HERE))) {
    console.log(
      `${checkout}\n  coins | one: thread, process, longest ms | ${AT_ONCE} at once, each: thread, process, longest ms`,
    );
    spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--one', checkout], { stdio: 'inherit' });
  }
}
