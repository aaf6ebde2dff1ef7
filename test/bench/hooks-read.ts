/**
 * What the hook layer costs a read: an authenticated GET of one transaction with everything a request passes (log line included) against
 * a bare Fastify route that does the same read (same service call, same serializer), and against one that answers the same JSON from
 * memory. Requests per second in alternating rounds, and what the serving thread computes for one request, which other load on the
 * machine changes less. Run: node test/bench/hooks-read.ts [SECONDS [ROUNDS]]
 */
import { Session } from 'node:inspector/promises';
// @ts-expect-error it brings no types
import autocannon from 'autocannon';
import Fastify from 'fastify';
import { createLog } from '../../src/app/log.ts';
import { logDestination } from '../../src/app/log-destination.ts';
import { getTransaction } from '../../src/families/a-transactions/transactions/get-transaction.ts';
import { serializationSchema } from '../../src/hooks/input/wire-schema.ts';
import { requestContext } from '../builders/request-context.ts';
import { printCosts } from './cpu-profile.ts';
import { outsideAddress, startFundedApp } from './funded-app.ts';

const SECONDS = Number(process.argv[2] ?? 3);
const ROUNDS = Number(process.argv[3] ?? 7);
const CONNECTIONS = 32;

// The log as the service writes it, but to nowhere: what it costs is part of the stack.
const log = createLog('info', logDestination('/dev/null'));
const { app, walletId } = await startFundedApp(2, { log, limits: true });
// Counted as any other, and allowed more than this sends.
const apiKey = await app.key({ tier: 'custom', limits: { requests_per_minute: 1_000_000_000 } });
const paid = await app.post('/api/v1/transactions', {
  recipients: [{ address: outsideAddress('payee'), amount: '0.001' }],
  ...{ fee_rate: '2', rbf: true, wallet_id: walletId, label: 'a label', external_id: 'order-1' },
});
await app.simulated.mine(1, '51');
await app.synced();
const path = `/api/v1/transactions/${paid.body.txid}`;
const record = (await app.get(path)).body;

const operation = getTransaction(app.app.services.transactions);
const context = requestContext({ accountId: app.accountId });
const same = Fastify();
same.get<{ Params: { txid: string } }>(
  '/api/v1/transactions/:txid',
  { schema: { response: { 200: serializationSchema(operation.success.schema) } } },
  async ({ params }) => operation.present(await app.app.services.transactions.get(params.txid as never, context)),
);
const constant = Fastify();
constant.get('/api/v1/transactions/:txid', async () => record);
const host = { host: '127.0.0.1', port: 0 };
const origins = {
  hooks: await app.listen(),
  same: await same.listen(host),
  constant: await constant.listen(host),
};
type Side = keyof typeof origins;

interface Figures {
  rate: number;
  cpuMicros: number;
}

async function round(origin: string): Promise<Figures> {
  const before = process.threadCpuUsage();
  const result = await autocannon({
    url: `${origin}${path}`,
    connections: CONNECTIONS,
    duration: SECONDS,
    workers: 1,
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const { user, system } = process.threadCpuUsage(before);
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} failed`);
  return { rate: result.requests.average, cpuMicros: (user + system) / result.requests.total };
}

const rounds: Record<Side, Figures[]> = { hooks: [], same: [], constant: [] };
for (let i = 0; i <= ROUNDS; i++) {
  for (const side of ['constant', 'same', 'hooks'] as const) {
    const figures = await round(origins[side]);
    // The first round warms up.
    if (i > 0) rounds[side].push(figures);
  }
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const rate = (side: Side): number => median(rounds[side].map((figures) => figures.rate));
const cpu = (side: Side): number => median(rounds[side].map((figures) => figures.cpuMicros));
/** Of neighbouring rounds, so that load from elsewhere falls on both. */
const against = (side: Side, of: (figures: Figures, other: Figures) => number): string =>
  median(rounds.hooks.map((figures, i) => of(figures, rounds[side][i]!))).toFixed(2);

const NAMES: Record<Side, string> = {
  hooks: 'every hook',
  same: 'bare route, the same read',
  constant: 'bare route, constant JSON',
};
console.log(`GET one transaction, ${CONNECTIONS} at once, medians of ${ROUNDS} rounds of ${SECONDS} s`);
for (const side of ['hooks', 'same', 'constant'] as const) {
  console.log(
    `${NAMES[side].padEnd(28)} ${rate(side).toFixed(0).padStart(6)} requests/s  ${cpu(side).toFixed(1).padStart(5)} µs of computing`,
  );
}
for (const side of ['same', 'constant'] as const) {
  const byRate = against(side, (figures, other) => figures.rate / other.rate);
  const byCpu = against(side, (figures, other) => other.cpuMicros / figures.cpuMicros);
  console.log(`ratio to ${NAMES[side].padEnd(28)} ${byRate} of its requests/s; ${byCpu} by computing time`);
}

const PARTS: Parameters<typeof printCosts>[2] = [
  ['signature, key and token checks', /services\/(credentials|tokens)|hooks\/authentication|hooks\/authorization/],
  ['limits', /services\/limits|src\/counters|hooks\/rate/],
  ['the rest of the hooks', /src\/hooks/],
  ['the service, its record and its view', /src\/services|src\/families/],
  ['database', /src\/store|node:sqlite|kysely/],
  ['log line', /pino|sonic-boom|thread-stream|app\/(log|censor)/],
  ['metrics', /prom-client|app\/metrics/],
  ['validation', /\/zod\//],
  ['Fastify', /fastify|find-my-way|fast-json|light-my|avvio/],
  ['HTTP and sockets', /node:(_http|net|http|internal\/(stream|timers|http|async|process))/],
];
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: 200 });
for (const side of ['hooks', 'same'] as const) {
  await session.post('Profiler.start');
  const { cpuMicros } = await round(origins[side]);
  const { profile } = await session.post('Profiler.stop');
  console.log(`where it goes, sampled: ${NAMES[side]}`);
  printCosts(profile, cpuMicros, PARTS);
}
session.disconnect();
await Promise.all([same.close(), constant.close()]);
await app.close();
