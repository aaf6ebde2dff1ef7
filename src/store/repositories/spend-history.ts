/** An account's payments with what was asked of the rules, in the order of the verdicts, and changes of the sums (migrations/0030, 0039). */
import { sql } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { CountedSum } from '../../core/policies/policy.ts';
import type { RecordedSpending } from '../../core/policies/recorded-spending.ts';
import type { RecordedVerdict } from '../../core/policies/recorded-verdict.ts';
import { json, orNull } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { countUpTo } from '../queries/row-walk.ts';
import { rowsInParts } from '../queries/rows-in-parts.ts';
import type { Session } from '../queries/session.ts';
import { countsColumn } from './counted-sums.ts';

declare module '../schema.ts' {
  interface Schema {
    spend_changes: {
      change_id: bigint;
      account_id: AccountId;
      behind: bigint;
      sign: bigint;
      counts: string;
      created_at: bigint;
    };
    spend_waits: {
      wait_id: bigint;
      account_id: AccountId;
      ref: string;
      since: bigint;
      until: bigint;
      counts: string;
      ended_at: bigint;
    };
  }
}

/** A payment that a request made. */
export interface PastPayment {
  readonly place: number;
  readonly txid: Txid;
  readonly walletId: WalletId;
  readonly createdAt: number;
  readonly policy: RecordedVerdict | null;
  /** As it counted when it was made; later changes are SpendChanges. */
  readonly counts: readonly CountedSum[];
  /** null: made by a former version, which did not record it. */
  readonly asked: RecordedSpending | null;
}

/** Another change of the sums, after the payment at `behind`: given back (-1) or added (1). */
export interface SpendChange {
  readonly changeId: bigint;
  readonly behind: number;
  readonly sign: 1 | -1;
  readonly counts: readonly CountedSum[];
}

/** What waited at a place, for approvals, signatures or another side. */
interface SpendWait {
  readonly waitId: bigint;
  /** The last place that saw it wait. */
  readonly until: bigint;
  readonly counts: readonly CountedSum[];
}

interface Range {
  accountId: AccountId;
  after: bigint;
  upTo: bigint;
}

const slice = prepared((db, p: Range & { limit: bigint }) =>
  db
    .selectFrom('transactions')
    .select(['ordinal', 'txid', 'wallet_id', 'created_at', 'policy', 'counts', 'asked'])
    .select((eb) =>
      eb
        .selectFrom('spend_waits')
        .select('spend_waits.counts')
        .whereRef('spend_waits.account_id', '=', 'transactions.account_id')
        .where('ref', '=', sql<string>`cast(transactions.ordinal as text)`)
        .whereRef('since', '=', 'transactions.ordinal')
        .as('waited'),
    )
    .where('account_id', '=', p.accountId)
    .where('ordinal', '>', p.after)
    .where('ordinal', '<=', p.upTo)
    .where('asked', 'is not', null)
    .orderBy('ordinal')
    .limit(p.limit),
);
const firstFrom = prepared((db, p: { accountId: AccountId; from: bigint }) =>
  db
    .selectFrom('transactions')
    .select(['ordinal', 'created_at'])
    .where('account_id', '=', p.accountId)
    .where('ordinal', '>=', p.from)
    .where('asked', 'is not', null)
    .orderBy('ordinal')
    .limit(1n),
);
const countAll = prepared((db, p: { accountId: AccountId }) =>
  db.selectFrom('accounts').select('transaction_count as count').where('account_id', '=', p.accountId),
);
const changes = prepared(
  (db, p: { accountId: AccountId; behind: bigint; changeId: bigint; upTo: bigint; limit: bigint }) =>
    db
      .selectFrom('spend_changes')
      .selectAll()
      .where('account_id', '=', p.accountId)
      .where('behind', '>=', p.behind)
      .where('behind', '<=', p.upTo)
      .where((eb) => eb.or([eb('behind', '>', p.behind), eb('change_id', '>', p.changeId)]))
      .orderBy('behind')
      .orderBy('change_id')
      .limit(p.limit),
);
const waits = prepared((db, p: { accountId: AccountId; place: bigint; until: bigint; waitId: bigint; limit: bigint }) =>
  db
    .selectFrom('spend_waits')
    .select(['wait_id', 'until', 'counts'])
    .where('account_id', '=', p.accountId)
    .where('until', '>=', p.until)
    .where((eb) => eb.or([eb('until', '>', p.until), eb('wait_id', '>', p.waitId)]))
    .where('since', '<', p.place)
    .orderBy('until')
    .orderBy('wait_id')
    .limit(p.limit),
);
const deleteWaits = prepared((db, p: { before: bigint; limit: bigint }) =>
  db
    .deleteFrom('spend_waits')
    .where('wait_id', 'in', (eb) =>
      eb
        .selectFrom('spend_waits')
        .select('wait_id')
        .where('ended_at', '<', p.before)
        .orderBy('ended_at')
        .limit(p.limit),
    ),
);
/** As many as one job should delete. */
const deleteChanges = prepared((db, p: { before: bigint; limit: bigint }) =>
  db
    .deleteFrom('spend_changes')
    .where('change_id', 'in', (eb) =>
      eb
        .selectFrom('spend_changes')
        .select('change_id')
        .where('created_at', '<', p.before)
        .orderBy('created_at')
        .limit(p.limit),
    ),
);
/** A row of thousands of sums takes a millisecond to read. */
const AT_ONCE = 10;
type SliceRow = Awaited<ReturnType<typeof slice.all>>[number];
type WaitRow = Awaited<ReturnType<typeof waits.all>>[number];
type ChangeRow = Awaited<ReturnType<typeof changes.all>>[number];
const verdict = orNull(json<RecordedVerdict>());
const countsOf = orNull(countsColumn);
const askedOf = orNull(json<Partial<RecordedSpending>>());
const isWhole = (asked: Partial<RecordedSpending>): asked is RecordedSpending => asked.operation !== undefined;

