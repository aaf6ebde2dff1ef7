import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WalletId } from '../../../src/core/ids.ts';
import type { ListedTransaction, Page, PageRequest } from '../../../src/store/records.ts';
import type { SessionRecord } from '../../../src/store/repositories/sessions.ts';
import type { TransactionFilter } from '../../../src/store/repositories/transaction-rows.ts';
import type { UserRecord } from '../../../src/store/repositories/users.ts';
import {
  accountRecord,
  coinRecord,
  scriptRecord,
  transactionRecord,
  txidOf,
  walletRecord,
} from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';
import { sessionRecord, userRecord } from './users.ts';

type Lister<T> = (page: PageRequest) => Promise<Page<T>>;

async function byOffset<T>(list: Lister<T>, limit: number): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const page = await list({ limit, offset: all.length });
    expect(page).toMatchObject({ limit, offset: all.length });
    expect(page.data.length).toBeLessThanOrEqual(limit);
    all.push(...page.data);
    expect(page.hasMore).toBe(all.length < page.total);
    expect(page.nextCursor !== null).toBe(page.hasMore);
    if (!page.hasMore) return all;
  }
}

async function byCursor<T>(list: Lister<T>, limit: number): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    // The cursor goes before the offset.
    const page = await list(cursor === undefined ? { limit, offset: 0 } : { limit, offset: 7, cursor });
    expect(page.offset).toBe(all.length);
    all.push(...page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

export function pageTests(context: StoreContext): void {
  const transactions = (filter: TransactionFilter): Lister<ListedTransaction> => {
    const { store } = context;
    return (page) => store.read.transactions.list('acc_one', filter, page);
  };
  const txids = (records: readonly ListedTransaction[]) => records.map((record) => record.txid);

  const history = fc.array(
    fc.record({
      wallets: fc.constantFrom<string[]>(['wal_one'], ['wal_two'], ['wal_one', 'wal_two']),
      status: fc.constantFrom('broadcast', 'confirmed'),
      direction: fc.constantFrom('outgoing', 'incoming'),
      label: fc.constantFrom(null, 'rent'),
    }),
    { minLength: 1, maxLength: 40 },
  );

  test('pages by offset and by cursor give the history, newest first, each once', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 1, max: 9 }), async (entries, limit) => {
        run++;
        const accountId = `acc_run${run}` as const;
        const walletOf = (name: string) => `${name}_${run}` as WalletId;
        const { store } = context;
        const names = entries.map((_, i) => `${run} ${i}`);
        await store.write(async (tx) => {
          await tx.accounts.insert(accountRecord(accountId));
          await tx.wallets.insert(walletRecord(walletOf('wal_one'), { accountId }));
          await tx.wallets.insert(walletRecord(walletOf('wal_two'), { accountId }));
          for (const [i, { wallets, ...rest }] of entries.entries()) {
            const walletId = walletOf(wallets[0]!);
            const effects = wallets.map((name) => ({ walletId: walletOf(name), receivedSats: 1n, sentSats: 0n }));
            const status = rest.status as ListedTransaction['status'];
            const direction = rest.direction as ListedTransaction['direction'];
            await tx.transactions.insert(
              transactionRecord(names[i]!, { accountId, walletId, status, direction, label: rest.label }),
              [],
              effects,
            );
          }
        });
        const check = async (filter: TransactionFilter, matches: (entry: (typeof entries)[number]) => boolean) => {
          const wanted = names
            .filter((_, i) => matches(entries[i]!))
            .map(txidOf)
            .reverse();
          const list: Lister<ListedTransaction> = (page) => store.read.transactions.list(accountId, filter, page);
          expect((await list({ limit, offset: 0 })).total).toBe(wanted.length);
          expect(txids(await byOffset(list, limit))).toEqual(wanted);
          expect(txids(await byCursor(list, limit))).toEqual(wanted);
        };
        const walletId = walletOf('wal_two');
        await check({}, () => true);
        await check({ walletId }, ({ wallets }) => wallets.includes('wal_two'));
        await check({ status: 'confirmed' }, ({ status }) => status === 'confirmed');
        await check({ label: 'rent' }, ({ label }) => label === 'rent');
        await check(
          { walletId, direction: 'incoming' },
          ({ wallets, direction }) => wallets.includes('wal_two') && direction === 'incoming',
        );
      }),
      { numRuns: 15 },
    );
  });

  test('transactions that match lie far apart among others', async () => {
    const { store } = context;
    const matches = (at: number) => at % 1_300 < 3;
    const all = Array.from({ length: 4_200 }, (_, at) => at);
    for (let from = 0; from < all.length; from += 700) {
      await store.write(async (tx) => {
        for (const at of all.slice(from, from + 700)) {
          const [status, direction] = matches(at)
            ? (['failed', 'incoming'] as const)
            : (['signed', 'outgoing'] as const);
          const effects = [{ walletId: 'wal_one' as WalletId, receivedSats: 1n, sentSats: 0n }];
          await tx.transactions.insert(transactionRecord(`far ${at}`, { status, direction }), [], effects);
        }
      });
    }
    const wanted = all
      .filter(matches)
      .map((at) => txidOf(`far ${at}`))
      .reverse();
    expect(wanted).toHaveLength(12);
    for (const filter of [
      { status: 'failed', direction: 'incoming' },
      { walletId: 'wal_one' as WalletId, direction: 'incoming' },
      { status: 'failed' },
    ] as const) {
      expect(txids(await byOffset(transactions(filter), 5))).toEqual(wanted);
      expect(txids(await byCursor(transactions(filter), 5))).toEqual(wanted);
    }
    const rest = await transactions({ status: 'signed' })({ limit: 2, offset: 4_180 });
    expect(rest).toMatchObject({ total: 4_188, hasMore: true });
    expect(txids(rest.data)).toEqual([10, 9].map((at) => txidOf(`far ${at}`)));
    expect(
      await transactions({ walletId: 'wal_two' as WalletId, status: 'failed' })({ limit: 5, offset: 0 }),
    ).toMatchObject({
      ...{ data: [], total: 0, hasMore: false },
    });
  });

  test('a cursor continues where its page ended, also when newer transactions came in between', async () => {
    const { store } = context;
    const insert = (name: string) =>
      store.write((tx) =>
        tx.transactions.insert(transactionRecord(name), [], [{ walletId: 'wal_one', receivedSats: 1n, sentSats: 0n }]),
      );
    for (const name of ['t1', 't2', 't3', 't4']) await insert(name);
    for (const filter of [{}, { walletId: 'wal_one' }, { status: 'broadcast' }] as const) {
      const first = await transactions(filter)({ limit: 2, offset: 0 });
      await insert(`newer ${JSON.stringify(filter)}`);
      const second = await transactions(filter)({ limit: 2, offset: 0, cursor: first.nextCursor! });
      const older = await store.read.transactions.list('acc_one', filter, { limit: 100, offset: 0 });
      const at = older.data.findIndex((record) => record.txid === first.data[1]!.txid);
      expect(txids(second.data)).toEqual(txids(older.data.slice(at + 1, at + 3)));
    }
  });

  test('an offset past the end is an empty page with the true total', async () => {
    const { store } = context;
    await store.write((tx) => tx.transactions.insert(transactionRecord('t'), [], []));
    expect(await transactions({})({ limit: 5, offset: 400 })).toEqual({
      data: [],
      total: 1,
      limit: 5,
      offset: 400,
      hasMore: false,
      nextCursor: null,
    });
    expect(await transactions({ walletId: 'wal_other' })({ limit: 5, offset: 0 })).toMatchObject({
      data: [],
      total: 0,
    });
  });

  test('wallets, addresses and coins page by offset and cursor alike', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      for (let i = 0; i < 9; i++) {
        await tx.wallets.insert(walletRecord(`wal_p${i}`, { createdAt: 2_000_000_000_000 + Math.floor(i / 3) }));
      }
      await tx.scripts.insertMissing([
        ...Array.from({ length: 7 }, (_, index) => scriptRecord(index)),
        ...Array.from({ length: 4 }, (_, index) => scriptRecord(index, { change: true })),
      ]);
      await tx.ledger.insertCoins(Array.from({ length: 8 }, (_, i) => coinRecord(`c${i}`)));
    });
    const wallets: Lister<unknown> = (page) => store.read.wallets.list('acc_one', { archived: false }, page);
    const scripts: Lister<unknown> = (page) => store.read.scripts.list('acc_one', 'wal_one', {}, page);
    const coins: Lister<unknown> = (page) => store.read.coins.list('acc_one', 'wal_one', {}, page);
    for (const [list, total] of [
      [wallets, 11],
      [scripts, 11],
      [coins, 8],
    ] as const) {
      const [whole, offsets, cursors] = [
        (await list({ limit: 100, offset: 0 })).data,
        await byOffset(list, 3),
        await byCursor(list, 3),
      ];
      expect(whole).toHaveLength(total);
      expect(offsets).toEqual(whole);
      expect(cursors).toEqual(whole);
    }
  });

  test('filters of wallets and addresses', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.wallets.update('acc_one', 'wal_two', { archivedAt: 5, externalId: 'x', name: 'cold' });
      await tx.scripts.insertMissing([scriptRecord(0), scriptRecord(1), scriptRecord(0, { change: true })]);
      await tx.scripts.reserve('acc_one', 'wal_one', false, 1, 5, 'invoice');
      await tx.ledger.markScriptsUsed([scriptRecord(0)], 6);
    });
    const page = { limit: 10, offset: 0 };
    const wallets = async (filter: Parameters<typeof store.read.wallets.list>[1]) =>
      (await store.read.wallets.list('acc_one', filter, page)).data.map((wallet) => wallet.walletId);
    expect(await wallets({})).toEqual(['wal_two', 'wal_one']);
    expect(await wallets({ archived: true })).toEqual(['wal_two']);
    expect(await wallets({ externalId: 'x' })).toEqual(['wal_two']);
    expect(await wallets({ name: 'cold', type: 'segwit' })).toEqual(['wal_two']);
    expect(await wallets({ type: 'taproot' })).toEqual([]);
    const scripts = async (filter: Parameters<typeof store.read.scripts.list>[2]) =>
      (await store.read.scripts.list('acc_one', 'wal_one', filter, page)).data.map(({ change, index }) => [
        change,
        index,
      ]);
    expect(await scripts({ change: true })).toEqual([[true, 0]]);
    expect(await scripts({ used: true })).toEqual([[false, 0]]);
    expect(await scripts({ used: false })).toEqual([
      [false, 1],
      [true, 0],
    ]);
    expect(await scripts({ reservedOnly: true })).toEqual([[false, 1]]);
    expect(await scripts({ label: 'invoice' })).toEqual([[false, 1]]);
  });

  test('a cursor is the list, how many were passed, and the time and id of the last: former ones go on', async () => {
    const { store } = context;
    const at = 1_700_000_000_000;
    await store.write(async (tx) => {
      for (const id of ['a', 'b', 'c']) {
        await tx.users.insert(userRecord(id, { createdAt: at }), { username: id, email: null });
      }
      for (const id of ['a', 'b', 'c']) await tx.sessions.insert(sessionRecord(id, { userId: 'a', createdAt: at }));
    });
    const cursorOf = (list: string) => Buffer.from(JSON.stringify([list, 1, at, 'c'])).toString('base64url');
    const users = (page: object) => store.read.users.list('acc_one', {}, { limit: 1, offset: 0, ...page });
    const sessions = (page: object) =>
      store.read.sessions.listLive('acc_one', 'a', at, { limit: 1, offset: 0, ...page });
    for (const [name, list, idOf] of [
      ['users', users, (record: object) => (record as UserRecord).userId],
      ['sessions', sessions, (record: object) => (record as SessionRecord).sessionId],
    ] as const) {
      expect((await list({})).nextCursor).toBe(cursorOf(name));
      expect((await list({ cursor: cursorOf(name) })).data.map(idOf)).toEqual(['b']);
    }
  });

  test('a cursor that the list did not give is refused at query.cursor', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      for (const name of ['a', 'b', 'c']) {
        await tx.transactions.insert(
          transactionRecord(name),
          [],
          [{ walletId: 'wal_one', receivedSats: 1n, sentSats: 0n }],
        );
      }
    });
    const foreign = (await store.read.transactions.list('acc_one', {}, { limit: 1, offset: 0 })).nextCursor!;
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const malformed = [
      '',
      'x',
      '%%%',
      encoded(null),
      encoded({}),
      encoded(['wallets']),
      encoded(['wallets', 1, 1, 1]),
      encoded(['wallets', -1, 1, 'wal']),
      encoded(['wallets', 1.5, 1, 'wal']),
      encoded(['wallets', 1e300, 1, 'wal']),
      foreign,
    ];
    const refusal = { code: 'invalid_value', details: { field: 'query.cursor' } };
    const page = (cursor: string) => ({ limit: 5, offset: 0, cursor });
    for (const cursor of malformed) {
      await expect(store.read.wallets.list('acc_one', {}, page(cursor))).rejects.toMatchObject(refusal);
      await expect(store.read.coins.list('acc_one', 'wal_one', {}, page(cursor))).rejects.toMatchObject(refusal);
      await expect(store.read.scripts.list('acc_one', 'wal_one', {}, page(cursor))).rejects.toMatchObject(refusal);
      for (const filter of [{ walletId: 'wal_one' }, { label: 'x' }] as const) {
        await expect(store.read.transactions.list('acc_one', filter, page(cursor))).rejects.toMatchObject(refusal);
      }
    }
  });
}
