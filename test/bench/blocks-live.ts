/**
 * Blocks followed one by one as they are mined on the simulated chain, each with a payment of a wallet of 400 coins and without: what the
 * service computes for one, beyond the mining itself, and its SQL statements. STATEMENTS=1 lists them. Run: node test/bench/blocks-live.ts [BLOCKS]
 */
import { randomBytes } from 'node:crypto';
import { createSimulatedChain } from '../../src/chain/simulated/simulated-chain.ts';
import { silent } from '../builders/stores.ts';
import { outsideAddress, startFundedApp } from './funded-app.ts';
import { STATEMENT, takeStatements } from './statements.ts';

const BLOCKS = Number(process.argv[2] ?? 200);
const NOBODY = '51';

const { app, walletId } = await startFundedApp(400);
const bare = await createSimulatedChain({ clock: Date.now, randomBytes, log: silent });
await bare.mine(600, NOBODY);

async function micros(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

const pay = () =>
  app.post('/api/v1/transactions', {
    recipients: [{ address: outsideAddress('payee'), amount: '0.001' }],
    ...{ fee_rate: '2', rbf: true, wallet_id: walletId },
  });

for (const paying of [false, true]) {
  let mining = 0;
  let following = 0;
  const statements = new Map<string, { runs: number; ms: number }>();
  for (let i = 0; i < BLOCKS; i++) {
    if (paying) await pay();
    mining += await micros(() => bare.mine(1, NOBODY));
    takeStatements();
    following += await micros(async () => {
      await app.simulated.mine(1, NOBODY);
      await app.synced();
    });
    for (const { sql, runs, ms } of takeStatements()) {
      const before = statements.get(sql) ?? { runs: 0, ms: 0 };
      statements.set(sql, { runs: before.runs + runs, ms: before.ms + ms });
    }
  }
  const runs = [...statements].filter(([sql]) => STATEMENT.test(sql));
  const count = runs.reduce((sum, [, { runs: times }]) => sum + times, 0) / BLOCKS;
  console.log(
    `a block with ${paying ? 'one payment' : 'nothing of ours'}: ${((following - mining) / BLOCKS / 1000).toFixed(2)} ms beyond ` +
      `${(mining / BLOCKS / 1000).toFixed(2)} ms of mining; ${count.toFixed(1)} statements`,
  );
  if (process.env.STATEMENTS === undefined) continue;
  for (const [sql, { runs: times, ms }] of [...statements].toSorted((a, b) => b[1].ms - a[1].ms)) {
    const micros = ((1_000 * ms) / BLOCKS).toFixed(0).padStart(5);
    if (times > BLOCKS / 20) console.log(`${micros} µs ${(times / BLOCKS).toFixed(2)} ${sql.slice(0, 160)}`);
  }
}
await bare.close();
await app.close();
