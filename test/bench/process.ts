/**
 * The service as a process, on a regtest node of its own and on the simulated chain: start to ready on an empty and on a used data
 * directory, its CPU time, and resident memory at rest, under reads and after them. Run: npm run build && node test/bench/process.ts
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
// @ts-expect-error it brings no types
import autocannon from 'autocannon';
import { eventually, startService } from '../builders/service-process.ts';

const MAIN = new URL('../../dist/main.js', import.meta.url);
const ROUNDS = 5;
/** So long a service has nothing to do before it is at rest. */
const IDLE_MS = 30_000;

const residentMib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
/** User and system time of all threads so far, in hundredths of a second (proc(5)). */
const cpuSeconds = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

for (const chain of ['auto', 'simulated'] as const) {
  const fresh: number[] = [];
  const again: number[] = [];
  const cpu: number[] = [];
  const memory: { rest: number; load: number; after: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    const service = await startService({ CHAIN: chain, LOG_LEVEL: 'warn' }, { main: MAIN });
    fresh.push(performance.now() - started);
    cpu.push(cpuSeconds(service.pid));
    await service.stop();
    again.push(await timed(() => service.start()));
    await sleep(IDLE_MS);
    const rest = residentMib(service.pid);
    const { body: wallet } = await service.call('POST', '/api/v1/wallets', {
      name: 'w',
      type: 'segwit',
      backup_type: 'none',
    });
    const { body } = await service.call('POST', `/api/v1/wallets/${wallet.wallet_id}/addresses`);
    await service.call('POST', '/api/v1/bitcoin/blocks', { count: 101, address: body.address });
    await eventually('the follower is at the tip', async () => {
      const status = await service.call('GET', '/api/v1/blockchain/status');
      return status.body.follower.lag === 0;
    });
    let load = 0;
    const watch = setInterval(() => {
      load = Math.max(load, residentMib(service.pid));
    }, 100);
    await autocannon({
      url: `${service.baseUrl}/api/v1/wallets/${wallet.wallet_id}/utxos?limit=100`,
      connections: 64,
      duration: 8,
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    clearInterval(watch);
    await sleep(3_000);
    memory.push({ rest, load, after: residentMib(service.pid) });
    await service.dispose();
  }
  const mib = (key: 'rest' | 'load' | 'after') => `${median(memory.map((one) => one[key])).toFixed(0)} MiB`;
  console.log(`${chain === 'auto' ? 'regtest node of its own' : 'simulated chain'}, medians of ${ROUNDS}`);
  console.log(
    `  start to ready        ${median(fresh).toFixed(0)} ms, with a used data directory ${median(again).toFixed(0)} ms`,
  );
  console.log(`                        ${median(cpu).toFixed(1)} s of CPU time on an empty one`);
  console.log(
    `  resident memory       ${mib('rest')} at rest, ${mib('load')} at most under 64 readers, ${mib('after')} after`,
  );
}
