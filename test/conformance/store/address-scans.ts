import { expect, test } from 'vitest';
import type { AddressCoin, AddressScanRecord } from '../../../src/store/repositories/address-scans.ts';
import {
  blockHashOf,
  coinRecord,
  outpointOf,
  scriptOf,
  scriptRecord,
  transactionRecord,
  txidOf,
} from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const scan = (scanId: string, patch: Partial<AddressScanRecord> = {}): AddressScanRecord => ({
  scanId,
  accountId: 'acc_one',
  address: 'bcrt1qone',
  scriptPubKey: scriptOf('one'),
  state: 'queued',
  fromHeight: 5,
  atHeight: null,
  atHash: null,
  toHeight: null,
  error: null,
  restarts: 0,
  createdAt: 1_000,
  finishedAt: null,
  ...patch,
});
const coin = (name: string, height: number, patch: Partial<AddressCoin> = {}): AddressCoin => ({
  ...outpointOf(name),
  amountSats: 1_000n,
  height,
  blockHash: blockHashOf(height),
  coinbase: false,
  ...patch,
});
const PAGE = { limit: 10, offset: 0 };
const KEY = { accountId: 'acc_one', scanId: 'a' } as const;
const FOREIGN = { accountId: 'acc_two', scanId: 'a' } as const;

