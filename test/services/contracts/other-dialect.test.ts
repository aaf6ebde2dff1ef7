/** The account's own oracle attests in one dialect: a contract in another would never settle by what it attests. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { WalletRecord } from '../../../src/store/records.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { type Contracts, openContracts } from './contracts-setup.ts';

let c: Contracts;
let wallet: WalletRecord;

beforeEach(async () => {
  c = await openContracts();
  wallet = await c.newWallet();
  await c.fund(wallet, [BTC, BTC]);
});

describe('a contract in the dialect of dlcspecs’ vectors', () => {
  it('is not made where its oracle attests in another: it could only be refunded', async () => {
    const other = { dialect: 'dlcspecs-vectors', offerCollateralSats: 500_000n } as const;
    await expect(c.create(wallet, other)).rejects.toMatchObject({
      code: 'invalid_value',
      details: { field: 'dialect' },
    });
    const { data: events } = await c.store.read.oracleEvents.list(c.accountId, {}, { limit: 10, offset: 0 });
    expect(events).toEqual([]);
    const { eventId } = await c.oracles.announceFor(c.accountId, {
      oracle: 'local',
      descriptor: { kind: 'enum', outcomes: ['yes', 'no'] },
      maturityEpoch: 1_000,
    });
    await expect(c.create(wallet, { ...other, eventIds: [eventId] })).rejects.toMatchObject({ code: 'invalid_value' });
    const made = await c.confirmed(wallet, { offerCollateralSats: 500_000n, eventIds: [eventId] });
    const executed = await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context());
    expect(executed.status).toBe('executed');
  });
});
