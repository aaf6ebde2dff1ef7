/** What happens to contracts without anybody asking: attestations settle them, locktimes refund them, reorganizations take back. */
import { describe, expect, it } from 'vitest';
import type { FeeRate } from '../../../src/core/fee-rate.ts';
import { BTC, rate } from '../transactions/payments-setup.ts';
import { openContracts } from './contracts-setup.ts';

async function funded(sats: readonly bigint[] = [BTC]) {
  const c = await openContracts();
  const wallet = await c.newWallet();
  await c.fund(wallet, sats);
  return { c, wallet };
}

describe('the driver', () => {
  it('settles every contract that waits for an event, when it is attested', async () => {
    const { c, wallet } = await funded([BTC, BTC]);
    const made = await c.confirmed(wallet);
    const [eventId, oracleId] = [made.eventIds[0]!, made.oracleIds[0]!];
    const other = await c.confirmed(wallet, { eventIds: [eventId] });
    c.driver.start();
    await c.oracles.attest({ oracle: oracleId, eventId, outcome: 'no' }, c.context());
    await c.driver.advance(made);
    await c.driver.advance(other);
    for (const { contractId } of [made, other]) {
      expect(await c.get(contractId)).toMatchObject({ status: 'executed', outcome: 'no', reason: null });
    }
    expect(await c.mempool()).toHaveLength(2);
  });

  it('settles what was attested before the funding was in a block, once it is', async () => {
    const { c, wallet } = await funded();
    const made = await c.create(wallet);
    await c.oracles.attest({ oracle: made.oracleIds[0]!, eventId: made.eventIds[0]!, outcome: 'yes' }, c.context());
    await c.driver.round();
    expect((await c.get(made.contractId)).status).toBe('funded');
    await c.mine();
    await c.driver.round();
    expect(await c.get(made.contractId)).toMatchObject({ status: 'executed', outcome: 'yes' });
  });

  it('refunds after the locktime, and not before', async () => {
    const { c, wallet } = await funded([BTC, BTC]);
    const { height } = await c.chain.info();
    const made = await c.confirmed(wallet, { offerCollateralSats: 600_000n, refundLocktime: height + 5 });
    await expect(c.contracts.refund(made.contractId, c.context())).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining(`from block ${height + 5} on`),
    });
    await c.mine(3);
    await c.driver.round();
    expect((await c.get(made.contractId)).status).toBe('confirmed');
    await c.mine();
    await c.driver.round();
    const refunded = await c.get(made.contractId);
    expect(refunded).toMatchObject({ status: 'refunded', closingKind: 'refund', outcome: null });
    expect(await c.mempool()).toEqual([refunded.closingTxid]);
    await expect(c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context())).rejects.toMatchObject({
      code: 'state_conflict',
    });
    await c.mine();
    expect((await c.get(made.contractId)).status).toBe('closed');
  });

  it('prefers an attestation to the refund, and asks for one on request', async () => {
    const { c, wallet } = await funded();
    const { height } = await c.chain.info();
    const made = await c.confirmed(wallet, { refundLocktime: height + 3 });
    await c.oracles.attest({ oracle: made.oracleIds[0]!, eventId: made.eventIds[0]!, outcome: 'yes' }, c.context());
    await c.mine(5);
    await c.driver.round();
    expect(await c.get(made.contractId)).toMatchObject({ status: 'executed', outcome: 'yes' });
  });

  it('is refunded on request when it may be', async () => {
    const { c, wallet } = await funded();
    const { height } = await c.chain.info();
    const made = await c.confirmed(wallet, { refundLocktime: height + 3 });
    await c.mine(5);
    const refunded = await c.contracts.refund(made.contractId, c.context());
    expect(refunded.status).toBe('refunded');
    expect(await c.contracts.refund(made.contractId, c.context())).toEqual(refunded);
    expect(await c.mempool()).toEqual([refunded.closingTxid]);
  });

  it('goes back and forth with the chain, and tells so', async () => {
    const { c, wallet } = await funded();
    const made = await c.confirmed(wallet);
    await c.chain.disconnect(1);
    await c.settle();
    expect((await c.get(made.contractId)).status).toBe('funded');
    await c.mine();
    await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context());
    await c.mine();
    expect((await c.get(made.contractId)).status).toBe('closed');
    await c.chain.disconnect(1);
    await c.settle();
    expect(await c.get(made.contractId)).toMatchObject({ status: 'executed', outcome: 'yes' });
    await c.mine();
    expect(await c.told(made.contractId)).toEqual(
      [
        ['offered', null, false],
        ['accepted', null, false],
        ['signed', null, false],
        ['funded', null, false],
        ['confirmed', null, false],
        ['funded', null, true],
        ['confirmed', null, false],
        ['executed', 'yes', false],
        ['closed', 'yes', false],
        ['executed', 'yes', true],
        ['closed', 'yes', false],
      ].map(([status, outcome, retracts]) => ({ status, outcome, retracts })),
    );
  });

  it('lifts a CET below what the mempool takes by a child of its own', async () => {
    const { c, wallet } = await funded();
    const made = await c.confirmed(wallet);
    c.chain.setMempoolLimits({ minFeeRate: 20_000n as FeeRate });
    const executed = await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context());
    expect(executed.status).toBe('executed');
    const inMempool = await c.mempool();
    expect(inMempool).toContain(executed.closingTxid);
    expect(inMempool).toHaveLength(2);
    await c.driver.round();
    expect(await c.mempool()).toHaveLength(2);
    await c.mine();
    expect((await c.get(made.contractId)).status).toBe('closed');
  });

  it('helps funding and closing by a child on request', async () => {
    const { c, wallet } = await funded();
    const made = await c.create(wallet);
    expect(await c.contracts.cpfp(made.contractId, { feeRateSatVb: 10n }, c.context())).toMatchObject({
      status: 'funded',
    });
    const [child] = (await c.mempool()).filter((txid) => txid !== made.fundingTxid);
    const entry = (await c.chain.mempoolEntry(child!))!;
    expect((entry.ancestorFeesSats * 1000n) / BigInt(entry.ancestorVsize)).toBeGreaterThanOrEqual(rate('10'));
    await c.mine();
    await expect(c.contracts.cpfp(made.contractId, { feeRateSatVb: 10n }, c.context())).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining('nothing unconfirmed'),
    });
    await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context());
    await c.contracts.cpfp(made.contractId, { feeRateSatVb: 10n }, c.context());
    expect(await c.mempool()).toHaveLength(2);
  });
});
