/** A database with contracts from before what they wait for was written down: what is due, and whom to ask, is known of them all. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/store/contents.ts';
import type { Store } from '../../src/store/store.ts';
import { oracleRecord } from '../builders/contract-records.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import { accountRecord } from '../builders/store-records.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

const BEFORE = MIGRATIONS.slice(0, 9);
const MATURITY = 1_700_000_000;

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

/** As statements of then: those of now write what is not there yet. */
const ROWS = [
  ...['done', 'asked', 'idle'].map(
    (
      id,
    ) => `insert into oracle_events (oracle_id, event_id, account_id, announcement, maturity_epoch, descriptor, created_at)
      values ('ora_old', '${id}', 'acc_old', 'fdd824', ${MATURITY}, '{"kind":"enum","outcomes":["yes","no"]}', 1)`,
  ),
  ...(
    [
      ['ctr_attested', 'confirmed', 1, ['done']],
      ['ctr_half', 'confirmed', 2, ['done', 'asked']],
      ['ctr_asked', 'funded', 1, ['asked']],
      ['ctr_closed', 'closed', 1, ['idle']],
    ] as const
  ).flatMap(([id, status, threshold, events], n) => [
    `insert into contracts (contract_id, account_id, status, role, dialect, oracle_ids, event_ids, threshold, payouts,
      collateral_sats, offer_collateral_sats, fee_rate_sat_vb, cet_locktime, refund_locktime, temporary_contract_id, coin_hold,
      created_at, updated_at) values ('${id}', 'acc_old', '${status}', 'both', 'tagged', '[]', '[]', ${threshold}, '[]',
      2, 1, 1, 0, 4000000000, '${String(n).repeat(64)}', '${String(n).repeat(64)}', ${n}, ${n})`,
    ...events.map(
      (event, position) => `insert into contract_oracles (contract_id, position, account_id, oracle_id, event_id)
        values ('${id}', ${position}, 'acc_old', 'ora_old', '${event}')`,
    ),
  ]),
  // Said twice.
  ...['1', '2'].map(
    (
      n,
    ) => `insert into attestations (attestation_id, account_id, oracle_id, event_id, outcomes, outcomes_digest, attestation,
      source, created_at) values ('att_${n}', 'acc_old', 'ora_old', 'done', '["${n}"]', '${n.repeat(64)}', '', 'posted', 1)`,
  ),
];

async function fill(store: Store): Promise<void> {
  await store.write(async (tx) => {
    await tx.accounts.insert(accountRecord('acc_old'));
    await tx.oracles.insert(oracleRecord('ora_old', { accountId: 'acc_old' }));
  });
}

const old: OlderDatabase = { migrations: BEFORE, fill, rows: ROWS };

it.each([
  ['SQLite', () => upgradedSqlite(old)],
  ['PostgreSQL', () => upgradedPostgres(server, old)],
])('on %s', async (_, upgraded) => {
  const store = await upgraded();
  try {
    const at = { now: 1, height: 100, medianTime: 1_600_000_000 };
    const due = await store.read.contracts.due(at, null, 10);
    expect(due.map(({ contractId }) => contractId)).toEqual(['ctr_attested']);
    const polls = (now: number) => store.read.oracles.toPoll(now, { ofEach: 10, all: 10 });
    expect(await polls(MATURITY * 1000 - 1)).toEqual([]);
    expect(await polls(MATURITY * 1000)).toMatchObject([{ event: { eventId: 'asked' }, awaited: true }]);
  } finally {
    await store.close();
  }
});
