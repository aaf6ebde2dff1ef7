import { type Kysely, sql } from 'kysely';
import { DomainError } from '../../core/errors.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { decodeCursor, encodeCursor } from '../queries/cursor.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { countRows, countUpTo, passRows, type Walk } from '../queries/row-walk.ts';
import type { DatabaseKind, Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { flag } from './column-values.ts';
import { type ScriptRecord, scripts } from './script-rows.ts';
import { countOf } from './sum-rows.ts';
import { walletSums } from './wallet-sums.ts';

interface Branch {
  accountId: AccountId;
  walletId: WalletId;
  change: bigint;
}
const highest = (db: Kysely<Schema>, p: Branch) =>
  db
    .selectFrom('scripts')
    .select('derivation_index')
    .where('scripts.wallet_id', '=', p.walletId)
    .where('scripts.account_id', '=', p.accountId)
    .where('scripts.change', '=', p.change)
    .orderBy('derivation_index', 'desc')
    .limit(1n);
const highestDerived = prepared(highest);
const stateOf = prepared((db, p: Branch) =>
  db
    .selectFrom('wallets')
    .innerJoin('accounts', 'accounts.account_id', 'wallets.account_id')
    .select(['next_external_index', 'next_internal_index', 'script_count'])
    .select([highest(db, p).as('derived'), highest(db, p).where('used_at', 'is not', null).as('used')])
    .where('wallets.wallet_id', '=', p.walletId)
    .where('wallets.account_id', '=', p.accountId),
);
/** Both of a payment's changes to its wallet's row, and the branch as it is then. */
const enterPayment = prepared((db, p: Branch & { next: bigint }) =>
  db
    .updateTable('wallets')
    .set((eb) => ({
      next_internal_index: sql<bigint>`case when next_internal_index < cast(${p.next} as bigint) then cast(${p.next} as bigint)
        else next_internal_index end`,
      transaction_count: eb('transaction_count', '+', 1n),
    }))
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId)
    .returning(['transaction_count as ordinal', 'next_internal_index as next'])
    .returning((eb) => [
      highest(db, p).as('derived'),
      highest(db, p).where('used_at', 'is not', null).as('used'),
      eb.selectFrom('accounts').select('script_count').where('account_id', '=', p.accountId).as('script_count'),
    ]),
);
/** Of one that is reserved or used already, or that another job is just reserving, nothing is changed. */
const reserveFree = prepared((db, p: Branch & { index: bigint; at: bigint }) =>
  db
    .updateTable('scripts')
    .set({ reserved_at: p.at })
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId)
    .where('change', '=', p.change)
    .where('derivation_index', '=', p.index)
    .where('reserved_at', 'is', null)
    .where('used_at', 'is', null),
);
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
    .where('derivation_index', '=', p.index)
    .returningAll(),
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
const among = (db: Kysely<Schema>, p: { among: string }, kind: DatabaseKind) =>
  db
    .selectFrom('scripts as one')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where(amongTexts(kind, 'one.script_pubkey', p.among));
const countAmong = prepared(among);
const markUsed = prepared(
  (db, p: { accountId: AccountId; walletId: WalletId; scriptPubKey: string; at: bigint; among: string }, kind) =>
    db
      .updateTable('scripts')
      .set({ used_at: p.at })
      .where('script_pubkey', '=', p.scriptPubKey)
      .where('wallet_id', '=', p.walletId)
      .where('account_id', '=', p.accountId)
      .where('used_at', 'is', null)
      .returning(among(db, p, kind).as('count')),
);
const otherHolder = prepared(
  (db, p: { accountId: AccountId; walletId: WalletId; scriptPubKey: string; signing: bigint }) =>
    db
      .selectFrom('scripts')
      .innerJoin('wallets', 'wallets.wallet_id', 'scripts.wallet_id')
      .select('wallets.wallet_id')
      .where('scripts.script_pubkey', '=', p.scriptPubKey)
      .where('scripts.account_id', '=', p.accountId)
      .where('scripts.wallet_id', '!=', p.walletId)
      .where((eb) =>
        eb.or([eb('wallets.secret', 'is not', null), eb(eb.cast<bigint>(eb.val(p.signing), 'bigint'), '=', 0n)]),
      )
      .limit(1n),
);
const countMore = prepared((db, p: { accountId: AccountId; changes: bigint }) =>
  db
    .updateTable('accounts')
    .set((eb) => ({ script_count: eb('script_count', '+', p.changes) }))
    .where('account_id', '=', p.accountId)
    .returning('script_count'),
);
const countInAccount = prepared((db, p: { accountId: AccountId }) =>
  db.selectFrom('accounts').select('script_count').where('account_id', '=', p.accountId),
);

