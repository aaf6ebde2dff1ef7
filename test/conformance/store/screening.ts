/** Screening lists. */
import { expect, it } from 'vitest';
import type { Txid } from '../../../src/core/outpoint.ts';
import type { ListId, ScreeningListRecord } from '../../../src/store/repositories/screening-lists.ts';
import { coinRecord } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const AT = 1_700_000_000_000;
const list = (listId: ListId, patch: Partial<ScreeningListRecord> = {}): ScreeningListRecord => ({
  ...{
    listId,
    accountId: 'acc_one',
    name: 'sanctions',
    addresses: 0,
    sha256: '',
    sweep: null,
    createdAt: AT,
    updatedAt: AT,
  },
  ...patch,
});
const entry = (name: string, matchKey = name) => ({
  ...{ scriptPubKey: name, matchKey, address: `address ${name}`, reason: 'why', reference: '' },
});

const TXIDS = ['a', 'b', 'c'].map((digit) => digit.repeat(64) as Txid);

export function screeningTests(context: StoreContext): void {
  it('deposits are found by their payers, an account its own; they are frozen and released with all their coins', async () => {
    const { store } = context;
    const [one, two, three] = TXIDS as [Txid, Txid, Txid];
    const frozen = { accountId: 'acc_one', txid: one, status: 'frozen', createdAt: AT, updatedAt: AT } as const;
    const lists = [{ listId: 'scl_one', name: 'sanctions', address: 'x' }];
    await store.write(async (tx) => {
      await tx.screenedDeposits.addPayers('acc_one', one, ['k', 'l']);
      await tx.screenedDeposits.addPayers('acc_one', one, ['k']);
      await tx.screenedDeposits.addPayers('acc_one', two, ['k']);
      await tx.screenedDeposits.addPayers('acc_two', three, ['k']);
      await tx.screenedDeposits.insert({ ...frozen, lists });
      await tx.ledger.insertCoins([coinRecord('a', { txid: one, vout: 1 }), coinRecord('b', { txid: two })]);
      await tx.screenedDeposits.lock(frozen, true);
    });
    const { read } = store;
    expect(await read.screenedDeposits.paying('acc_one', ['k', 'x', 'l'])).toEqual(new Set(['k', 'l']));
    expect(await read.screenedDeposits.paidBy('acc_one', 'k', '', 1)).toEqual([one]);
    expect(await read.screenedDeposits.paidBy('acc_one', 'k', one, 5)).toEqual([two]);
    expect(await read.screenedDeposits.frozenAmong('acc_one', TXIDS)).toEqual(new Set([one]));
    expect(await read.screenedDeposits.frozenAmong('acc_two', TXIDS)).toEqual(new Set());
    const locked = async () => (await read.ledger.coinsOf(one)).map((coin) => coin.locked);
    expect([await locked(), (await read.ledger.coinsOf(two))[0]?.locked]).toEqual([[true], false]);
    const released = { ...frozen, lists, status: 'released', updatedAt: AT + 1 } as const;
    await store.write(async (tx) => {
      expect(await tx.screenedDeposits.findForUpdate('acc_one', one)).toEqual({ ...frozen, lists });
      await tx.screenedDeposits.update(released);
      await tx.screenedDeposits.lock(frozen, false);
    });
    expect(await locked()).toEqual([false]);
    const page = (status: 'frozen' | 'released') =>
      read.screenedDeposits.page('acc_one', { status }, { limit: 5, offset: 0 });
    expect([(await page('frozen')).data, (await page('released')).data]).toEqual([[], [released]]);
  });

  it('lists that are to be compared with earlier deposits come one for each account', async () => {
    const { store } = context;
    const some = [list('scl_a', { sweep: '' }), list('scl_b', { sweep: '' }), list('scl_c')];
    await store.write(async (tx) => {
      for (const each of some) await tx.screeningLists.insert(each);
      await tx.screeningLists.insert(list('scl_other', { accountId: 'acc_two', sweep: 'b z' }));
      await tx.screeningLists.addEntries(some[0]!, [entry('c'), entry('a'), entry('b')]);
    });
    expect(await store.read.screeningLists.toSweep(5)).toEqual([
      { accountId: 'acc_one', listId: 'scl_a' },
      { accountId: 'acc_two', listId: 'scl_other' },
    ]);
    const from = await store.read.screeningLists.entriesFrom(some[0]!, 'b', 5);
    expect(from.map(({ scriptPubKey }) => scriptPubKey)).toEqual(['b', 'c']);
  });

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
