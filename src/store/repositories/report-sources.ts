/** What reports are made of, read in the order of the history: a window of it in each statement. */
import { type Kysely, sql } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { numberOrNull } from './column-values.ts';
import {
  LISTED,
  type ListedRow,
  type TransactionDirection,
  type TransactionKind,
  type TransactionStatus,
  toListed,
} from './transaction-rows.ts';

/** Positions after `after`, up to `upTo`, both of the account's history. */
interface Window {
  readonly accountId: AccountId;
  readonly after: number;
  readonly upTo: number;
}

/** What a transaction did to a wallet. */
export interface WalletMovement {
  readonly ordinal: number;
  readonly txid: Txid;
  readonly walletId: WalletId;
  /** Of the transaction: the one that pays, or that received first. */
  readonly payingWallet: WalletId;
  readonly kind: TransactionKind;
  readonly status: TransactionStatus;
  readonly direction: TransactionDirection;
  readonly receivedSats: bigint;
  readonly sentSats: bigint;
  readonly feeSats: bigint | null;
  readonly vsize: number | null;
  readonly blockHeight: number | null;
  readonly label: string | null;
  readonly externalId: string | null;
  /** Of its block; of what is in none (or in one from before the service followed), when it was recorded. Epoch milliseconds. */
  readonly at: number;
}

/** Of a movement in a block. */
export interface ChainPlace {
  readonly height: number;
  readonly ordinal: number;
  readonly wallet: string;
}

const historyLength = prepared((db, p: { accountId: AccountId }) =>
  db.selectFrom('accounts').select('transaction_count as count').where('account_id', '=', p.accountId),
);
const movementsOf = (db: Kysely<Schema>, accountId: AccountId) =>
  db
    .selectFrom('transactions as t')
    .innerJoin('wallet_transactions as link', (join) =>
      join.onRef('link.txid', '=', 't.txid').onRef('link.account_id', '=', 't.account_id'),
    )
    .leftJoin('blocks as b', (join) =>
      join.onRef('b.height', '=', 't.block_height').onRef('b.hash', '=', 't.block_hash'),
    )
    .select(['t.ordinal', 't.txid', 't.wallet_id as paying', 't.kind', 't.contract_kind', 't.status', 't.direction'])
    .select(['t.fee_sats', 't.vsize', 't.block_height', 't.label', 't.external_id'])
    .select(['link.wallet_id', 'link.received_sats', 'link.sent_sats'])
    .select(sql<bigint>`coalesce(b.time * 1000, t.created_at)`.as('at'))
    .where('t.account_id', '=', accountId);
const movements = prepared(
  (db, p: { accountId: AccountId; after: bigint; upTo: bigint; next: bigint; wallet: string; limit: bigint }) =>
    movementsOf(db, p.accountId)
      .where('t.ordinal', '>', p.after)
      .where('t.ordinal', '<=', p.upTo)
      .where((eb) => eb.or([eb('t.ordinal', '>', p.next), eb('link.wallet_id', '>', p.wallet)]))
      .orderBy('t.ordinal')
      .orderBy('link.wallet_id')
      .limit(p.limit),
);
/** Height by height, for the index of blocks begins with it: one that begins with the account would cost each payment. */
const mined = prepared(
  (db, p: { accountId: AccountId; height: bigint; upTo: bigint; ordinal: bigint; wallet: string; limit: bigint }) =>
    movementsOf(db, p.accountId)
      .where(
        sql<boolean>`t.block_height in (with recursive heights (height) as (
          select cast(${p.height} as bigint) union all select height + 1 from heights where height < ${p.upTo}
        ) select height from heights)`,
      )
      .where((eb) =>
        eb.or([
          ...[eb('t.block_height', '>', p.height), eb('t.ordinal', '>', p.ordinal)],
          eb.and([eb('t.ordinal', '=', p.ordinal), eb('link.wallet_id', '>', p.wallet)]),
        ]),
      )
      .orderBy('t.block_height')
      .orderBy('t.ordinal')
      .orderBy('link.wallet_id')
      .limit(p.limit),
);
const heights = prepared((db) =>
  db
    .selectFrom('transactions')
    .select([sql<bigint | null>`min(block_height)`.as('lowest'), sql<bigint | null>`max(block_height)`.as('highest')])
    .where('block_height', 'is not', null),
);

