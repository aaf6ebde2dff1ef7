/** A database with contracts from before offers were told apart by all of their bytes: the same offer is still the same contract. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serializeOffer } from '../../src/core/dlc/messages/offer.ts';
import { madeOf } from '../../src/services/contracts/remote/contract-messages.ts';
import { MIGRATIONS } from '../../src/store/contents.ts';
import type { Store } from '../../src/store/store.ts';
import { coinTossInfo, testOffer } from '../builders/dlc-messages.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import { accountRecord } from '../builders/store-records.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

const offer = testOffer({ info: coinTossInfo(2_000_000n) });
const bytes = serializeOffer(offer, 'tagged');
const temporaryId = Buffer.from(offer.temporaryContractId).toString('hex');

const old = (message: (hex: string) => string): OlderDatabase => ({
  migrations: MIGRATIONS.filter(({ version }) => version < 13),
  fill: (store: Store) => store.write((tx) => tx.accounts.insert(accountRecord('acc_old'))),
  rows: [
    `insert into contracts (contract_id, account_id, status, role, dialect, oracle_ids, event_ids, threshold, payouts,
      collateral_sats, offer_collateral_sats, fee_rate_sat_vb, cet_locktime, refund_locktime, temporary_contract_id, coin_hold,
      created_at, updated_at) values ('ctr_old', 'acc_old', 'offered', 'accepter', 'tagged', '[]', '[]', 2, '[]',
      2, 1, 1, 0, 4000000000, '${temporaryId}', '${'1'.repeat(64)}', 1, 1)`,
    `insert into contract_messages (contract_id, type, account_id, message)
      values ('ctr_old', 'offer', 'acc_old', ${message(Buffer.from(bytes).toString('hex'))})`,
  ],
});

it.each([
  ['SQLite', () => upgradedSqlite(old((hex) => `X'${hex}'`))],
  [
    'PostgreSQL',
    () =>
      upgradedPostgres(
        server,
        old((hex) => `'\\x${hex}'`),
      ),
  ],
])('on %s', async (_, upgraded) => {
  const store = await upgraded();
  try {
    const given = { accountId: 'acc_old', role: 'accepter', dialect: 'tagged' } as const;
    const found = await madeOf(store.read, { ...given, offer: bytes });
    expect(found).toMatchObject({ contractId: 'ctr_old', temporaryContractId: temporaryId });
    // Another offer of the temporary id is another contract, and so is that of the other role.
    const changed = serializeOffer({ ...offer, feeRateSatVb: 3n }, 'tagged');
    expect(await madeOf(store.read, { ...given, offer: changed })).toBeNull();
    expect(await madeOf(store.read, { ...given, role: 'offerer', offer: bytes })).toBeNull();
  } finally {
    await store.close();
  }
});
