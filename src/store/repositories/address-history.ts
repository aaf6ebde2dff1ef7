import { sql } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { blockHash, type Txid } from '../../core/outpoint.ts';
import { byBlock, UNCONFIRMED } from '../queries/address-entries.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { type EntryRow, toAddressEntry } from './address-scan-rows.ts';
import { numberOrNull } from './column-values.ts';

const MATURITY = 100;

interface Key {
  accountId: AccountId;
  walletId: WalletId;
  scriptPubKey: string;
}

const watching = prepared((db, p: { accountId: AccountId; scriptPubKey: string }) =>
  db
    .selectFrom('scripts')
    .select('wallet_id')
    .where('script_pubkey', '=', p.scriptPubKey)
    .where('account_id', '=', p.accountId)
    .orderBy('script_id')
    .limit(1n),
);
const totalsOf = prepared((db, p: Key & { matureHeight: bigint }) =>
  db
    .selectFrom('coins')
    .where('script_pubkey', '=', p.scriptPubKey)
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId)
    .where(sql`live`, '=', sql.lit(1))
    .where('spent_by', 'is', null)
    .select([
      sql<bigint>`cast(coalesce(sum(case when height is not null and (coinbase = 0 or height <= ${p.matureHeight})
        then amount_sats else 0 end), 0) as bigint)`.as('confirmed'),
      sql<bigint>`cast(coalesce(sum(case when coinbase = 1 and height > ${p.matureHeight}
        then amount_sats else 0 end), 0) as bigint)`.as('immature'),
      sql<bigint>`cast(coalesce(sum(case when height is null then amount_sats else 0 end), 0) as bigint)`.as('pending'),
      sql<bigint>`count(*)`.as('unspent'),
    ]),
);

/** What a wallet knows of one of its addresses. */
export function addressHistoryRepository(session: Session) {
  return {
    /** The wallet of the account that watches the script; null where none does. */
    walletWatching: async (accountId: AccountId, scriptPubKey: string) =>
      ((await watching.first(session, { accountId, scriptPubKey }))?.wallet_id as WalletId | undefined) ?? null,
    totals: async (accountId: AccountId, walletId: WalletId, scriptPubKey: string, tipHeight: number) => {
      const matureHeight = BigInt(tipHeight - MATURITY + 1);
      const row = await totalsOf.first(session, { accountId, walletId, scriptPubKey, matureHeight });
      return {
        confirmedSats: row?.confirmed ?? 0n,
        immatureSats: row?.immature ?? 0n,
        pendingSats: row?.pending ?? 0n,
        unspentCount: Number(row?.unspent ?? 0n),
      };
    },
    /** Live and unspent, newest first; height and block null while unconfirmed. */
    unspent: (accountId: AccountId, walletId: WalletId, scriptPubKey: string, page: PageRequest) => {
      const place = sql<bigint>`coalesce(coins.height, ${UNCONFIRMED})`;
      const id = sql<string>`coins.txid || ':' || coins.vout`;
      const matching = session.db
        .selectFrom('coins')
        .leftJoin('transactions', (join) =>
          join.onRef('transactions.txid', '=', 'coins.txid').onRef('transactions.account_id', '=', 'coins.account_id'),
        )
        .where('coins.script_pubkey', '=', scriptPubKey)
        .where('coins.wallet_id', '=', walletId)
        .where('coins.account_id', '=', accountId)
        .where(sql`coins.live`, '=', sql.lit(1))
        .where('coins.spent_by', 'is', null);
      return byBlock('address coins', page, {
        rows: (start, limit) => {
          let rows = matching
            .select([
              'coins.txid',
              'coins.vout',
              'coins.amount_sats',
              'coins.height',
              'coins.coinbase',
              'transactions.block_hash',
            ])
            .select([place.as('place'), id.as('id')])
            .orderBy(place, 'desc')
            .orderBy(id, 'desc')
            .limit(limit);
          if ('offset' in start) rows = rows.offset(start.offset);
          else rows = rows.where(sql<boolean>`(${place}, ${id}) < (${start.after.place}, ${start.after.id})`);
          return rows.execute();
        },
        count: async () =>
          (await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow()).count,
        toRecord: (row) => ({
          txid: row.txid as Txid,
          vout: Number(row.vout),
          amountSats: row.amount_sats,
          height: numberOrNull(row.height),
          blockHash: row.block_hash === null ? null : blockHash(row.block_hash),
          coinbase: row.coinbase === 1n,
        }),
      });
    },
    /** Unconfirmed ones first, then newest first. */
    entries: (accountId: AccountId, walletId: WalletId, scriptPubKey: string, page: PageRequest) => {
      const touched = sql`select txid, cast(sum(received) as bigint) as received, cast(sum(spent) as bigint) as spent from (
            select txid, amount_sats as received, cast(0 as bigint) as spent from coins
              where script_pubkey = ${scriptPubKey} and wallet_id = ${walletId} and account_id = ${accountId} and live = 1
            union all
            select spent_by, cast(0 as bigint), amount_sats from coins
              where script_pubkey = ${scriptPubKey} and wallet_id = ${walletId} and account_id = ${accountId} and live = 1
                and spent_by is not null
          ) as touched group by txid`;
      const placed = sql`select touched.txid as txid, t.block_height as height, t.block_hash as block_hash, received, spent,
          coalesce(t.block_height, ${UNCONFIRMED}) as place, touched.txid as id
        from (${touched}) as touched left join transactions t on t.txid = touched.txid and t.account_id = ${accountId}`;
      return byBlock('address entries', page, {
        rows: async (start, limit) => {
          const after = 'after' in start ? sql`where (place, id) < (${start.after.place}, ${start.after.id})` : sql``;
          const offset = 'offset' in start ? start.offset : 0n;
          const { rows } = await sql<EntryRow & { place: bigint; id: string }>`
            select * from (${placed}) as entries ${after} order by place desc, id desc limit ${limit} offset ${offset}`.execute(
            session.db,
          );
          return rows;
        },
        count: async () =>
          (await sql<{ count: bigint }>`select count(*) as count from (${touched}) as entries`.execute(session.db))
            .rows[0]?.count ?? 0n,
        toRecord: (row) => toAddressEntry(row),
      });
    },
  };
}