const payments = prepared((db, p: { accountId: AccountId; after: bigint; upTo: bigint }) =>
  db
    .selectFrom('transactions as t')
    .leftJoin('blocks as b', (join) =>
      join.onRef('b.height', '=', 't.block_height').onRef('b.hash', '=', 't.block_hash'),
    )
    .select(LISTED.map((column) => `t.${column}` as const))
    .select(sql<bigint>`coalesce(b.time * 1000, t.created_at)`.as('at'))
    .where('t.account_id', '=', p.accountId)
    .where('t.ordinal', '>', p.after)
    .where('t.ordinal', '<=', p.upTo)
    .orderBy('t.ordinal'),
);

export function reportSourceRepository(session: Session) {
  return {
    /** Transactions of the account: their positions are 1 to this. */
    historyLength: async (accountId: AccountId): Promise<number> =>
      Number((await historyLength.first(session, { accountId }))?.count ?? 0n),
    /** With the time of a movement, and what the rules said. */
    payments: async ({ accountId, after, upTo }: Window) =>
      (await payments.all(session, { accountId, after: BigInt(after), upTo: BigInt(upTo) })).map((row) => {
        const listed = toListed(row as ListedRow);
        return { ...listed, verdict: listed.policy?.action ?? null, at: Number(row.at) };
      }),
    /** At most `limit`; of the first transaction those of wallets behind `wallet`. */
    movements: async (
      { accountId, after, upTo }: Window,
      { wallet, limit }: { readonly wallet: string; readonly limit: number },
    ): Promise<WalletMovement[]> =>
      (
        await movements.all(session, {
          ...{ accountId, after: BigInt(after), upTo: BigInt(upTo), next: BigInt(after + 1) },
          ...{ wallet, limit: BigInt(limit) },
        })
      ).map(toMovement),
    /** Of all transactions in blocks, in any account; null: there is none. */
    heights: async (): Promise<{ lowest: number; highest: number } | null> => {
      const { lowest = null, highest = null } = (await heights.first(session, {})) ?? {};
      return lowest === null || highest === null ? null : { lowest: Number(lowest), highest: Number(highest) };
    },
    /** In the order of the chain: those behind a movement's place, in blocks up to `upTo`; at most `limit`. */
    mined: async (
      accountId: AccountId,
      { height, ordinal, wallet }: ChainPlace,
      { upTo, limit }: { readonly upTo: number; readonly limit: number },
    ): Promise<WalletMovement[]> =>
      (
        await mined.all(session, {
          ...{ accountId, height: BigInt(height), upTo: BigInt(upTo), ordinal: BigInt(ordinal) },
          ...{ wallet, limit: BigInt(limit) },
        })
      ).map(toMovement),
  };
}

type MovementRow = Awaited<ReturnType<typeof movements.all>>[number];
const toMovement = (row: MovementRow): WalletMovement => ({
  ordinal: Number(row.ordinal),
  txid: row.txid as Txid,
  walletId: row.wallet_id as WalletId,
  payingWallet: row.paying as WalletId,
  kind: (row.contract_kind ?? row.kind) as TransactionKind,
  status: row.status as TransactionStatus,
  direction: row.direction as TransactionDirection,
  receivedSats: row.received_sats,
  sentSats: row.sent_sats,
  feeSats: row.fee_sats,
  vsize: numberOrNull(row.vsize),
  blockHeight: numberOrNull(row.block_height),
  label: row.label,
  externalId: row.external_id,
  at: Number(row.at),
});
