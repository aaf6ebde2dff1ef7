import { DomainError } from '../../core/errors.ts';
import { decodeCursor, encodeCursor } from '../queries/cursor.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { flag } from './column-values.ts';
import { type ScriptRecord, scripts } from './script-rows.ts';

interface Branch {
  accountId: string;
  walletId: string;
  change: bigint;
}
const highest = (used: boolean) =>
  prepared((db, p: Branch) => {
    const branch = db
      .selectFrom('scripts')
      .select('derivation_index')
      .where('wallet_id', '=', p.walletId)
      .where('account_id', '=', p.accountId)
      .where('change', '=', p.change)
      .orderBy('derivation_index', 'desc')
      .limit(1n);
    return used ? branch.where('used_at', 'is not', null) : branch;
  });
const highestDerived = highest(false);
const highestUsed = highest(true);
/** A script reserved before keeps its time; a label given now wins. */
const reserveScript = prepared((db, p: Branch & { index: bigint; at: bigint; label: string | null }) =>
  db
    .updateTable('scripts')
    .set((eb) => ({
      reserved_at: eb.fn.coalesce('reserved_at', eb.cast<bigint>(eb.val(p.at), 'bigint')),
      label: eb.fn.coalesce(eb.cast<string>(eb.val(p.label), 'text'), 'label'),
    }))
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId)
    .where('change', '=', p.change)
    .where('derivation_index', '=', p.index),
);
const reserveScripts = prepared((db, p: Branch & { from: bigint; to: bigint; at: bigint }) =>
  db
    .updateTable('scripts')
    .set({ reserved_at: p.at })
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId)
    .where('change', '=', p.change)
    .where('derivation_index', '>=', p.from)
    .where('derivation_index', '<=', p.to)
    .where('reserved_at', 'is', null),
);
const countMore = prepared((db, p: { accountId: string; changes: bigint }) =>
  db
    .updateTable('accounts')
    .set((eb) => ({ script_count: eb('script_count', '+', p.changes) }))
    .where('account_id', '=', p.accountId),
);
const countOf = prepared((db, p: { accountId: string }) =>
  db.selectFrom('accounts').select('script_count').where('account_id', '=', p.accountId),
);

export function scriptRepository(session: Session) {
  return {
    /** Inserts rows, leaving those that are there (same wallet and script) as they stand. */
    insertMissing: async (found: readonly ScriptRecord[]) => {
      for (const [accountId, own] of Map.groupBy(found, (script) => script.accountId)) {
        const changes = await scripts.insert(session, own);
        if (changes > 0n) await countMore.run(session, { accountId, changes });
      }
    },
    /** Of all wallets of the account: kept, not counted. A job that has inserted some sees what every other will have. */
    count: async (accountId: string) => Number((await countOf.first(session, { accountId }))?.script_count ?? 0n),
    find: (accountId: string, walletId: string, change: boolean, index: number) =>
      scripts.find(session, { walletId, accountId, change, index }),
    findByAddress: (accountId: string, walletId: string, address: string) =>
      scripts.find(session, { walletId, accountId, address }, 'limit 1'),
    /** Highest derived index of a branch, -1 where none. */
    highestIndex: async (accountId: string, walletId: string, change: boolean) => {
      const row = await highestDerived.first(session, { accountId, walletId, change: flag(change) });
      return Number(row?.derivation_index ?? -1n);
    },
    /** Highest used index of a branch, -1 where none. */
    highestUsedIndex: async (accountId: string, walletId: string, change: boolean) => {
      const row = await highestUsed.first(session, { accountId, walletId, change: flag(change) });
      return Number(row?.derivation_index ?? -1n);
    },
    /** The external branch first, each by index. */
    list: async (
      accountId: string,
      walletId: string,
      filter: { change?: boolean; used?: boolean; reservedOnly?: boolean; label?: string },
      page: PageRequest,
    ) => {
      let matching = session.db
        .selectFrom('scripts')
        .where('wallet_id', '=', walletId)
        .where('account_id', '=', accountId);
      if (filter.change !== undefined) matching = matching.where('change', '=', flag(filter.change));
      if (filter.used !== undefined) matching = matching.where('used_at', filter.used ? 'is not' : 'is', null);
      if (filter.reservedOnly) matching = matching.where('reserved_at', 'is not', null);
      if (filter.label !== undefined) matching = matching.where('label', '=', filter.label);
      let rows = matching
        .selectAll()
        .orderBy('change')
        .orderBy('derivation_index')
        .limit(BigInt(page.limit + 1));
      let offset = page.offset;
      if (page.cursor === undefined) rows = rows.offset(BigInt(offset));
      else {
        const [position, change, index] = decodeCursor('addresses', ['count', 'count', 'count'], page.cursor);
        offset = position;
        rows = rows.where((eb) =>
          eb(eb.refTuple('change', 'derivation_index'), '>', eb.tuple(BigInt(change), BigInt(index))),
        );
      }
      const { count } = await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow();
      const found = await rows.execute();
      const data = found.slice(0, page.limit).map(scripts.record);
      const hasMore = found.length > page.limit;
      const last = data.at(-1);
      const nextCursor =
        hasMore && last ? encodeCursor('addresses', [offset + data.length, last.change ? 1 : 0, last.index]) : null;
      return { data, total: Number(count), limit: page.limit, offset, hasMore, nextCursor };
    },
    /** Every script of one wallet, for scans. */
    all: (accountId: string, walletId: string) =>
      scripts.all(session, { walletId, accountId }, 'order by change, derivation_index'),
    reserve: async (
      accountId: string,
      walletId: string,
      change: boolean,
      index: number,
      at: number,
      label: string | null,
    ) => {
      const position = { accountId, walletId, change: flag(change), index: BigInt(index) };
      const changed = await reserveScript.run(session, { ...position, at: BigInt(at), label });
      if (changed === 0n) throw new DomainError('not_found', 'the wallet has no script at that index yet');
    },
    /** Of those that are derived, both ends included; one reserved before keeps its time. */
    reserveRange: async (
      accountId: string,
      walletId: string,
      change: boolean,
      { from, to }: { from: number; to: number },
      at: number,
    ) => {
      const branch = { accountId, walletId, change: flag(change) };
      await reserveScripts.run(session, { ...branch, from: BigInt(from), to: BigInt(to), at: BigInt(at) });
    },
    setLabel: async (accountId: string, walletId: string, scriptPubKey: string, label: string | null) => {
      await scripts.update(session, { walletId, accountId, scriptPubKey }, { label });
    },
  };
}
