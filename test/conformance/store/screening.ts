/** Screening lists. */
import { expect, it } from 'vitest';
import type { ListId, ScreeningListRecord } from '../../../src/store/repositories/screening-lists.ts';
import type { StoreContext } from '../store.ts';

const AT = 1_700_000_000_000;
const list = (listId: ListId, patch: Partial<ScreeningListRecord> = {}): ScreeningListRecord => ({
  ...{ listId, accountId: 'acc_one', name: 'sanctions', addresses: 0, sha256: '', createdAt: AT, updatedAt: AT },
  ...patch,
});
const entry = (name: string, matchKey = name) => ({
  ...{ scriptPubKey: name, matchKey, address: `address ${name}`, reason: 'why', reference: '' },
});

export function screeningTests(context: StoreContext): void {
  it('screening lists match by key, each list once, an account its own; they are emptied in slices', async () => {
    const { store } = context;
    const [one, two] = [list('scl_one'), list('scl_two', { createdAt: AT + 1 })];
    const other = list('scl_other', { accountId: 'acc_two' });
    await store.write(async (tx) => {
      for (const each of [one, two, other]) await tx.screeningLists.insert(each);
      await tx.screeningLists.addEntries(one, [entry('c'), entry('a', 'k'), entry('b', 'k')]);
      await tx.screeningLists.addEntries(two, [entry('b', 'k')]);
      await tx.screeningLists.addEntries(other, [entry('c')]);
    });
    const matching = (keys: string[]) => store.read.screeningLists.matching('acc_one', keys);
    expect(await matching(['k', 'x'])).toEqual([
      { listId: 'scl_one', address: 'address a' },
      { listId: 'scl_two', address: 'address b' },
    ]);
    expect(await matching([])).toEqual([]);
    expect(await store.read.screeningLists.all('acc_one')).toEqual([one, two]);
    expect(await store.read.screeningLists.find({ accountId: 'acc_two', listId: 'scl_one' })).toBeNull();
    await store.write(async (tx) => {
      const slices = [await tx.screeningLists.takeEntries(one, 2), await tx.screeningLists.takeEntries(one, 2)];
      expect(slices.map((slice) => slice.map(({ scriptPubKey }) => scriptPubKey))).toEqual([['a', 'b'], ['c']]);
      await tx.screeningLists.delete(one);
      await tx.screeningLists.update({ ...two, name: 'other', addresses: 1 });
    });
    expect(await matching(['k', 'c'])).toEqual([{ listId: 'scl_two', address: 'address b' }]);
    expect((await store.read.screeningLists.page('acc_one', { limit: 5, offset: 0 })).data).toEqual([
      { ...two, name: 'other', addresses: 1 },
    ]);
  });
}
