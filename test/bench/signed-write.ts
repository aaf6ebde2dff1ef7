/**
 * A signed write with audit record, spent nonce and kept answer (PATCH of a wallet's name), 32 at once over HTTP, against a bare insert
 * with the same group commit, and against a bare Fastify route that writes the same row through it: SQLite with synchronous=FULL,
 * alternating rounds in one run; then where the serving thread's time goes.
 * Run: node test/bench/signed-write.ts [REQUESTS [ROUNDS]]
 */

import { Session } from 'node:inspector/promises';
import Fastify from 'fastify';
import { createLog } from '../../src/app/log.ts';
import { logDestination } from '../../src/app/log-destination.ts';
import type { WalletId } from '../../src/core/ids.ts';
import { accountRecord, idempotencyRecord } from '../builders/store-records.ts';
import { openTemporarySqlite } from '../builders/stores.ts';
import { printCosts } from './cpu-profile.ts';
import { startFundedApp } from './funded-app.ts';
import { AT_ONCE, type SignedLoad, sendSigned } from './signed-load.ts';

const REQUESTS = Number(process.argv[2] ?? 3_000);
const ROUNDS = Number(process.argv[3] ?? 5);

async function main(): Promise<void> {
  const log = createLog('info', logDestination('/dev/null'));
  const { app, walletId } = await startFundedApp(1, { log, limits: true });
  const apiKey = await app.key({ tier: 'custom', limits: { requests_per_minute: 1_000_000_000 } });
  const bare = await openTemporarySqlite();
  await bare.store.write((tx) => tx.accounts.insert(accountRecord('acc_one')));
  let inserted = 0;

  async function insertBare(count: number): Promise<number> {
    const started = performance.now();
    let left = count;
    const writer = async () => {
      while (left-- > 0) {
        const record = idempotencyRecord(`insert ${inserted++}`);
        await bare.store.write((tx) => tx.idempotency.insert(record));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, writer));
    return count / ((performance.now() - started) / 1000);
  }

  const bareRoute = Fastify();
  bareRoute.patch<{ Params: { id: WalletId }; Body: { name: string } }>('/api/v1/wallets/:id', ({ params, body }) =>
    app.app.store.write((tx) => tx.wallets.update(app.accountId, params.id, { name: body.name })).then(() => body),
  );
  const bareOrigin = await bareRoute.listen({ host: '127.0.0.1', port: 0 });
  const origin = await app.listen();
  const load = (name: string, count: number): SignedLoad => ({
    ...{ origin, host: app.host, name, method: 'PATCH', path: `/api/v1/wallets/${walletId}` },
    senders: [{ apiKey, privateJwk: app.pairOf(apiKey) }],
    bodies: Array.from({ length: count }, (_, i) => ({ name: `${name} ${i}` })),
  });
  await insertBare(1_000);
  await sendSigned(load('warm', 1_000));
  await sendSigned({ ...load('warm-bare', 1_000), origin: bareOrigin });

  const rounds: { bare: number; route: number; signed: number; latencies: number[] }[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const insertsPerSecond = await insertBare(REQUESTS * 2);
    const { seconds, latencies } = await sendSigned(load(`round-${i}`, REQUESTS));
    const route = REQUESTS / (await sendSigned({ ...load(`bare-${i}`, REQUESTS), origin: bareOrigin })).seconds;
    rounds.push({ bare: insertsPerSecond, route, signed: REQUESTS / seconds, latencies });
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
  const latencies = rounds.flatMap((round) => round.latencies).sort((a, b) => a - b);
  const at = (quantile: number) => `${latencies[Math.floor(latencies.length * quantile)]!.toFixed(1)} ms`;
  console.log(`${AT_ONCE} at once, SQLite with synchronous=FULL, medians of ${ROUNDS} rounds of ${REQUESTS}`);
  console.log(
    `bare insert, group commit       ${median(rounds.map((one) => one.bare))
      .toFixed(0)
      .padStart(6)} /s`,
  );
  console.log(
    `signed write, HTTP and all      ${median(rounds.map((one) => one.signed))
      .toFixed(0)
      .padStart(6)} /s  p50 ${at(0.5)}, p99 ${at(0.99)}`,
  );
  console.log(
    `bare route, the same row        ${median(rounds.map((one) => one.route))
      .toFixed(0)
      .padStart(6)} /s`,
  );
  console.log(`ratio to the bare insert ${median(rounds.map((one) => one.signed / one.bare)).toFixed(2)}`);
  console.log(`ratio to the bare route  ${median(rounds.map((one) => one.signed / one.route)).toFixed(2)}`);

  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 250 });
  await session.post('Profiler.start');
  let before = process.threadCpuUsage();
  await sendSigned(load('profiled', REQUESTS), () => {
    before = process.threadCpuUsage();
  });
  const { user, system } = process.threadCpuUsage(before);
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  console.log('where the serving thread computes, sampled:');
  printCosts(profile, (user + system) / REQUESTS, [
    [
      'signature',
      /request-signatures|http-message-sig|structured-headers|hooks\/signature|services\/credentials\/signing/,
    ],
    ['audit record', /services\/audit|repositories\/audit|core\/audit/],
    ['nonce', /requests\/nonces|signature-nonces/],
    ['kept answer and its seal', /requests\/idempotency|hooks\/idempotency|repositories\/idempotency/],
    ['sealer', /merkle/],
    [
      'key check and limits',
      /services\/(credentials|tokens|limits)|hooks\/(authentication|authorization|rate)|src\/counters/,
    ],
    ['the operation itself', /src\/families|services\/wallets|repositories\/wallets/],
    ['database', /src\/store|node:sqlite|kysely/],
    ['other hooks', /src\/hooks/],
    ['log and metrics', /pino|sonic-boom|prom-client|src\/app/],
    ['validation', /\/zod\//],
    ['Fastify', /fastify|find-my-way|fast-json|light-my/],
    ['HTTP and sockets', /node:(_http|net|http|internal\/(stream|timers|http|async|process))/],
  ]);
  await Promise.all([bare.close(), bareRoute.close()]);
  await app.close();
}

await main();
