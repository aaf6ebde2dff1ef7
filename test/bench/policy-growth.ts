/**
 * A payment of an account with 100 rules and 1,000,000 past payments within the longest window, against one of an account with neither: CPU
 * time of the serving thread and of the process, and wall time, one at a time and 32 at once, in turns. Then the account's replay: payments
 * per second, and the longest turn of the serving thread. RULES=windows: all 100 rules have windows. PAST=100000 for another number
 */
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { WalletId } from '../../src/core/ids.ts';
import type { Policy, PolicyConditions, WindowScope } from '../../src/core/policies/policy.ts';
import { HOUR_MS } from '../../src/core/policies/windows.ts';
import { createEntriesOf } from '../../src/services/address-book/entries-of.ts';
import { createGate } from '../../src/services/policies/gate.ts';
import { createReplays } from '../../src/services/policies/replay/replay-service.ts';
import { createReplayWorker } from '../../src/services/policies/replay/replay-worker.ts';
import { createRulesOf } from '../../src/services/policies/rules-of.ts';
import type { Store } from '../../src/store/store.ts';
import { requestContext } from '../builders/request-context.ts';
import { transactionRecord } from '../builders/store-records.ts';
import { silent } from '../builders/stores.ts';
import { calibrated, measured } from '../builders/worst/thread-cpu.ts';
import { outsideAddress } from './funded-app.ts';
import { openPaying, type Paying } from './paying.ts';

const PAST = Number(process.env.PAST ?? 1_000_000);
const RULES = 100;
const COINS = 1_000;
const ROUNDS = 60;
const AT_ONCE = 32;
const PAYEES = 1_000;
const WINDOW_HOURS = 744;
const HERE = fileURLToPath(new URL('../..', import.meta.url));
const PAYEE = outsideAddress('payee');
const entriesOf = createEntriesOf('regtest');
const gateOf = (store: Store) => createGate({ store, rulesOf: createRulesOf(), entriesOf, clock: Date.now });

const SCOPES: readonly WindowScope[] = ['account', 'wallet', 'initiator', 'destination'];
/** Lengths from an hour to 31 days; bounds that nothing here reaches. */
const windowed = (n: number): PolicyConditions => ({
  window: {
    per: SCOPES[n % SCOPES.length]!,
    hours: Math.min(WINDOW_HOURS, 1 + 30 * Math.floor(n / SCOPES.length)),
    amountOverSats: 10n ** 15n,
  },
});
const MIXED: readonly ((n: number) => PolicyConditions)[] = [
  windowed,
  windowed,
  (n) => ({ amountOverSats: 10n ** 12n + BigInt(n) }),
  (n) => ({ operations: ['payment'], feeOver: { sats: 10n ** 9n + BigInt(n) } }),
  () => ({ hours: { timezone: 'Europe/Zurich', days: ['saturday', 'sunday'], from: '22:00', to: '23:00' } }),
  (n) => ({ destinations: { outside: true }, amountOverSats: 10n ** 12n + BigInt(n) }),
];
const ruleOf = (n: number): Policy => ({
  ...{ policyId: `pol_${n}`, name: `Rule ${n}`, enabled: true, position: n + 1 },
  when: process.env.RULES === 'windows' ? windowed(n) : MIXED[n % MIXED.length]!(Math.floor(n / MIXED.length)),
  then: { action: 'deny', message: 'no' },
});

async function addRules({ store, accountId }: Paying): Promise<void> {
  await store.write(async (tx) => {
    const at = Date.now();
    await tx.enterpriseConfig.lockOrMake(accountId, at);
    for (let n = 0; n < RULES; n++) await tx.policies.insert({ ...ruleOf(n), accountId, createdAt: at, updatedAt: at });
    await tx.enterpriseConfig.update(accountId, { version: 2 });
  });
}

