import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { outpointKey } from '../../../src/core/outpoint.ts';
import { createCoinLeases } from '../../../src/services/transactions/coins/coin-leases.ts';
import { createUtxoSnapshots } from '../../../src/services/transactions/coins/utxo-snapshots.ts';
import { createLeaseWallet, type FreeCoins } from '../../../src/services/transactions/coins/wallet-lease.ts';
import { openPayments } from './payments-setup.ts';

async function setup(sizes?: { readWhole: number; largest: number; largestUnconfirmed: number; places: number }) {
  const p = await openPayments();
  const wallet = await p.newWallet();
  await p.fund(wallet, [10_000n]);
  const leases = createCoinLeases();
  const snapshots = createUtxoSnapshots({ coins: p.store.read.coins, leases, randomBytes, ...(sizes && { sizes }) });
  const returned: number[] = [];
  const { pool } = p.ground;
  const scripts = {
    ...pool,
    returnChange: (...given: Parameters<typeof pool.returnChange>) => returned.push(given[1].index),
  };
  const leaseWallet = createLeaseWallet({ scripts, snapshots, coins: p.store.read.coins, leases });
  return { returned, lease: (waits = true) => leaseWallet(wallet, { hold: true, tipHeight: 200, waits }) };
}

const takeAll = (coins: FreeCoins) => {
  const inputs = coins.candidates();
  if (inputs.length === 0) throw new DomainError('insufficient_funds', 'no coin is free');
  return coins.take({ inputs }).inputs.map(outpointKey);
};

describe('what a transaction takes from its wallet', () => {
  it('is free again when it was not made, its change script given back once', async () => {
    const { lease, returned } = await setup();
    const first = await lease();
    const taken = await first.coins(takeAll);
    expect(taken).toHaveLength(1);
    const second = await lease(false);
    await expect(second.coins(takeAll)).rejects.toMatchObject({ code: 'insufficient_funds' });
    first.release();
    first.release();
    expect(returned).toEqual([first.change.index]);
    expect(await second.coins(takeAll)).toEqual(taken);
  });

  it('stays with a committed one, but for a change script without change', async () => {
    const { lease, returned } = await setup();
    const [with_, without] = [await lease(), await lease()];
    with_.committed();
    with_.release();
    expect(returned).toEqual([]);
    without.committed(false);
    without.release();
    expect(returned).toEqual([without.change.index]);
  });

  it('is waited for by the next one, which is short of it', async () => {
    const { lease } = await setup();
    const [first, second] = [await lease(), await lease()];
    const taken = await first.coins(takeAll);
    let tries = 0;
    const waiting = second.coins((coins) => {
      tries += 1;
      return takeAll(coins);
    });
    await expect.poll(() => tries).toBeGreaterThan(1);
    first.release();
    expect(await waiting).toEqual(taken);
  });

  it.each([
    [0, true],
    [500, false],
  ])('was searched for among all coins only where all were read: of wallets of up to %i', async (readWhole, bounded) => {
    const { lease } = await setup({ readWhole, largest: 1, largestUnconfirmed: 0, places: 0 });
    const take = (found: { bounded?: boolean }) => async (coins: FreeCoins) =>
      coins.take({ inputs: coins.candidates(), ...found });
    const searched = await lease();
    expect(await searched.coins(take({ bounded: false }))).toMatchObject({ inputs: [{}], bounded });
    searched.release();
    // Nothing was searched for: the coins are those of the transaction that is replaced.
    expect(await (await lease()).coins(take({}))).not.toHaveProperty('bounded');
  });
});
