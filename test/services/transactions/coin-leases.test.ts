import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCoinLeases } from '../../../src/services/transactions/coins/coin-leases.ts';
import { createUtxoSnapshots } from '../../../src/services/transactions/coins/utxo-snapshots.ts';
import type { CoinRecord } from '../../../src/store/records.ts';
import { coinRecord } from '../../builders/store-records.ts';

describe('coin leases', () => {
  it('keep a coin from snapshots that began before its lease ended, and from no later one', () => {
    const leases = createCoinLeases();
    const before = leases.mark();
    const lease = leases.lease('wal_w', ['a:0']);
    const during = leases.mark();
    expect([before.isTaken('a:0'), during.isTaken('a:0')]).toEqual([true, true]);
    expect(() => leases.lease('wal_w', ['b:0', 'a:0'])).toThrow(RangeError);
    expect(before.isTaken('b:0')).toBe(false);
    lease.release();
    lease.release();
    const after = leases.mark();
    expect([before, during, after].map((mark) => mark.isTaken('a:0'))).toEqual([true, true, false]);
    expect([before, during, after].map((mark) => mark.isOutdated('wal_w'))).toEqual([true, true, false]);
    before.close();
    expect(during.isTaken('a:0')).toBe(true);
    const again = leases.lease('wal_w', ['a:0']);
    during.close();
    after.close();
    expect(leases.mark().isTaken('a:0')).toBe(true);
    again.release();
    expect(leases.mark().isTaken('a:0')).toBe(false);
  });

  it('wake whoever waits for the wallet at its next release', async () => {
    const leases = createCoinLeases();
    await leases.nextRelease('wal_w');
    const [first, second] = [leases.lease('wal_w', ['a:0']), leases.lease('wal_w', ['b:0'])];
    const woken: string[] = [];
    const waiting = leases.nextRelease('wal_w').then(() => woken.push('wal_w'));
    leases.lease('wal_other', ['c:0']).release();
    await Promise.resolve();
    expect(woken).toEqual([]);
    first.release();
    await waiting;
    expect(leases.isBusy('wal_w')).toBe(true);
    second.release();
    expect(leases.isBusy('wal_w')).toBe(false);
  });
});

describe('snapshots of UTXOs', () => {
  function snapshotsOf() {
    const reads: (() => void)[] = [];
    const leases = createCoinLeases();
    const one = coinRecord('one');
    const coins = {
      few: () => new Promise<CoinRecord[]>((resolve) => reads.push(() => resolve([one]))),
      pool: async () => [],
      near: async () => [],
    };
    const snapshots = createUtxoSnapshots({ coins, leases, randomBytes });
    const spendable = { deepest: 9, mature: 9, unconfirmed: 'own' } as const;
    const open = (fresh: boolean) => snapshots.open('acc_a', 'wal_w', { spendable, largest: null }, { fresh });
    return { reads, open, forget: snapshots.forget };
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('are shared by those who ask in one turn; who asks while one runs gets the next', async () => {
    const { reads, open } = snapshotsOf();
    const early = [1, 2, 3].map(() => open(true));
    await turn();
    await turn();
    expect(reads).toHaveLength(1);
    const late = [4, 5].map(() => open(true));
    await turn();
    expect(reads).toHaveLength(1);
    reads[0]!();
    await Promise.all(early);
    await turn();
    expect(reads).toHaveLength(2);
    reads[1]!();
    for (const snapshot of await Promise.all([...early, ...late])) snapshot.close();
  });

  it('serve those who come a moment later, unless these want a fresh one or the last is known to be wrong', async () => {
    const { reads, open: ask, forget } = snapshotsOf();
    const open = async (fresh: boolean) => {
      const asked = ask(fresh);
      await turn();
      await turn();
      reads.at(-1)!();
      return asked;
    };
    expect((await open(false)).fresh).toBe(true);
    expect((await open(false)).fresh).toBe(false);
    expect(reads).toHaveLength(1);
    expect((await open(true)).fresh).toBe(true);
    expect(reads).toHaveLength(2);
    forget('wal_w');
    expect((await open(false)).fresh).toBe(true);
    expect(reads).toHaveLength(3);
  });
});
