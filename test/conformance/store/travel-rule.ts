/** Data of the travel rule: of each recipient of a transaction, each account's its own. */
import { expect, test } from 'vitest';
import type { TravelRuleRow } from '../../../src/store/repositories/travel-rule.ts';
import { txidOf } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const row = (name: string, recipient: number, patch: Partial<TravelRuleRow> = {}): TravelRuleRow => ({
  ...{ accountId: 'acc_one', unsignedTxid: txidOf(name), recipient, content: `${name} ${recipient}`, updatedAt: 1 },
  ...patch,
});

export function travelRuleTests(context: StoreContext): void {
  test('is found by recipient, listed by transactions, and replaced', async () => {
    const { store } = context;
    const other = row('a', 0, { accountId: 'acc_two', content: 'other' });
    await store.write(async (tx) => {
      await tx.travelRule.insert([row('a', 0), row('a', 1), row('b', 0), row('c', 0), other]);
      await tx.travelRule.insert([]);
    });
    const { travelRule } = store.read;
    const of = async (...names: string[]) =>
      (await travelRule.of('acc_one', names.map(txidOf))).map((one) => one.content);
    expect((await of('a', 'c', 'd')).sort()).toEqual(['a 0', 'a 1', 'c 0']);
    expect(await of()).toEqual([]);
    expect(await travelRule.among('acc_one', ['a', 'd'].map(txidOf))).toEqual(new Set([txidOf('a')]));
    expect(await travelRule.find(row('a', 2))).toBeNull();
    expect(await travelRule.find(other)).toEqual(other);
    const now = row('a', 1, { content: 'now', updatedAt: 2 });
    await store.write((tx) => tx.travelRule.put(now));
    await store.write((tx) => tx.travelRule.put(row('e', 0)));
    expect(await travelRule.find(now)).toEqual(now);
    expect((await of('a', 'e')).sort()).toEqual(['a 0', 'e 0', 'now']);
    expect(await travelRule.find(other)).toEqual(other);
  });

  test('the threshold is exact, and there may be none', async () => {
    const { store } = context;
    const thresholdSats = 2_099_999_999_999_999n;
    const set = async (travelRule: { thresholdSats: bigint } | null) => {
      await store.write(async (tx) => {
        await tx.enterpriseConfig.lockOrMake('acc_one', 1);
        await tx.enterpriseConfig.update('acc_one', { travelRule });
      });
      return (await store.read.enterpriseConfig.find('acc_one'))?.travelRule;
    };
    expect(await set({ thresholdSats })).toEqual({ thresholdSats });
    expect(await set({ thresholdSats: 0n })).toEqual({ thresholdSats: 0n });
    expect(await set(null)).toBeNull();
  });
}
