/** Usage by credential and day: added up, and with the payments of hours that spend_sums gives up. */
import { expect, test } from 'vitest';
import { WAITING_HOUR } from '../../../src/core/policies/windows.ts';
import type { UsageDay } from '../../../src/store/repositories/usage.ts';
import { transactionRecord, txidOf } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const DAY = 86_400_000;
const used = (day: number, credentialId: string, patch: Partial<UsageDay> = {}): UsageDay => ({
  ...{ accountId: 'acc_one', day: day * DAY, credentialId, requests: 1, refusals: 0, payments: 0, volumeSats: 0n },
  ...patch,
});

export function usageTests(context: StoreContext): void {
  const add = (...days: UsageDay[]) => context.store.write((tx) => tx.usage.add(days));
  const list = async (filter = {}, limit = 10) =>
    (await context.store.read.usage.list('acc_one', filter, { limit, offset: 0 })).data;

  test('is added to what there is, and listed by account, credential and day', async () => {
    await add(used(1, 'key_a'), used(2, 'key_a'), used(2, 'key_b'), used(2, 'key_a', { accountId: 'acc_two' }));
    await add(used(2, 'key_a', { requests: 2, refusals: 1 }));
    const [b, a, first] = [used(2, 'key_b'), used(2, 'key_a', { requests: 3, refusals: 1 }), used(1, 'key_a')];
    expect(await list()).toEqual([b, a, first]);
    expect(await list({ credentialId: 'key_a' })).toEqual([a, first]);
    expect(await list({ from: 2 * DAY })).toEqual([b, a]);
    expect(await list({ from: DAY, to: DAY })).toEqual([first]);
    expect(await context.store.read.usage.ofDay(2 * DAY, 1)).toEqual([{ credentialId: 'key_a', requests: 3 }]);
    expect(await context.store.read.usage.ofDay(2 * DAY, 9)).toHaveLength(3);
    expect(await context.store.write((tx) => tx.usage.deleteBefore(2 * DAY))).toBe(1);
    expect(await list()).toEqual([b, a]);
  });

  test('takes over payments of hours that are given up, and what is given back of them later', async () => {
    const sum = (scope: string, hour: number, amountSats: bigint) => ({
      ...{ scope, subject: 'key_a', hour, amountSats, count: 1 },
    });
    const counts = [
      sum('credential', 24, 5n),
      sum('credential', 47, 6n),
      sum('credential', 48, 7n),
      sum('wallet', 24, 5n),
    ];
    const { store } = context;
    const giveUp = (hour: number) =>
      store.write(async (tx) => {
        await tx.usage.takeOver(hour);
        await tx.spendSums.deleteBefore(hour, WAITING_HOUR);
      });
    await store.write((tx) => tx.transactions.insert(transactionRecord('one', { counts }), [], []));
    await add(used(1, 'key_a'));
    await giveUp(48);
    expect(await list()).toEqual([used(1, 'key_a', { payments: 2, volumeSats: 11n })]);
    await store.write((tx) => tx.transactions.update('acc_one', txidOf('one'), { status: 'replaced' }));
    await giveUp(48);
    expect(await list()).toEqual([used(1, 'key_a')]);
  });
}
