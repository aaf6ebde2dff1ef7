/** Votes in two processes on one PostgreSQL, beside what else locks what waits: nobody is kept waiting for a deadlock to be found. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ApprovalId, ContractId } from '../../../src/core/ids.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import { endUnapprovedTransaction } from '../../../src/services/approvals/end-unapproved.ts';
import { endUnapprovedContract } from '../../../src/services/contracts/approving/end-unapproved-contract.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { Repositories, Store } from '../../../src/store/store.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { silent, type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';
import { APPROVALS, type ApprovalsApp, startApprovalsApp } from '../../families/c-platform/approvals-app.ts';

let postgres: TemporaryPostgres;
let stores: Store[] = [];
let folder = '';
let app: ApprovalsApp;
let other: TestApp;
let keys: string[] = [];
/** Jobs that PostgreSQL ended, and that ran again. */
let again = 0;

const counted = (store: Store): Store => ({
  ...store,
  write: (job) => {
    let runs = 0;
    return store.write((tx) => {
      if (runs++ > 0) again++;
      return job(tx);
    });
  },
});

beforeAll(async () => {
  postgres = await withPostgres();
  const url = await postgres.newTables();
  const open = async () => counted(await openPostgresStore({ url, log: silent, clock: Date.now }));
  stores = [await open(), await open()];
  folder = mkdtempSync(join(tmpdir(), 'ashlar-approvals-'));
  const env = { MASTER_KEY_FILE: join(folder, 'master.key') };
  writeFileSync(env.MASTER_KEY_FILE, randomBytes(32), { mode: 0o600 });
  app = await startApprovalsApp({ store: stores[0]!, env });
  other = await startTestApp({ store: stores[1]!, chain: app.simulated, dataDir: app.dataDir, clock: app.now, env });
  keys = await Promise.all(Array.from({ length: 20 }, (_, n) => app.voice(`usr_${n}`)));
  for (const key of keys) other.remember(key, app.pairOf(key));
});
afterAll(async () => {
  await other?.close();
  await app?.close();
  for (const store of stores) await store.close();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await app.rules({ when: { operations: ['payment', 'contract_offer'] } });
  again = 0;
});

const voteAt = async (at: number, id: string, decision: 'approve' | 'reject' = 'approve') => {
  const { digest } = await app.approval(id);
  const apiKey = keys[at]!;
  return [app, other][at % 2]!.post(`${APPROVALS}/${id}/${decision}`, { digest }, { apiKey });
};
const closed = (id: string) =>
  expect.poll(async () => (await app.approval(id)).status, { timeout: 90_000, interval: 20 });

const PAYMENT = {
  make: () => app.waiting(),
  lock: (tx: Repositories, { txid }: Json) => tx.transactions.findForUpdate(app.accountId, txid as Txid),
  end: async (tx: Repositories, { txid }: Json) => {
    const record = await tx.transactions.find(app.accountId, txid);
    await endUnapprovedTransaction(tx, record!, { status: 'conflicted', reason: 'a coin is gone' }, app.now());
  },
};
const CONTRACT = {
  make: async () => {
    const terms = { type: 'dlc', oracle: 'local', outcomes: ['a', 'b'], collateral: '0.01', wallet_id: app.walletId };
    return (await app.post('/api/v1/contracts', terms)).body;
  },
  lock: (tx: Repositories, { contract_id }: Json) => tx.contracts.findForUpdate(app.accountId, contract_id),
  end: async (tx: Repositories, { contract_id }: Json) => {
    const record = await tx.contracts.find(app.accountId, contract_id as ContractId);
    await endUnapprovedContract(tx, record!, 'a coin is gone', app.now());
  },
};

it.each([
  ['a vote', 'payment', PAYMENT, (id: string) => voteAt(1, id)],
  ['a vote', 'contract', CONTRACT, (id: string) => voteAt(1, id)],
  ['its expiry', 'payment', PAYMENT, async () => app.advance(25 * 3_600_000)],
  ['its expiry', 'contract', CONTRACT, async () => app.advance(25 * 3_600_000)],
] as const)('%s waits for the job that ends the %s, and locks nothing until then', async (_, __, kind, come) => {
  const made = await kind.make();
  let coming: Promise<unknown> = Promise.resolve();
  await app.app.store.write(async (tx) => {
    await kind.lock(tx, made);
    coming = come(made.approval_id);
    await expect.poll(() => postgres.waiting(), { timeout: 90_000, interval: 10 }).toBeGreaterThan(0);
    await kind.end(tx, made);
  });
  await coming;
  await closed(made.approval_id).toBe('failed');
  expect(again).toBe(0);
});

it('20 votes at once in two processes, on 5 payments, while those that are approved are carried out: each is made once', async () => {
  const made = [];
  for (let n = 0; n < 5; n++) made.push(await app.waiting());
  const answers = await Promise.all(
    made.flatMap(({ approval_id: id }, n) =>
      [0, 1, 2, 3].map(async (k) => [id, (await voteAt(n * 4 + k, id)).status] as const),
    ),
  );
  for (const { approval_id, txid } of made) {
    expect(answers.flatMap(([id, status]) => (id === approval_id ? [status] : [])).sort()).toEqual([
      200, 409, 409, 409,
    ]);
    await app.status(txid, 'broadcast');
  }
  expect(again).toBe(0);
});

it('votes of two processes at once count one each; approved here and rejected there, it ends one way', async () => {
  await app.rules({ required: 20 });
  const { approval_id: id, txid } = await app.waiting();
  const answers = await Promise.all(keys.map((_, at) => voteAt(at, id)));
  expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
  const { votes } = await app.approval(id);
  expect(votes.filter(({ counted }: Json) => counted)).toHaveLength(20);
  await app.status(txid, 'broadcast');
  await app.rules({});
  for (let round = 0; round < 4; round++) {
    const next = await app.waiting();
    const both = await Promise.all([voteAt(2, next.approval_id), voteAt(3, next.approval_id, 'reject')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    await app.status(next.txid, both[0]!.status === 200 ? 'broadcast' : 'failed');
    const record = await app.app.store.read.approvals.find(app.accountId, next.approval_id as ApprovalId);
    expect(record!.status).toBe(both[0]!.status === 200 ? 'approved' : 'rejected');
  }
  expect(again).toBe(0);
});
