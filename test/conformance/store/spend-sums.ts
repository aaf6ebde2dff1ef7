/** What transactions count for is in the account's sums while they are alive, in the hour that they say. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CountedSum } from '../../../src/core/policies/policy.ts';
import { HOUR_MS, WAITING_HOUR } from '../../../src/core/policies/windows.ts';
import { TRANSACTION_STATUSES, type TransactionRecord } from '../../../src/store/records.ts';
import { contractRecord } from '../../builders/contract-records.ts';
import { transactionRecord, txidOf } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const WAITING: readonly string[] = ['awaiting_approval', 'awaiting_signature'];
const DEAD: readonly string[] = ['replaced', 'conflicted', 'abandoned', 'failed'];

const counted = (amountSats: bigint, hour = 5, subject = 'bcrt1qpayee'): CountedSum[] => [
  { scope: 'account', subject: '', hour, amountSats, count: 1 },
  { scope: 'destination', subject, hour, amountSats, count: 1 },
];

function addedUp(all: readonly (readonly CountedSum[])[]): CountedSum[] {
  const sums = new Map<string, CountedSum>();
  for (const sum of all.flat()) {
    const key = [sum.scope, sum.subject, String(sum.hour).padStart(16, '0')].join(' ');
    const { amountSats = 0n, count = 0 } = sums.get(key) ?? {};
    sums.set(key, { ...sum, amountSats: amountSats + sum.amountSats, count: count + sum.count });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

export function spendSumTests(context: StoreContext): void {
  const insert = (name: string, patch: Partial<TransactionRecord>) =>
    context.store.write((tx) => tx.transactions.insert(transactionRecord(name, patch), [], []));
  const move = (name: string, status: TransactionRecord['status'], updatedAt = 0) =>
    context.store.write((tx) => tx.transactions.update('acc_one', txidOf(name), { status, updatedAt }));
  const sums = () => context.store.read.spendSums.all('acc_one');

  test('are counted, given back, and counted again in their old hour; what counts for nothing changes nothing', async () => {
    await insert('one', { counts: counted(70n) });
    await insert('two', { counts: [...counted(5n), ...counted(6n, 4)] });
    await insert('none', {});
    const both = addedUp([counted(70n), counted(5n), counted(6n, 4)]);
    expect(await sums()).toEqual(both);
    await move('one', 'confirmed');
    await move('none', 'failed');
    expect(await sums()).toEqual(both);
    await move('one', 'replaced');
    await move('one', 'conflicted');
    expect(await sums()).toEqual(addedUp([counted(5n), counted(6n, 4)]));
    await move('one', 'broadcast');
    expect(await sums()).toEqual(both);
    expect((await context.store.read.transactions.find('acc_one', txidOf('two')))?.counts).toEqual([
      ...counted(5n),
      ...counted(6n, 4),
    ]);
  });

  test('of a contract are given back when it is cancelled or fails', async () => {
    const { store } = context;
    await store.write((tx) => tx.contracts.insert(contractRecord('ctr_one', { status: 'offered' })));
    await store.write((tx) => tx.contracts.update('acc_one', 'ctr_one', { counts: counted(9n) }));
    expect(await sums()).toEqual(counted(9n));
    await store.write((tx) => tx.contracts.update('acc_one', 'ctr_one', { status: 'failed' }));
    expect(await sums()).toEqual([]);
    await store.write((tx) => tx.contracts.update('acc_one', 'ctr_one', { status: 'confirmed' }));
    expect(await sums()).toEqual(counted(9n));
    expect((await store.read.contracts.find('acc_one', 'ctr_one'))?.counts).toEqual(counted(9n));
  });

  test('of what waits are in every window until it is committed, and then in that hour, of contracts, too', async () => {
    const { store } = context;
    const [waiting, made] = [counted(9n, WAITING_HOUR), { policy: null, createdAt: 0, updatedAt: 0 }];
    const last = async (hour: number) => {
      const all = { scope: 'account', subject: '', first: hour, last: Number.MAX_SAFE_INTEGER };
      return (await store.read.spendSums.totals('acc_one', [all]))[0]!.amountSats;
    };
    await insert('one', { ...made, status: 'awaiting_approval', counts: [...counted(5n, 3), ...waiting] });
    await store.write((tx) => tx.contracts.insert(contractRecord('ctr_one', { status: 'offered', counts: null })));
    await store.write((tx) => tx.contracts.update('acc_one', 'ctr_one', { counts: waiting }));
    expect(await last(1_000_000)).toBe(18n);
    await move('one', 'awaiting_signature', 7 * HOUR_MS);
    await store.write((tx) =>
      tx.contracts.update('acc_one', 'ctr_one', { status: 'accepted', updatedAt: 7 * HOUR_MS }),
    );
    expect(await last(1_000_000)).toBe(18n);
    await move('one', 'signed', 8 * HOUR_MS + 1);
    await store.write((tx) => tx.contracts.update('acc_one', 'ctr_one', { status: 'signed', updatedAt: 9 * HOUR_MS }));
    expect(await sums()).toEqual(addedUp([counted(5n, 3), counted(9n, 8), counted(9n, 9)]));
    expect((await store.read.contracts.find('acc_one', 'ctr_one'))!.counts).toEqual(counted(9n, 9));
    expect(await store.write((tx) => tx.spendSums.deleteBefore(0, WAITING_HOUR))).toBe(2);
  });

  test('are read for several windows at once, of one account, hours from and to included', async () => {
    await insert('one', { counts: [...counted(1n, 10), ...counted(20n, 11), ...counted(300n, 12, 'other')] });
    const account = { scope: 'account', subject: '' };
    const asked = [
      { ...account, first: 10, last: 12 },
      { ...account, first: 11, last: 11 },
      { ...account, first: 13, last: 20 },
      { scope: 'destination', subject: 'other', first: 0, last: 99 },
    ];
    const { spendSums } = context.store.read;
    expect(await spendSums.totals('acc_one', asked)).toEqual([
      { amountSats: 321n, count: 3 },
      { amountSats: 20n, count: 1 },
      { amountSats: 0n, count: 0 },
      { amountSats: 300n, count: 1 },
    ]);
    expect(await spendSums.totals('acc_two', asked.slice(0, 1))).toEqual([{ amountSats: 0n, count: 0 }]);
    expect(await context.store.write((tx) => tx.spendSums.deleteBefore(11, WAITING_HOUR))).toBe(2);
    expect(await spendSums.totals('acc_one', asked.slice(0, 1))).toEqual([{ amountSats: 320n, count: 2 }]);
  });

  test('are those of the living, whatever became of them in whatever order', async () => {
    const amount = fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n });
    const made = fc.record({ amount, hour: fc.integer({ min: 470_000, max: 470_003 }), waits: fc.boolean() });
    const moves = fc.array(fc.record({ at: fc.nat(), status: fc.constantFrom(...TRANSACTION_STATUSES) }));
    let run = 0;
    let before: CountedSum[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(made, { minLength: 1, maxLength: 4 }), moves, async (all, changes) => {
        run += 1;
        const now = all.map(({ hour, waits }) => ({
          status: waits ? 'awaiting_approval' : 'signed',
          hour: waits ? WAITING_HOUR : hour,
        }));
        for (const [at, { amount }] of all.entries()) {
          const { status, hour } = now[at]! as { status: 'signed'; hour: number };
          await insert(`${run} ${at}`, { status, counts: counted(amount, hour) });
        }
        for (const [step, { at, status }] of changes.entries()) {
          const hour = 470_010 + step;
          await move(`${run} ${at % all.length}`, status, hour * HOUR_MS + 3_599_999);
          const one = now[at % all.length]!;
          one.status = status;
          if (one.hour === WAITING_HOUR && ![...WAITING, ...DEAD].includes(status)) one.hour = hour;
        }
        const living = all.flatMap(({ amount }, at) =>
          DEAD.includes(now[at]!.status) ? [] : [counted(amount, now[at]!.hour)],
        );
        before = addedUp([before, ...living]);
        expect(await sums()).toEqual(before);
      }),
      { numRuns: 15 },
    );
  });
}
