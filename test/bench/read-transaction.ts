/**
 * Reading one transaction, authenticated, against the same JSON from a bare Fastify route: requests per second in alternating rounds,
 * and their ratio. Run: node test/bench/read-transaction.ts
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

async function round(origin: string): Promise<number> {
  const result = await autocannon({
    url: `${origin}${path}`,
    connections: CONNECTIONS,
    duration: SECONDS,
    workers: 1,
    headers: { authorization: `Bearer ${app.adminKey}` },
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} failed`);
  return result.requests.average;
}

const rates: Record<keyof typeof origins, number[]> = { ashlar: [], bare: [] };
for (let i = 0; i <= ROUNDS; i++) {
  for (const name of ['bare', 'ashlar'] as const) {
    const rate = await round(origins[name]);
    if (i > 0) rates[name].push(rate);
  }
}
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const [ours, theirs] = [median(rates.ashlar), median(rates.bare)];
console.log(`bare Fastify route   ${theirs.toFixed(0)} requests/s`);
console.log(
  `GET ${path.slice(0, 28)}… ${ours.toFixed(0)} requests/s (key, scope, validation, database, serialization)`,
);
console.log(`ratio ${(ours / theirs).toFixed(2)}`);
await bare.close();
await app.close();