export function addressScanTests(context: StoreContext): void {
  test('scans are their account’s, listed newest first, and open ones of all accounts oldest first', async () => {
    const { store } = context;
    const done = scan('b', { state: 'done', createdAt: 2_000, atHeight: 9, atHash: blockHashOf(9), finishedAt: 3_000 });
    await store.write(async (tx) => {
      await tx.addressScans.insert(scan('a'));
      await tx.addressScans.insert(done);
      await tx.addressScans.insert(scan('c', { createdAt: 500, accountId: 'acc_two', state: 'running' }));
      await tx.addressScans.insert(
        scan('d', { createdAt: 3_000, scriptPubKey: scriptOf('two'), state: 'failed', error: 'e' }),
      );
    });
    const { addressScans } = store.read;
    expect(await addressScans.find('acc_one', 'b')).toEqual(done);
    expect(await addressScans.find('acc_two', 'b')).toBeNull();
    const ids = async (filter: Parameters<typeof addressScans.page>[1], page = PAGE) =>
      (await addressScans.page('acc_one', filter, page)).data.map(({ scanId }) => scanId).join('');
    expect(await ids({})).toBe('dba');
    expect(await ids({ scriptPubKey: scriptOf('one') })).toBe('ba');
    expect(await ids({ state: 'failed' })).toBe('d');
    const first = await addressScans.page('acc_one', {}, { limit: 2, offset: 0 });
    expect(first).toMatchObject({ total: 3, hasMore: true });
    expect(await ids({}, { ...PAGE, cursor: first.nextCursor as string } as typeof PAGE)).toBe('a');
    expect((await addressScans.open()).map(({ scanId }) => scanId)).toEqual(['c', 'a']);
    expect(await addressScans.countOpen('acc_one')).toBe(1);
    expect(await addressScans.latestDone('acc_one', scriptOf('one'))).toEqual(done);
    expect(await addressScans.latestDone('acc_one', scriptOf('two'))).toBeNull();
  });

  test('finished scans beyond the newest are told, of their account alone', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.addressScans.insert(scan('a', { state: 'failed', createdAt: 1 }));
      await tx.addressScans.insert(scan('b', { state: 'running', createdAt: 2 }));
      await tx.addressScans.insert(scan('c', { state: 'failed', createdAt: 3 }));
      await tx.addressScans.insert(scan('d', { state: 'done', createdAt: 3 }));
      await tx.addressScans.insert(scan('e', { state: 'queued', createdAt: 5 }));
      await tx.addressScans.insert(scan('f', { state: 'failed', createdAt: 0, accountId: 'acc_two' }));
    });
    const beyond = (kept: number, limit: number) => store.read.addressScans.finishedBeyond('acc_one', kept, limit);
    expect(await beyond(0, 10)).toEqual(['d', 'c', 'a']);
    expect(await beyond(1, 10)).toEqual(['c', 'a']);
    expect(await beyond(1, 1)).toEqual(['c']);
    expect(await beyond(3, 10)).toEqual([]);
  });

  test('what a scan found is added up, once, and belongs to its account', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.addressScans.insert(scan('a'));
      await tx.addressScans.insert(scan('z'));
      await tx.addressScans.addCoins(KEY, [
        coin('x', 10),
        coin('y', 11, { amountSats: 500n }),
        coin('m', 100, { coinbase: true }),
      ]);
      await tx.addressScans.addCoins(KEY, [coin('x', 10)]);
      await tx.addressScans.addCoins({ ...KEY, scanId: 'z' }, [coin('x', 10)]);
      const spend = { outpoint: outpointOf('x'), by: txidOf('y'), height: 11, blockHash: blockHashOf(11) };
      await tx.addressScans.spend(KEY, [spend, { ...spend, outpoint: outpointOf('unknown') }]);
      await tx.addressScans.spend(FOREIGN, [{ ...spend, outpoint: outpointOf('y') }]);
    });
    const { addressScans } = store.read;
    expect(await addressScans.totals(KEY, 198)).toEqual({
      confirmedSats: 500n,
      immatureSats: 1_000n,
      pendingSats: 0n,
      unspentCount: 2,
    });
    expect((await addressScans.totals(KEY, 199)).confirmedSats).toBe(1_500n);
    expect((await addressScans.totals(FOREIGN, 199)).unspentCount).toBe(0);
    expect(await addressScans.countCoins(KEY)).toBe(3);
    expect(await addressScans.countCoins(FOREIGN)).toBe(0);
    expect((await addressScans.unspent(KEY, PAGE)).data).toEqual([
      coin('m', 100, { coinbase: true }),
      coin('y', 11, { amountSats: 500n }),
    ]);
    const entries = await addressScans.entries(KEY, PAGE);
    expect(entries.data).toEqual([
      { txid: txidOf('m'), blockHeight: 100, blockHash: blockHashOf(100), receivedSats: 1_000n, spentSats: 0n },
      { txid: txidOf('y'), blockHeight: 11, blockHash: blockHashOf(11), receivedSats: 500n, spentSats: 1_000n },
      { txid: txidOf('x'), blockHeight: 10, blockHash: blockHashOf(10), receivedSats: 1_000n, spentSats: 0n },
    ]);
    expect((await addressScans.entries(FOREIGN, PAGE)).total).toBe(0);
    for (const list of ['entries', 'unspent'] as const) {
      const whole = await addressScans[list](KEY, PAGE);
      const one = await addressScans[list](KEY, { limit: 1, offset: 0 });
      expect(one).toMatchObject({ total: whole.total, hasMore: true });
      const rest = await addressScans[list](KEY, { ...PAGE, cursor: one.nextCursor as string });
      expect([...one.data, ...rest.data]).toEqual(whole.data);
      expect((await addressScans[list](KEY, { limit: 5, offset: 1 })).data).toEqual(whole.data.slice(1));
    }
  });

  test('removed, a scan is gone with what it found; one that is gone takes no progress', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.addressScans.insert(scan('a'));
      await tx.addressScans.addCoins(KEY, [coin('x', 10)]);
    });
    expect(await store.write((tx) => tx.addressScans.remove('acc_two', 'a'))).toBe(false);
    expect((await store.read.addressScans.totals(KEY, 50)).unspentCount).toBe(1);
    const progress = { state: 'running', atHeight: 7, atHash: blockHashOf(7), toHeight: 9 } as const;
    expect(await store.write((tx) => tx.addressScans.update(KEY, progress))).toBe(true);
    expect(await store.read.addressScans.find('acc_one', 'a')).toMatchObject(progress);
    expect(await store.write((tx) => tx.addressScans.remove('acc_one', 'a'))).toBe(true);
    expect(await store.write((tx) => tx.addressScans.update(KEY, progress))).toBe(false);
    expect(await store.read.addressScans.find('acc_one', 'a')).toBeNull();
    expect((await store.read.addressScans.totals(KEY, 50)).unspentCount).toBe(0);
  });

  test('done scans are stale where another block has taken the place of their last', async () => {
    const { store } = context;
    const done = (scanId: string, height: number, name: string) =>
      scan(scanId, { state: 'done', atHeight: height, atHash: blockHashOf(name), finishedAt: 1 });
    await store.write(async (tx) => {
      await tx.ledger.insertBlocks([
        { height: 9, hash: blockHashOf('here'), prevHash: blockHashOf(8), time: 1, medianTime: 1 },
      ]);
      await tx.addressScans.insert(done('a', 9, 'here'));
      await tx.addressScans.insert(done('b', 9, 'gone'));
      await tx.addressScans.insert(done('c', 8, 'below what is followed'));
    });
    expect((await store.read.addressScans.stale()).map(({ scanId }) => scanId)).toEqual(['b']);
  });

  test('wallets tell the history of one of their scripts', async () => {
    const { store } = context;
    const script = scriptOf('watched');
    const owned = (name: string, patch: object) => coinRecord(name, { scriptPubKey: script, ...patch });
    await store.write(async (tx) => {
      await tx.scripts.insertMissing([scriptRecord(77, { scriptPubKey: script })]);
      const paid = (name: string, blockHeight: number | null) =>
        tx.transactions.insert(
          transactionRecord(name, { blockHeight, blockHash: blockHeight === null ? null : blockHashOf(blockHeight) }),
          [],
          [],
        );
      await paid('in', 10);
      await paid('out', 12);
      await paid('waiting', null);
      await tx.ledger.insertCoins([
        owned('in', { amountSats: 700n, height: 10, spentBy: txidOf('out'), spentHeight: 12 }),
        owned('out', { amountSats: 200n, height: 12 }),
        owned('waiting', { amountSats: 50n, height: null }),
        owned('dropped', { amountSats: 9n, height: null, live: false }),
        coinRecord('elsewhere', { amountSats: 5n }),
      ]);
    });
    const { addressHistory } = store.read;
    expect(await addressHistory.walletWatching('acc_one', script)).toBe('wal_one');
    expect(await addressHistory.walletWatching('acc_two', script)).toBeNull();
    expect(await addressHistory.totals('acc_one', 'wal_one', script, 20)).toEqual({
      confirmedSats: 200n,
      immatureSats: 0n,
      pendingSats: 50n,
      unspentCount: 2,
    });
    expect((await addressHistory.totals('acc_two', 'wal_one', script, 20)).unspentCount).toBe(0);
    const entries = await addressHistory.entries('acc_one', 'wal_one', script, PAGE);
    expect(entries.data).toEqual([
      { txid: txidOf('waiting'), blockHeight: null, blockHash: null, receivedSats: 50n, spentSats: 0n },
      { txid: txidOf('out'), blockHeight: 12, blockHash: blockHashOf(12), receivedSats: 200n, spentSats: 700n },
      { txid: txidOf('in'), blockHeight: 10, blockHash: blockHashOf(10), receivedSats: 700n, spentSats: 0n },
    ]);
    const unspent = await addressHistory.unspent('acc_one', 'wal_one', script, PAGE);
    expect(unspent.data.map(({ txid, height, blockHash }) => [txid, height, blockHash])).toEqual([
      [txidOf('waiting'), null, null],
      [txidOf('out'), 12, blockHashOf(12)],
    ]);
    for (const list of ['entries', 'unspent'] as const) {
      const whole = await addressHistory[list]('acc_one', 'wal_one', script, PAGE);
      const one = await addressHistory[list]('acc_one', 'wal_one', script, { limit: 1, offset: 0 });
      const rest = await addressHistory[list]('acc_one', 'wal_one', script, {
        ...PAGE,
        cursor: one.nextCursor as string,
      });
      expect([...one.data, ...rest.data]).toEqual(whole.data);
    }
  });
}