/** Payments evenly over the longest window, written as SQL from one that the store has written; the triggers add them up. */
async function addPast({ store, path, accountId }: Paying, walletId: WalletId): Promise<void> {
  const hour = Math.floor(Date.now() / HOUR_MS) - WINDOW_HOURS;
  const sum = { hour, amountSats: 1_000n, count: 1 };
  const subjects = { account: '', wallet: walletId, initiator: 'key_test', destination: 'PAYEE' };
  const first = transactionRecord('past', {
    ...{ accountId, walletId, status: 'confirmed', createdAt: 0 },
    counts: SCOPES.map((scope) => ({ scope, subject: subjects[scope], ...sum })),
    asked: { operation: 'payment', user: null, credential: 'key_test', role: 'admin', fee: '141' },
  });
  await store.write((tx) => tx.transactions.insert(first, [], []));
  const database = new DatabaseSync(path);
  const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all('transactions');
  const hourOf = `(${hour} + n * ${WINDOW_HOURS} / ${PAST})`;
  const own: Record<string, string> = {
    txid: `printf('%064x', n)`,
    unsigned_txid: `printf('%064x', n)`,
    ordinal: 'n + 1',
    created_at: `${hourOf} * ${HOUR_MS} + n % ${HOUR_MS}`,
    counts: `replace(replace(first.counts, '${hour}', ${hourOf}), 'PAYEE', iif(n % 10 = 0, '${PAYEE}', 'payee ' || n % ${PAYEES}))`,
  };
  const names = columns.map(({ name }) => String(name));
  database.exec(`INSERT INTO transactions (${names.join(', ')})
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${PAST - 1})
    SELECT ${names.map((name) => own[name] ?? `first.${name}`).join(', ')} FROM numbers, transactions AS first WHERE first.txid = '${first.txid}'`);
  database.exec(`UPDATE accounts SET transaction_count = ${PAST}; PRAGMA wal_checkpoint(TRUNCATE); ANALYZE`);
  database.close();
}

interface Cost {
  thread: number;
  all: number;
  wall: number;
}

async function cost(pay: () => Promise<void>, atOnce: number): Promise<Cost> {
  const [cpu, began] = [process.cpuUsage(), performance.now()];
  const { totalMs } = await measured(() => Promise.all(Array.from({ length: atOnce }, pay)));
  const { user, system } = process.cpuUsage(cpu);
  return {
    thread: totalMs / atOnce,
    all: (user + system) / 1_000 / atOnce,
    wall: (performance.now() - began) / atOnce,
  };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

async function compare(name: string, pays: readonly (() => Promise<void>)[], atOnce: number, rounds: number) {
  const costs: Cost[][] = pays.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? [0, 1] : [1, 0]) costs[side]!.push(await cost(pays[side]!, atOnce));
  const line = (['thread', 'all', 'wall'] as const).map((of) => {
    const [none, many] = costs.map((each) => median(each.map((one) => one[of])));
    return `${of} ${none!.toFixed(2)} and ${many!.toFixed(2)} ms, ${(many! / none!).toFixed(3)}x`;
  });
  console.log(`${name.padEnd(12)} | ${line.join(' | ')}`);
}

async function replay({ store, accountId }: Paying): Promise<void> {
  const deps = { store, entriesOf, clock: Date.now, historyMs: 400 * 24 * HOUR_MS };
  const worker = createReplayWorker({ ...deps, log: silent });
  const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size));
  const replays = createReplays({ ...deps, randomBytes, rulesOf: createRulesOf(), onQueued: () => worker.wake() });
  const context = requestContext({ accountId, idempotency: null });
  const began = performance.now();
  const { made, longestMs, totalMs } = await measured(async () => {
    worker.start();
    const asked = { policies: undefined, defaultAction: undefined, fromAt: 0, toAt: undefined };
    const { replayId } = await replays.create(asked, context);
    for (;;) {
      const now = await replays.get(replayId, context);
      if (now.status !== 'running') return now;
      await new Promise((resolved) => setTimeout(resolved, 100));
    }
  });
  await worker.stop();
  const { status, figures } = made;
  const perSecond = (ms: number) => Math.round((figures.payments / ms) * 1_000);
  console.log(
    `replay of ${RULES} rules: ${status}, ${figures.payments} payments, ${perSecond(totalMs)} per second of the thread's CPU, ` +
      `${perSecond(performance.now() - began)} by wall clock; longest turn ${longestMs.toFixed(1)} ms`,
  );
}

const none = await openPaying(HERE, 'none', gateOf);
const many = await openPaying(HERE, 'many', gateOf);
const [plain, ruled] = [await none.wallet(COINS), await many.wallet(COINS)];
await addPast(many, ruled.walletId);
await addRules(many);
const pays = [() => plain.pay(PAYEE), () => ruled.pay(PAYEE)];
for (let n = 0; n < 20; n++) for (const pay of pays) await pay();
console.log(`${PAST} past payments and ${RULES} rules against none`);
await compare('one by one', pays, 1, ROUNDS);
await compare(`${AT_ONCE} at once`, pays, AT_ONCE, 6);
await replay(many);
console.log(`what may hold the thread takes ${calibrated().toFixed(1)} ms here`);
await none.close();
await many.close();