function toPayment(row: SliceRow): PastPayment {
  const { kept, ...asked } = askedOf.load(row.asked) ?? {};
  return {
    ...{ place: Number(row.ordinal), txid: row.txid as Txid, walletId: row.wallet_id as WalletId },
    ...{ createdAt: Number(row.created_at), policy: verdict.load(row.policy) },
    counts: countsOf.load(row.waited ?? kept ?? row.counts) ?? [],
    asked: isWhole(asked) ? asked : null,
  };
}

const toChange = (row: ChangeRow): SpendChange => ({
  ...{ changeId: row.change_id, behind: Number(row.behind), sign: row.sign === 1n ? 1 : -1 },
  counts: countsColumn.load(row.counts),
});

export function spendHistoryRepository(session: Session) {
  return {
    /** By place: those after `after`, up to `upTo`. */
    payments: async (accountId: AccountId, after: number, upTo: number, limit: number): Promise<PastPayment[]> => {
      const range = { accountId, upTo: BigInt(upTo) };
      const rows = rowsInParts<SliceRow>({ most: limit, atOnce: AT_ONCE }, ({ last }, most) =>
        slice.all(session, { ...range, after: last?.ordinal ?? BigInt(after), limit: most }),
      );
      const payments: PastPayment[] = [];
      for await (const row of rows) payments.push(toPayment(row));
      return payments;
    },
    /** In order: those after `last`, up to a place. */
    changes: async (
      accountId: AccountId,
      last: Pick<SpendChange, 'behind' | 'changeId'>,
      upTo: number,
      limit: number,
    ): Promise<SpendChange[]> => {
      const from = { behind: BigInt(last.behind), change_id: last.changeId };
      const rows = rowsInParts<ChangeRow>({ most: limit, atOnce: AT_ONCE }, (read, most) => {
        const { behind, change_id: changeId } = read.last ?? from;
        return changes.all(session, { accountId, behind, changeId, upTo: BigInt(upTo), limit: most });
      });
      const found: SpendChange[] = [];
      for await (const row of rows) found.push(toChange(row));
      return found;
    },
    /** What waited at a place, made before it: those after `last`. */
    waiting: async (
      accountId: AccountId,
      place: number,
      last: Pick<SpendWait, 'until' | 'waitId'>,
      limit: number,
    ): Promise<SpendWait[]> => {
      const rows = rowsInParts<WaitRow>({ most: limit, atOnce: AT_ONCE }, (read, most) => {
        const { until, wait_id: waitId } = read.last ?? { until: last.until, wait_id: last.waitId };
        return waits.all(session, { accountId, place: BigInt(place), until, waitId, limit: most });
      });
      const found: SpendWait[] = [];
      for await (const { wait_id: waitId, until, counts } of rows)
        found.push({ waitId, until, counts: countsColumn.load(counts) });
      return found;
    },
    /** Changes before this time; returns how many, at most `limit`. */
    deleteChanges: async (before: number, limit: number) =>
      Number(await deleteChanges.run(session, { before: BigInt(before), limit: BigInt(limit) })),
    /** The same of what ended to wait. */
    deleteWaits: async (before: number, limit: number) =>
      Number(await deleteWaits.run(session, { before: BigInt(before), limit: BigInt(limit) })),
    /** The place of the first payment at this time or later; without one, the place after the last. */
    placeAt: async (accountId: AccountId, at: number): Promise<number> => {
      const [counted] = await countAll.all(session, { accountId });
      let [low, high] = [1, Number(counted?.count ?? 0n) + 1];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const found = await firstFrom.first(session, { accountId, from: BigInt(middle) });
        if (found !== null && Number(found.created_at) < at) low = Number(found.ordinal) + 1;
        else high = middle;
      }
      return low;
    },
    /** How many payments are at these places, both included; counts up to `most`. */
    count: (accountId: AccountId, from: number, to: number, most: number): Promise<bigint> =>
      countUpTo(
        session.db,
        session.db
          .selectFrom('transactions')
          .select('txid')
          .where('account_id', '=', accountId)
          .where('ordinal', '>=', BigInt(from))
          .where('ordinal', '<=', BigInt(to))
          .where('asked', 'is not', null),
        BigInt(most),
      ),
  };
}
