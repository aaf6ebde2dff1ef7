/** Two processes on one PostgreSQL database: each contract is funded once and settled once, whichever is asked. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { silent, type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';
import { APPROVE, rule, rulesOf } from '../policies/rules-of.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { openContracts } from './contracts-setup.ts';

describe('contracts of two processes on PostgreSQL', () => {
  let postgres: TemporaryPostgres;
  let stores: Store[];

  beforeAll(async () => {
    postgres = await withPostgres();
  });
  beforeEach(async () => {
    const url = await postgres.newTables();
    const open = () => openPostgresStore({ url, log: silent, clock: Date.now });
    stores = [await open(), await open()];
  });
  afterEach(async () => {
    for (const store of stores ?? []) await store.close();
  });
  afterAll(() => postgres?.stop());

  it('wait for approval, and one of the two carries it out', async () => {
    const rules = rulesOf([rule({ operations: ['contract_offer'] }, APPROVE)]);
    const c = await openContracts({ store: stores[0]!, rules: () => rules });
    const other = c.reopen({ store: stores[1]! });
    const wallet = await c.newWallet();
    await c.fund(wallet, [BTC / 10n, BTC / 10n]);
    const made = await c.create(wallet);
    const approval = await c.approved(made);
    const signal = new AbortController().signal;
    await Promise.all(
      [c, other].map(({ approvedContracts }) => approvedContracts.carryOut(approval, signal, async () => {})),
    );
    await Promise.all([c, other].map(({ driver }) => driver.advance(made)));
    expect((await c.get(made.contractId)).status).toBe('funded');
    const told = (await c.told(made.contractId)).map(({ status }) => status);
    expect(told.filter((status) => status === 'offered' || status === 'funded')).toEqual(['offered', 'funded']);
    await c.mine();
  });

  it('are made side by side and settled once each', async () => {
    const c = await openContracts({ store: stores[0]! });
    const other = c.reopen({ store: stores[1]! });
    const wallet = await c.newWallet();
    await c.fund(
      wallet,
      Array.from({ length: 10 }, () => BTC / 10n),
    );
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        (at % 2 ? c : other).contracts.create(c.terms(wallet, { collateralSats: BTC / 20n }), c.context()),
      ),
    );
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set(['funded']));
    expect(new Set(await c.mempool())).toEqual(new Set(made.map(({ fundingTxid }) => fundingTxid)));
    await c.mine();

    const [first, second, third] = made.map(({ contractId }) => contractId);
    const both = await Promise.all(
      [c, other].map(({ contracts }) => contracts.execute(first!, { outcome: 'yes' }, c.context())),
    );
    expect(both[0]!.closingTxid).toBe(both[1]!.closingTxid);
    const against = await Promise.allSettled(
      [c, other].map(({ contracts }, at) => contracts.execute(second!, { outcome: at ? 'yes' : 'no' }, c.context())),
    );
    expect(against.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);

    const { oracleIds, eventIds } = await c.get(third!);
    await c.oracles.attest({ oracle: oracleIds[0]!, eventId: eventIds[0]!, outcome: 'yes' }, c.context());
    await Promise.all([c.driver.round(), other.driver.round()]);
    const settled = await Promise.all([first, second, third].map((id) => c.get(id!)));
    expect(settled.map(({ status }) => status)).toEqual(['executed', 'executed', 'executed']);
    expect((await c.mempool()).sort()).toEqual(settled.map(({ closingTxid }) => closingTxid).sort());
    for (const { contractId } of settled) {
      expect((await c.told(contractId)).filter(({ status }) => status === 'executed')).toHaveLength(1);
    }
  });
});
