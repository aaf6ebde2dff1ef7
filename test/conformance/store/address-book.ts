/** The address book: once per script in an account, found by script, id, and what people search by. */
import { describe, expect, it } from 'vitest';
import type { AddressBookRecord } from '../../../src/store/repositories/address-book.ts';
import type { StoreContext } from '../store.ts';

const entry = (entryId: string, patch: Partial<AddressBookRecord> = {}): AddressBookRecord => ({
  entryId,
  accountId: 'acc_one',
  name: 'Exchange',
  address: `bcrt1${entryId}`,
  scriptPubKey: `0014${entryId}`,
  tags: [],
  externalId: null,
  proof: null,
  effectiveAt: 10,
  createdAt: 5,
  updatedAt: 5,
  ...patch,
});
const ids = (entries: readonly AddressBookRecord[]) => entries.map(({ entryId }) => entryId);

export function addressBookTests(context: StoreContext): void {
  const put = (...entries: AddressBookRecord[]) => context.store.write((tx) => tx.addressBook.insert(entries));

  describe('the address book', () => {
    it('has each script once in an account, gives and changes its own, and forgets', async () => {
      const { store } = context;
      const one = entry('a', { tags: ['x'], externalId: 'e', proof: { message: 'm', signature: 's' } });
      await put(one, entry('b', { accountId: 'acc_two', scriptPubKey: one.scriptPubKey }));
      await expect(put(entry('c', { scriptPubKey: one.scriptPubKey }))).rejects.toThrow();
      const book = store.read.addressBook;
      expect(await book.find('acc_one', 'a')).toEqual(one);
      expect(await book.find('acc_two', 'a')).toBeNull();
      expect(ids(await book.findAll('acc_one', ['a', 'b', 'c']))).toEqual(['a']);
      await store.write((tx) => tx.addressBook.update({ ...one, name: 'Other', createdAt: 5 }));
      expect(await book.find('acc_one', 'a')).toEqual({ ...one, name: 'Other' });
      expect(await store.write((tx) => tx.addressBook.delete('acc_two', 'a'))).toBe(false);
      expect(await store.write((tx) => tx.addressBook.delete('acc_one', 'a'))).toBe(true);
      expect([await book.count('acc_one'), await book.count('acc_two')]).toEqual([0, 1]);
    });

    it('gives the entries of scripts that are effective at a time', async () => {
      await put(entry('a'), entry('b', { effectiveAt: 20 }), entry('c'));
      const scripts = ['0014a', '0014b', '0014d'];
      const at = async (time: number) => ids(await context.store.read.addressBook.entriesFor('acc_one', scripts, time));
      expect([await at(9), await at(10), (await at(20)).sort()]).toEqual([[], ['a'], ['a', 'b']]);
    });

    it('is searched, newest first, and gone through, oldest first', async () => {
      await put(
        entry('a', { name: 'Käse "50%"', tags: ['x', 'long'] }),
        entry('b', { name: 'KASSE', tags: ['xx'], createdAt: 6 }),
        entry('c', { name: 'kasse 2', externalId: 'e', createdAt: 6 }),
      );
      const { addressBook } = context.store.read;
      const list = async (filter: Parameters<typeof addressBook.list>[1]) =>
        ids((await addressBook.list('acc_one', filter, { limit: 10, offset: 0 })).data);
      expect(await list({})).toEqual(['c', 'b', 'a']);
      expect(await list({ name: 'asse' })).toEqual(['c', 'b']);
      expect(await list({ name: 'ASSE', externalId: 'e' })).toEqual(['c']);
      expect(await list({ name: '50%"' })).toEqual(['a']);
      expect(await list({ name: '%' })).toEqual(['a']);
      expect(await list({ tag: 'x' })).toEqual(['a']);
      expect(await list({ scriptPubKey: '0014b' })).toEqual(['b']);
      const first = await addressBook.slice('acc_one', null, 2);
      expect(ids(first)).toEqual(['a', 'b']);
      expect(ids(await addressBook.slice('acc_one', first[1]!, 2))).toEqual(['c']);
    });
  });
}
