/**
 * Signed votes per second, durable, against signed writes of the same hook layer (PATCH of a wallet's name), 32 at once by as many API keys
 * over HTTP, SQLite with synchronous=FULL, in alternating rounds; then a proposal, the DAO's status, a page of votes and a vote after
 * 1,000,000 votes against after 1,000, in turns: CPU time of the serving thread, and wall time. VOTES=100000 for another number.
 * Run: node test/bench/governance.ts [REQUESTS [ROUNDS]]
 */
import { DatabaseSync } from 'node:sqlite';
import { createLog } from '../../src/app/log.ts';
import { logDestination } from '../../src/app/log-destination.ts';
import { sqlitePath } from '../../src/store/open-store.ts';
import type { TestAnswer, TestApp } from '../builders/app.ts';
import { measured } from '../builders/worst/thread-cpu.ts';
import { startFundedApp } from './funded-app.ts';
import { AT_ONCE, type SignedLoad, sendSigned } from './signed-load.ts';

const REQUESTS = Number(process.argv[2] ?? 2_000);
const ROUNDS = Number(process.argv[3] ?? 5);
const VOTES = Number(process.env.VOTES ?? 1_000_000);
const FEW = 1_000;
const TURNS = 60;
const IN_A_TURN = 10;
const POWER = 1_000;
const BASE = '/v1/governance';
const UNLIMITED = { tier: 'custom', limits: { requests_per_minute: 1e9, voting_per_minute: 1e9 } } as const;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const done = ({ status, body, text }: TestAnswer) => {
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body;
};
const proposed = async (app: TestApp, apiKey: string): Promise<string> =>
  done(
    await app.post(
      `${BASE}/proposals`,
      { title: 'Bench', description: 'Bench', type: 'text', parameters: {} },
      { apiKey },
    ),
  ).id;
const ballot = (n: number) => ({ vote: n % 2 === 0 ? 'for' : 'against', voting_power: 1 + (n % POWER) });

async function votesPerSecond(app: TestApp, walletId: string, origin: string): Promise<void> {
  const keys = await Promise.all(Array.from({ length: AT_ONCE }, () => app.key(UNLIMITED)));
  for (const apiKey of keys) {
    const { holder_id: address } = done(await app.get(`${BASE}/tokens/balance`, { apiKey }));
    done(await app.post(`${BASE}/tokens/mint`, { address, amount: String(POWER), reason: 'bench' }, { apiKey }));
  }
  const id = await proposed(app, app.adminKey);
  const from = { origin, host: app.host, senders: keys.map((apiKey) => ({ apiKey, privateJwk: app.pairOf(apiKey) })) };
  const numbers = Array.from({ length: REQUESTS }, (_, n) => n);
  const votes = (name: string): SignedLoad => ({
    ...{ ...from, name, method: 'POST', path: `${BASE}/proposals/${id}/vote`, bodies: numbers.map(ballot) },
  });
  const writes = (name: string): SignedLoad => ({
    ...{ ...from, name, method: 'PATCH', path: `/api/v1/wallets/${walletId}` },
    bodies: numbers.map((n) => ({ name: `${name} ${n}` })),
  });
  const rates: Record<'votes' | 'writes', { perSecond: number; cpu: number; latencies: number[] }[]> = {
    ...{ votes: [], writes: [] },
  };
  for (let round = 0; round <= ROUNDS; round++)
    for (const [kind, load] of Object.entries({ votes, writes })) {
      let before = process.threadCpuUsage();
      const { seconds, latencies } = await sendSigned(load(`${kind}-${round}`), () => {
        before = process.threadCpuUsage();
      });
      const { user, system } = process.threadCpuUsage(before);
      const figures = { perSecond: REQUESTS / seconds, cpu: (user + system) / 1_000 / REQUESTS, latencies };
      // The first round warms up.
      if (round > 0) rates[kind as keyof typeof rates].push(figures);
    }
  console.log(`${AT_ONCE} at once, SQLite with synchronous=FULL, medians of ${ROUNDS} rounds of ${REQUESTS}`);
  for (const [kind, rounds] of Object.entries(rates)) {
    const latencies = rounds.flatMap((one) => one.latencies).toSorted((a, b) => a - b);
    const at = (quantile: number) => `${latencies[Math.floor(latencies.length * quantile)]!.toFixed(1)} ms`;
    const cpu = median(rounds.map((one) => one.cpu)).toFixed(2);
    const perSecond = median(rounds.map((one) => one.perSecond)).toFixed(0);
    console.log(`${kind.padEnd(8)} ${perSecond} /s, ${cpu} ms of the serving thread, p50 ${at(0.5)}, p99 ${at(0.99)}`);
  }
  const ratio = (of: 'perSecond' | 'cpu') =>
    median(rates.votes.map((one, at) => one[of] / rates.writes[at]![of])).toFixed(2);
  console.log(`votes to writes: ${ratio('perSecond')} of the rate, ${ratio('cpu')} of the CPU`);
}

