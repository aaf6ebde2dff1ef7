/** Proposals that end while two processes on one PostgreSQL run, are killed, and where a clock is set back: each ends once, for good. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccountId } from '../../src/core/ids.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { ProposalRecord } from '../../src/store/repositories/proposals.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';
import { silent, withPostgres } from '../builders/stores.ts';

const AT = '/v1/governance/proposals';
const HOUR = 3_600_000;
const opened = new AsyncDisposableStack();
let first: ServiceProcess;
let second: ServiceProcess;
let store: Store;
let accountId: AccountId;
/** By a key that may ask as often as it likes. */
let asking: { authorization: string };
/** One that was made by a request. */
let made: ProposalRecord;

const propose = (by: ServiceProcess) => by.call('POST', AT, { title: 'a', description: 'b', type: 'text' });

beforeAll(async () => {
  const postgres = opened.use(await withPostgres());
  const url = await postgres.newTables();
  const folder = mkdtempSync(join(tmpdir(), 'ashlar-secrets-'));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const keyFile = join(folder, 'master.key');
  writeFileSync(keyFile, crypto.getRandomValues(Buffer.alloc(32)), { mode: 0o600 });
  const env = { DATABASE_URL: url, MASTER_KEY_FILE: keyFile, CHAIN: 'simulated', LOG_LEVEL: 'warn' };
  first = await startService(env);
  opened.defer(() => first.dispose());
  second = await startService(env);
  opened.defer(() => second.dispose());
  store = await openPostgresStore({ url, log: silent, clock: Date.now });
  opened.defer(() => store.close());
  const { status, body } = await propose(first);
  expect(status, JSON.stringify(body)).toBe(201);
  const reader = {
    ...{ name: 'reader', scopes: ['governance:read'], tier: 'custom', limits: { requests_per_minute: 1_000_000 } },
  };
  asking = { authorization: `Bearer ${(await first.call('POST', '/api/v1/api-keys', reader)).body.api_key}` };
  accountId = (await store.read.accounts.findByName('default'))!.accountId;
  made = (await store.read.proposals.find(accountId, body.id))!;
});
afterAll(() => opened.disposeAsync());

/** So many that end then, every second one passed; their ids. */
async function ending(count: number, expiresAt: number): Promise<ProposalRecord['proposalId'][]> {
  const stem = `prp_${Math.random().toString(36).slice(2, 10).padEnd(8, 'x')}`;
  const all = Array.from({ length: count }, (_, at): ProposalRecord => {
    const proposalId = `${stem}${at.toString().padStart(14, '0')}` as ProposalRecord['proposalId'];
    return { ...made, proposalId, createdAt: expiresAt - HOUR, expiresAt, votesFor: at % 2 === 0 ? 1_000_000n : 0n };
  });
  await store.write(async (tx) => {
    const { activeProposals, proposals } = (await tx.governance.lockDao(accountId))!;
    for (const proposal of all) await tx.proposals.insert(proposal);
    await tx.governance.updateDao(accountId, {
      ...{ activeProposals: activeProposals + count, proposals: proposals + count },
    });
  });
  return all.map(({ proposalId }) => proposalId);
}
const ended = async (ids: readonly ProposalRecord['proposalId'][]) => {
  const all = await Promise.all(ids.map((id) => store.read.proposals.find(accountId, id)));
  return all.filter((one) => one?.status !== 'active').length;
};

/** Each has ended as its votes say, and was told of once. */
async function expectEnds(ids: readonly ProposalRecord['proposalId'][]): Promise<void> {
  for (const [at, id] of ids.entries()) {
    const { status, endedAt, expiresAt } = (await store.read.proposals.find(accountId, id))!;
    expect([status, endedAt]).toEqual([at % 2 === 0 ? 'passed' : 'rejected', expiresAt]);
  }
  const told = async () => {
    const all = await store.read.events.after(0n, 100_000, { accountId, channel: 'governance' });
    return all.filter(({ ref, data }) => ids.includes(ref as never) && String(data).includes('proposal_updated'));
  };
  await eventually('all are told of', async () => (await told()).length >= ids.length);
  expect(new Set((await told()).map(({ ref }) => ref)).size).toBe(ids.length);
  expect((await told()).length).toBe(ids.length);
  expect((await store.read.governance.findDao(accountId))!.activeProposals).toBe(1);
}

it('end once where both processes are asked at that moment', async () => {
  const at = (await store.read.proposals.time()) + 1_500;
  const ids = await ending(120, at);
  const seen = [first, second].map(() => [] as number[]);
  const look = async (of: number): Promise<void> => {
    const { body } = await [first, second][of]!.call('GET', `${AT}?status=active&limit=1`, undefined, asking);
    seen[of]!.push(body.total);
    if (body.total > 1) return look(of);
  };
  await Promise.all([look(0), look(1), look(0)]);
  for (const totals of seen) expect(totals.at(-1)).toBe(1);
  await expectEnds(ids);
  expect(Math.max(...seen.flat())).toBe(121);
});

it('end once where the process that ends them is killed', async () => {
  const ids = await ending(900, (await store.read.proposals.time()) - HOUR);
  await eventually('the worker has begun', async () => (await ended(ids.slice(0, 900))) > 0);
  await first.kill();
  await eventually('the other goes on', async () => (await ended(ids)) === ids.length);
  await expectEnds(ids);
  await first.start();
});

it('stay ended where the clock of a single process is set back, and end after it was down', async () => {
  const env: Record<string, string> = { CHAIN: 'simulated', LOG_LEVEL: 'warn' };
  const service = await startService(env);
  opened.defer(() => service.dispose());
  const { id } = (await propose(service)).body;
  const statusNow = async () => (await service.call('GET', `${AT}/${id}`)).body.status;
  expect(await statusNow()).toBe('active');
  await service.kill();
  env.NODE_OPTIONS = `--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+${73 * HOUR}`;
  await service.start();
  expect(await statusNow()).toBe('rejected');
  await service.stop();
  env.NODE_OPTIONS = '';
  await service.start();
  expect(await statusNow()).toBe('rejected');
  expect((await service.call('GET', '/v1/governance/dao/status')).body.active_proposals).toBe(0);
  const next = (await propose(service)).body;
  expect(Date.parse(next.created_at)).toBeGreaterThan(Date.now() + 70 * HOUR);
});
