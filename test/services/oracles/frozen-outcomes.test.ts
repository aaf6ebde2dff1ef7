/** A restored database does not go on where the process ended, either: what it had committed may have been told since. */
import { expect, it } from 'vitest';
import { accountRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite } from '../../builders/stores.ts';
import { COIN, context, openOracleSetup, refusal } from './oracle-setup.ts';

it('a frozen event is not signed by whoever waits for it, though its outcome was committed', async () => {
  const sqlite = await openTemporarySqlite();
  try {
    const { store } = sqlite;
    await store.write((tx) => tx.accounts.insert(accountRecord()));
    const { oracles, opened } = openOracleSetup(store);
    const event = await oracles.announce({ oracle: 'local', descriptor: COIN, maturityEpoch: 1_000 }, context());
    const { oracleId, eventId } = event;
    await store.write((tx) =>
      tx.oracleEvents.commitOutcome({ accountId: 'acc_one', oracleId, eventId }, '["heads"]', 4),
    );
    expect(await store.write((tx) => tx.oracleEvents.freezeUnattested(5))).toBe(1);
    const before = opened.length;
    expect(await oracles.fetchAttestation('acc_one', oracleId, eventId)).toBeNull();
    expect(await refusal(oracles.attest({ oracle: oracleId, eventId, outcome: 'heads' }, context()))).toBe(
      'oracle_frozen',
    );
    expect(opened).toHaveLength(before);
    expect(await store.read.attestations.ofEvent('acc_one', oracleId, eventId)).toEqual([]);
  } finally {
    await sqlite.close();
  }
});