/** Votes of as many holders as SQL from one that the service has taken: each adds what that one counts for. */
function addVotes(path: string, proposalId: string, count: number): void {
  const database = new DatabaseSync(path);
  const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all('governance_votes');
  const names = columns.map(({ name }) => String(name));
  const own: Record<string, string> = { holder_id: `printf('usr_%022d', n)`, created_at: 'first.created_at - n' };
  database.exec(`INSERT INTO governance_votes (${names.join(', ')})
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})
    SELECT ${names.map((name) => own[name] ?? `first.${name}`).join(', ')}
      FROM numbers, governance_votes AS first WHERE first.proposal_id = '${proposalId}' AND first.holder_id LIKE 'key_%'`);
  database.exec(`UPDATE governance_proposals SET voters = ${count}, ballots = ${count}, votes_for = CAST(${count} AS TEXT)
    WHERE proposal_id = '${proposalId}'; PRAGMA wal_checkpoint(TRUNCATE); ANALYZE`);
  database.close();
}

async function dao(app: TestApp, name: string, votes: number) {
  const { accountId } = await app.anotherAccount(name);
  const apiKey = await app.key({ accountId, ...UNLIMITED });
  const { holder_id: address } = done(await app.get(`${BASE}/tokens/balance`, { apiKey }));
  done(await app.post(`${BASE}/tokens/mint`, { address, amount: String(POWER), reason: 'bench' }, { apiKey }));
  const id = await proposed(app, apiKey);
  done(await app.post(`${BASE}/proposals/${id}/vote`, { vote: 'for', voting_power: 1 }, { apiKey }));
  addVotes(sqlitePath(app.dataDir), id, votes);
  const get = async (path: string) => void done(await app.get(BASE + path, { apiKey }));
  let cast = 0;
  return {
    'a proposal with its tally': () => get(`/proposals/${id}`),
    'proposals, a page': () => get('/proposals?status=active'),
    'status of the DAO': () => get('/dao/status'),
    'votes, a page': () => get(`/votes/${id}?limit=20`),
    'a vote': async () => void done(await app.post(`${BASE}/proposals/${id}/vote`, ballot(cast++), { apiKey })),
  };
}

async function growth(app: TestApp): Promise<void> {
  const [few, many] = [await dao(app, 'few', FEW), await dao(app, 'many', VOTES)];
  console.log(`after ${FEW} and ${VOTES} votes, medians of ${TURNS} turns of ${IN_A_TURN} requests one after another`);
  for (const name of Object.keys(few) as (keyof typeof few)[]) {
    const costs = [few, many].map(() => ({ cpu: [] as number[], wall: [] as number[] }));
    for (let turn = -6; turn < TURNS; turn++)
      for (const side of turn % 2 === 0 ? [0, 1] : [1, 0]) {
        const began = performance.now();
        const { totalMs } = await measured(async () => {
          for (let n = 0; n < IN_A_TURN; n++) await [few, many][side]![name]();
        });
        if (turn < 0) continue;
        costs[side]!.cpu.push(totalMs / IN_A_TURN);
        costs[side]!.wall.push((performance.now() - began) / IN_A_TURN);
      }
    const line = (['cpu', 'wall'] as const).map((of) => {
      const [less = 0, more = 0] = costs.map((one) => median(one[of]));
      return `${of} ${less.toFixed(2)} and ${more.toFixed(2)} ms, ${(more / less).toFixed(2)}x`;
    });
    console.log(`${name.padEnd(26)} ${line.join(' | ')}`);
  }
}

const { app, walletId } = await startFundedApp(1, {
  ...{ log: createLog('info', logDestination('/dev/null')), limits: true },
});
const origin = await app.listen();
await votesPerSecond(app, walletId, origin);
await growth(app);
await app.close();