export function scriptRepository(session: Session) {
  async function insertOf(accountId: AccountId, own: readonly ScriptRecord[]) {
    const changes = await scripts.insert(session, own);
    if (changes === 0n) return null;
    const row = await countMore.first(session, { accountId, changes });
    return { added: Number(changes), all: Number(row?.script_count ?? 0n) };
  }

  return {
    /** Inserts rows, leaving those that are there (same wallet and script) as they stand. */
    insertMissing: async (found: readonly ScriptRecord[]) => {
      for (const [accountId, own] of Map.groupBy(found, (script) => script.accountId)) await insertOf(accountId, own);
    },
    /** The same of one account; answers how many are new, and how many the account has then (see `count`): null where none is. */
    insertCounted: insertOf,
    /** The same, counted by whoever inserts the job's transaction (`TakenPlaces`); answers how many are new. */
    insertUncounted: (own: readonly ScriptRecord[]) => scripts.insert(session, own),
    /** Of all wallets of the account: kept, not counted. A job that has inserted some sees what every other will have. */
    count: async (accountId: AccountId) =>
      Number((await countInAccount.first(session, { accountId }))?.script_count ?? 0n),
    find: (accountId: AccountId, walletId: WalletId, change: boolean, index: number) =>
      scripts.find(session, { walletId, accountId, change, index }),
    findByScript: (accountId: AccountId, walletId: WalletId, scriptPubKey: string) =>
      scripts.find(session, { walletId, accountId, scriptPubKey }),
    /** Another wallet of the account that has the script; with `signing`, one with keys. */
    otherHolder: async (accountId: AccountId, walletId: WalletId, scriptPubKey: string, signing: boolean) => {
      const row = await otherHolder.first(session, { accountId, walletId, scriptPubKey, signing: flag(signing) });
      return row?.wallet_id ?? null;
    },
    /** How far a branch has come, and how many scripts its account has; indexes are -1 where there is none. null: no such wallet. */
    branch: async (accountId: AccountId, walletId: WalletId, change: boolean) => {
      const row = await stateOf.first(session, { accountId, walletId, change: flag(change) });
      return (
        row && {
          next: Number(change ? row.next_internal_index : row.next_external_index),
          derived: Number(row.derived ?? -1n),
          used: Number(row.used ?? -1n),
          count: Number(row.script_count),
        }
      );
    },
    /**
     * For a payment with change at `index`: raises the next index of the change branch beyond it, and takes the wallet's next position. Answers
     * that, and the branch as `branch` does. null: no such wallet.
     */
    enterPayment: async (accountId: AccountId, walletId: WalletId, index: number) => {
      const row = await enterPayment.first(session, { accountId, walletId, change: 1n, next: BigInt(index + 1) });
      return (
        row && {
          ordinal: row.ordinal,
          branch: {
            next: Number(row.next),
            derived: Number(row.derived ?? -1n),
            used: Number(row.used ?? -1n),
            count: Number(row.script_count),
          },
        }
      );
    },
    /** Highest derived index of a branch, -1 where none. */
    highestIndex: async (accountId: AccountId, walletId: WalletId, change: boolean) => {
      const row = await highestDerived.first(session, { accountId, walletId, change: flag(change) });
      return Number(row?.derivation_index ?? -1n);
    },
    /** The external branch first, each by index. */
    list: async (
      accountId: AccountId,
      walletId: WalletId,
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
      type Position = readonly [bigint, bigint];
      const behind = (after: Position | null, backwards = false) => {
        const order = backwards ? 'desc' : 'asc';
        const rows =
          after === null
            ? matching
            : matching.where((eb) =>
                eb(eb.refTuple('change', 'derivation_index'), backwards ? '<' : '>', eb.tuple(...after)),
              );
        return rows.orderBy('change', order).orderBy('derivation_index', order);
      };
      const placed = (after: Position | null, backwards?: boolean) =>
        behind(after, backwards).select(['change', 'derivation_index']);
      const walk: Walk<Position> = {
        at: async (after, skipped, backwards) => {
          const row = await placed(after, backwards).limit(1n).offset(skipped).executeTakeFirst();
          return row && [row.change, row.derivation_index];
        },
        count: (after, most) => countUpTo(session.db, placed(after), most),
      };
      let { offset } = page;
      const total = await counted();
      let passed: Position | null | undefined;
      if (page.cursor === undefined) passed = await passRows(walk, BigInt(offset), BigInt(total));
      else {
        const [position, change, index] = decodeCursor('addresses', ['count', 'count', 'count'], page.cursor);
        offset = position;
        passed = [BigInt(change), BigInt(index)];
      }
      const found =
        passed === undefined
          ? []
          : await behind(passed)
              .selectAll()
              .limit(BigInt(page.limit + 1))
              .execute();
      const data = found.slice(0, page.limit).map(scripts.record);
      const hasMore = found.length > page.limit;
      const last = data.at(-1);
      const nextCursor =
        hasMore && last ? encodeCursor('addresses', [offset + data.length, last.change ? 1 : 0, last.index]) : null;
      return { data, total, limit: page.limit, offset, hasMore, nextCursor };

      /** Kept (migrations/0017); those of one label are counted, along its index. */
      async function counted(): Promise<number> {
        const { change, used, reservedOnly, label } = filter;
        if (label === undefined) {
          const { scripts: sums } = await walletSums(session, accountId, walletId);
          return countOf(sums, { change, used, reserved: reservedOnly || undefined });
        }
        return Number(await countRows(walk));
      }
    },
    /** Every script of one wallet, for scans. */
    all: (accountId: AccountId, walletId: WalletId) =>
      scripts.all(session, { walletId, accountId }, 'order by change, derivation_index'),
    reserve: async (
      accountId: AccountId,
      walletId: WalletId,
      change: boolean,
      index: number,
      at: number,
      label: string | null,
    ) => {
      const position = { accountId, walletId, change: flag(change), index: BigInt(index) };
      const row = await reserveScript.first(session, { ...position, at: BigInt(at), label });
      if (!row) throw new DomainError('not_found', 'the wallet has no script at that index yet');
      return scripts.record(row);
    },
    /** False where somebody has it: nothing is changed then. */
    reserveFree: async (accountId: AccountId, walletId: WalletId, change: boolean, index: number, at: number) =>
      (await reserveFree.run(session, {
        ...{ accountId, walletId, change: flag(change) },
        ...{ index: BigInt(index), at: BigInt(at) },
      })) > 0n,
    /** Those that were not used before. Answers how many scripts of wallets of any account are among `scriptPubKeys` then. */
    markUsed: async (
      accountId: AccountId,
      found: readonly Pick<ScriptRecord, 'walletId' | 'scriptPubKey'>[],
      at: number,
      scriptPubKeys: readonly string[],
    ) => {
      const among = textList(scriptPubKeys);
      let count: bigint | undefined;
      for (const { walletId, scriptPubKey } of found) {
        const marked = await markUsed.first(session, { accountId, walletId, scriptPubKey, at: BigInt(at), among });
        count = marked?.count ?? count;
      }
      return Number(count ?? (await countAmong.first(session, { among }))?.count);
    },
    /** Of those that are derived, both ends included; one reserved before keeps its time. */
    reserveRange: async (
      accountId: AccountId,
      walletId: WalletId,
      change: boolean,
      { from, to }: { from: number; to: number },
      at: number,
    ) => {
      const branch = { accountId, walletId, change: flag(change) };
      await reserveScripts.run(session, { ...branch, from: BigInt(from), to: BigInt(to), at: BigInt(at) });
    },
    setLabel: async (accountId: AccountId, walletId: WalletId, scriptPubKey: string, label: string | null) => {
      await scripts.update(session, { walletId, accountId, scriptPubKey }, { label });
    },
  };
}
