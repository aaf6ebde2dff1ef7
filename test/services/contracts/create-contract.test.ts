/** One holder's contracts on the simulated chain, from the four fields on. */
import { describe, expect, it } from 'vitest';
import { BTC } from '../transactions/payments-setup.ts';
import { openContracts } from './contracts-setup.ts';

async function funded(
  sats: readonly bigint[] = [BTC],
  type: Parameters<Awaited<ReturnType<typeof openContracts>>['newWallet']>[0] = 'segwit',
) {
  const c = await openContracts();
  const wallet = await c.newWallet(type);
  await c.fund(wallet, sats);
  return { c, wallet };
}

describe('a contract of one holder', () => {
  it('is funded in the answer, confirmed by a block, settled by an outcome, closed by another block', async () => {
    const { c, wallet } = await funded();
    const made = await c.create(wallet);
    expect(made).toMatchObject({ status: 'funded', role: 'both', collateralSats: 1_000_000n, outcome: null });
    expect(await c.mempool()).toEqual([made.fundingTxid]);
    await c.mine();
    expect(await c.get(made.contractId)).toMatchObject({ status: 'confirmed' });
    const executed = await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context());
    expect(executed).toMatchObject({ status: 'executed', outcome: 'yes', closingKind: 'cet' });
    expect(await c.mempool()).toEqual([executed.closingTxid]);
    await c.mine();
    expect(await c.get(made.contractId)).toMatchObject({ status: 'closed', outcome: 'yes' });
    expect((await c.told(made.contractId)).map(({ status }) => status)).toEqual([
      'offered',
      'accepted',
      'signed',
      'funded',
      'confirmed',
      'executed',
      'closed',
    ]);
  });
});
