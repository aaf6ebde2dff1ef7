/** How many of a contract's events are attested is right whichever jobs go on at the same time: each sees what the other has committed. */

import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { ContractId, OracleId } from '../../../src/core/ids.ts';
import type { Repositories, Store } from '../../../src/store/store.ts';
import { attestationRecord, contractRecord, oracleEventRecord, oracleRecord } from '../../builders/contract-records.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';

let server: TemporaryPostgres;
let store: Store;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  store = await server.openStore();
  await store.write(async (tx) => {
    await tx.accounts.insert(accountRecord('acc_one'));
    for (const oracle of ['ora_a', 'ora_b'] as const) {
      await tx.oracles.insert(oracleRecord(oracle));
      await tx.oracleEvents.insert(oracleEventRecord(oracle, 'e'));
    }
  });
  return () => store.close();
});

const contract = (contractId: ContractId) =>
  contractRecord(contractId, {
    ...{ status: 'confirmed', oracleIds: ['ora_a', 'ora_b'], eventIds: ['e', 'e'], threshold: 2 },
    refundLocktime: 4_000_000_000,
  });
/** As whoever keeps one does. */
async function attest(tx: Repositories, oracle: OracleId): Promise<void> {
  await tx.oracleEvents.findForUpdate('acc_one', oracle, 'e');
  await tx.attestations.insert(attestationRecord(oracle, 'e', ['yes']));
}
const due = async () =>
  (await store.read.contracts.due({ now: 1, height: 1, medianTime: 1 }, null, 9)).map(({ contractId }) => contractId);

/** `second` begins when `first` has done its work, and `first` commits when `second` waits for it, or is done. */
async function together(first: (tx: Repositories) => Promise<void>, second: (tx: Repositories) => Promise<void>) {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const one = store.write(async (tx) => {
    await first(tx);
    resolve();
    await released;
  });
  await done;
  let ended = false;
  const two = store.write(second).finally(() => {
    ended = true;
  });
  await vi.waitUntil(async () => ended || (await server.waiting()) > 0, { timeout: 60_000 });
  release();
  await Promise.all([one, two]);
}

it('two attestations of one contract', async () => {
  await store.write((tx) => tx.contracts.insert(contract('ctr_one')));
  await together(
    (tx) => attest(tx, 'ora_a'),
    (tx) => attest(tx, 'ora_b'),
  );
  expect(await due()).toEqual(['ctr_one']);
});

it('an attestation, and a contract that comes to wait for it', async () => {
  await store.write((tx) => attest(tx, 'ora_b'));
  await together(
    (tx) => attest(tx, 'ora_a'),
    (tx) => tx.contracts.insert(contract('ctr_second')),
  );
  expect(await due()).toEqual(['ctr_second']);
});

it('a contract, and an attestation that comes for it', async () => {
  await together(
    (tx) => tx.contracts.insert({ ...contract('ctr_first'), role: 'offerer', status: 'offered' }),
    (tx) => attest(tx, 'ora_a'),
  );
  expect(await due()).toEqual(['ctr_first']);
});
