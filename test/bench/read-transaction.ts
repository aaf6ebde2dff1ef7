/**
 * Reading one transaction, authenticated, against the same JSON from a bare Fastify route: requests per second in alternating rounds,
 * and their ratio; and the time the serving thread computes for one request, which other load on the machine changes less. Run: node test/bench/read-transaction.ts
 */
// @ts-expect-error it brings no types
import autocannon from 'autocannon';
import Fastify from 'fastify';
import { outsideAddress, startFundedApp } from './funded-app.ts';

const ROUNDS = 5;
const SECONDS = 4;
const CONNECTIONS = 32;

const { app, walletId } = await startFundedApp(2);
const paid = await app.post('/api/v1/transactions', {
  recipients: [{ address: outsideAddress('payee'), amount: '0.001' }],
  ...{ fee_rate: '2', rbf: true, wallet_id: walletId, label: 'a label', external_id: 'order-1' },
});
await app.simulated.mine(1, '51');
await app.synced();
const path = `/api/v1/transactions/${paid.body.txid}`;
const record = (await app.get(path)).body;
const bare = Fastify();
bare.get('/api/v1/transactions/:txid', async () => record);
const origins = { ashlar: await app.listen(), bare: await bare.listen({ host: '127.0.0.1', port: 0 }) };

async function round(origin: string): Promise<{ rate: number; cpuMicros: number }> {
  const before = process.threadCpuUsage();
  const result = await autocannon({
    url: `${origin}${path}`,
    connections: CONNECTIONS,
    duration: SECONDS,
    workers: 1,
    headers: { authorization: `Bearer ${app.adminKey}` },
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} failed`);
  const { user, system } = process.threadCpuUsage(before);
  return { rate: result.requests.average, cpuMicros: (user + system) / result.requests.total };
}

const rounds: Record<keyof typeof origins, { rate: number; cpuMicros: number }[]> = { ashlar: [], bare: [] };
for (let i = 0; i <= ROUNDS; i++) {
  for (const name of ['bare', 'ashlar'] as const) {
    const result = await round(origins[name]);
    if (i > 0) rounds[name].push(result);
  }
}
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const [ours, theirs] = [rounds.ashlar, rounds.bare].map((all) => ({
  rate: median(all.map(({ rate }) => rate)),
  cpu: median(all.map(({ cpuMicros }) => cpuMicros)),
})) as [{ rate: number; cpu: number }, { rate: number; cpu: number }];
const line = (name: string, { rate, cpu }: typeof ours) =>
  console.log(`${name.padEnd(62)} ${rate.toFixed(0).padStart(6)} requests/s  ${cpu.toFixed(0).padStart(4)} µs each`);
line('bare Fastify route', theirs);
line('GET /api/v1/transactions/{txid}: key, scope, database and all', ours);
console.log(
  `ratio ${(ours.rate / theirs.rate).toFixed(2)} of its requests/s; ${(theirs.cpu / ours.cpu).toFixed(2)} by computing time`,
);
await bare.close();
await app.close();
