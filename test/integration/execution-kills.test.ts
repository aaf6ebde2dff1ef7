/**
 * kill -9 right before and right after every COMMIT of the execution of a proposal that pays, at once and after an approval. Asked again under
 * the same Idempotency-Keys, and under others, each pays once.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FIRST_PARAMETERS } from '../../src/core/governance/parameters.ts';
import { sqlitePath } from '../../src/store/open-store.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';
import { type Caller, type Credentials, createCaller } from './crashes/caller.ts';
import { post } from './crashes/voices.ts';

const BASE = '/v1/governance';
const APPROVALS = '/api/v1/enterprise/approvals';
const PAYEE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const PRELOAD = fileURLToPath(new URL('crashes/killed-at-commit.ts', import.meta.url));
const KILL_AT = join(mkdtempSync(join(tmpdir(), 'ashlar-kills-')), 'kill-at');
/** A life has fewer. */
const MOST_COMMITS = 20;

let service: ServiceProcess;
let [admin, executor, ada]: Caller[] = [];
let [deaths, over, asked] = [0, false, 0];

const startAgain = (): Promise<void> =>
  service.exited.then(async () => {
    if (over) return;
    deaths++;
    rmSync(KILL_AT, { force: true });
    const started = service.start();
    void startAgain();
    await started.catch(() => {});
  });

const made = async (by: Caller, path: string, body: object = {}, method = 'POST') =>
  (await post(by, { method, path, body }, `made-${asked++}`)).body;
async function key(administrator: Caller, name: string, role: string): Promise<Caller> {
  const limits = { requests_per_minute: 1_000_000, voting_per_minute: 1_000_000 };
  const given = { name, role, scopes: ['*'], tier: 'custom', limits };
  return createCaller(service.baseUrl, (await made(administrator, '/api/v1/api-keys', given)) as Credentials);
}
const look = (path: string) => eventually(path, () => admin!.read(path));
async function mine(count: number, address = PAYEE): Promise<void> {
  await made(admin!, '/api/v1/bitcoin/blocks', { count, address });
  await eventually('followed', async () => (await admin!.read('/api/v1/blockchain/status')).follower.lag === 0);
}

beforeAll(async () => {
  service = await startService({
    ...{ CHAIN: 'simulated', LOG_LEVEL: 'debug', NODE_OPTIONS: `--import ${PRELOAD}`, KILL_AT },
    KILL_TABLES: 'governance_\\w+|transactions|approvals',
  });
  const first = JSON.parse(readFileSync(join(service.dataDir, 'admin-credentials.json'), 'utf8')) as Credentials;
  admin = await key(createCaller(service.baseUrl, first), 'admin', 'admin');
  [executor, ada] = [await key(admin, 'executor', 'admin'), await key(admin, 'ada', 'operator')];
  const { holder_id: address } = await admin.read(`${BASE}/tokens/balance`);
  await made(admin, `${BASE}/tokens/mint`, { address, amount: '100', reason: 'to vote' });
  const settings = { ...FIRST_PARAMETERS, voting_period_hours: 1 / 3600, timelock_hours: 0, quorum_percent: 0 };
  const database = new DatabaseSync(sqlitePath(service.dataDir));
  database.prepare('UPDATE governance_daos SET parameters = ?').run(JSON.stringify(settings));
  database.close();
  const { wallet_id } = await made(admin, '/api/v1/wallets', { name: 'treasury', type: 'segwit', backup_type: 'none' });
  await mine(1, (await made(admin, `/api/v1/wallets/${wallet_id}/addresses`)).address);
  await mine(100);
  await made(admin, `${BASE}/dao/treasury`, { wallet_id }, 'PUT');
  await made(admin, '/api/v1/enterprise/policies', {
    name: 'two people',
    when: { operations: ['treasury_spend'], amount_over: '0.15' },
    then: { action: 'approve', required: 1, from: { roles: ['operator'] } },
  });
  void startAgain();
}, 120_000);
afterAll(() => {
  over = true;
  return service.dispose();
});

/** True if it was killed on the way. */
async function live(amount: string, commit: number, when: 'before' | 'after'): Promise<boolean> {
  const mark = `${amount}-${when}-${commit}`;
  await mine(1);
  const parameters = { recipients: [{ address: PAYEE, amount }], fee_rate: '2' };
  const given = { title: mark, description: 'd', type: 'treasury_spend', parameters };
  const { id } = await made(admin!, `${BASE}/proposals`, given);
  await made(admin!, `${BASE}/proposals/${id}/vote`, { vote: 'for', voting_power: 100 });
  const executionOf = async () => (await admin!.read(`${BASE}/proposals/${id}`)).execution;
  await eventually('it passed', async () => (await executionOf())?.status === 'ready');
  const before = deaths;
  writeFileSync(KILL_AT, JSON.stringify({ mark, commit, when }));
  const execute = async (by: Caller, as: string) =>
    post(by, { method: 'POST', path: `${BASE}/dao/execute/${id}` }, `${mark}-${as}`).catch((error: Error) => error);
  await Promise.all([execute(executor!, 'one'), execute(executor!, 'one'), execute(admin!, 'other')]);
  if (amount === '0.2') {
    const [{ approval_id }] = (await look(`${APPROVALS}?status=pending`)).data;
    const { digest } = await look(`${APPROVALS}/${approval_id}`);
    await post(ada!, { method: 'POST', path: `${APPROVALS}/${approval_id}/approve`, body: { digest } }, `${mark}-ada`);
  }
  await eventually(`${mark} is executed`, async () => (await executionOf()).status === 'executed');
  rmSync(KILL_AT, { force: true });
  const paid = (await look(`/api/v1/transactions?label=proposal%20${id}`)).data;
  expect([mark, paid.map(({ txid }: any) => txid)]).toEqual([mark, [(await executionOf()).txid]]);
  await eventually(`${mark} is sent`, async () => {
    const { status } = await admin!.read(`/api/v1/transactions/${paid[0].txid}`);
    return status === 'broadcast' || status === 'confirmed';
  });
  return deaths > before;
}

it.each([
  ['0.1', 'before'],
  ['0.1', 'after'],
  ['0.2', 'before'],
  ['0.2', 'after'],
] as const)('a payment of %s, right %s each COMMIT', { timeout: 600_000 }, async (amount, when) => {
  let commit = 1;
  while (await live(amount, commit, when)) expect(commit++).toBeLessThan(MOST_COMMITS);
  // The payment, and that it was sent; where it waits also the vote.
  expect(commit).toBeGreaterThan(amount === '0.2' ? 3 : 2);
});
