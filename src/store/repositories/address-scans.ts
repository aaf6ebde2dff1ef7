import { sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import type { BlockHash, Outpoint, Txid } from '../../core/outpoint.ts';
import { byBlock } from '../queries/address-entries.ts';
import {
  flag,
  integer,
  named,
  orNull,
  type RecordOf,
  type RowOf,
  sats,
  table,
  text,
  time,
} from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { type EntryRow, toAddressEntry } from './address-scan-rows.ts';

export const ADDRESS_SCAN_STATES = ['queued', 'running', 'done', 'failed'] as const;

export type AddressScanState = (typeof ADDRESS_SCAN_STATES)[number];

/** An output that pays the address, in a block. */
export interface AddressCoin extends Outpoint {
  amountSats: bigint;
  height: number;
  blockHash: BlockHash;
  coinbase: boolean;
}

export interface AddressSpend {
  outpoint: Outpoint;
  by: Txid;
  height: number;
  blockHash: BlockHash;
}

export interface AddressTotals {
  confirmedSats: bigint;
  /** In blocks, not to be spent yet: coinbase outputs below 100 confirmations. Not part of confirmed. */
  immatureSats: bigint;
  /** Unconfirmed. */
  pendingSats: bigint;
  unspentCount: number;
}

export type ScanKey = Pick<AddressScanRecord, 'accountId' | 'scanId'>;

export const addressScans = table('address_scans', ['scanId'], {
  scanId: text(),
  accountId: text<AccountId>(),
  address: text(),
  /** hex */
  scriptPubKey: named('script_pubkey', text()),
  state: text<AddressScanState>(),
  fromHeight: integer,
  /** The last block that was looked at, null before the first. When done, the results are as of it. */
  atHeight: orNull(integer),
  atHash: orNull(text<BlockHash>()),
  toHeight: orNull(integer),
  error: orNull(text()),
  /** How often a block that had been looked at left the chain, so that the scan began anew. */
  restarts: integer,
  createdAt: time,
  finishedAt: orNull(time),
});
export type AddressScanRecord = RecordOf<typeof addressScans>;

const addressScanCoins = table('address_scan_coins', ['txid', 'vout'], {
  scanId: text(),
  accountId: text<AccountId>(),
  txid: text<Txid>(),
  vout: integer,
  amountSats: sats,
  height: integer,
  blockHash: text<BlockHash>(),
  coinbase: flag,
  spentBy: orNull(text<Txid>()),
  spentHeight: orNull(integer),
  spentBlockHash: orNull(text<BlockHash>()),
});

declare module '../schema.ts' {
  interface Schema {
    address_scans: RowOf<typeof addressScans>;
    address_scan_coins: RowOf<typeof addressScanCoins>;
  }
}

/** At tip T a coinbase output is mature when its height is at most T - 99. */
const MATURITY = 100;

interface Key {
  accountId: AccountId;
  scanId: string;
}

const scans = rowsOf(addressScans);
const found = rowsOf(addressScanCoins, 'on conflict (scan_id, txid, vout) do nothing');
const openOnes = prepared((db) =>
  db
    .selectFrom('address_scans')
    .selectAll()
    .where(sql<boolean>`state in ('queued', 'running')`)
    .orderBy('created_at')
    .orderBy('scan_id'),
);
const openOf = prepared((db, p: { accountId: AccountId }) =>
  db
    .selectFrom('address_scans')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`state in ('queued', 'running')`),
);
const finishedOf = prepared((db, p: { accountId: AccountId; kept: bigint; limit: bigint }) =>
  db
    .selectFrom('address_scans')
    .select('scan_id')
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`state in ('done', 'failed')`)
    .orderBy('created_at', 'desc')
    .orderBy('scan_id', 'desc')
    .limit(p.limit)
    .offset(p.kept),
);
const staleOnes = prepared((db) =>
  db
    .selectFrom('address_scans')
    .innerJoin('blocks', 'blocks.height', 'address_scans.at_height')
    .selectAll('address_scans')
    .where(sql<boolean>`state = 'done'`)
    .whereRef('blocks.hash', '<>', 'address_scans.at_hash')
    .limit(100n),
);
const totalsOf = prepared((db, p: Key & { matureHeight: bigint }) =>
  db
    .selectFrom('address_scan_coins')
    .where('scan_id', '=', p.scanId)
    .where('account_id', '=', p.accountId)
    .where('spent_by', 'is', null)
    .select([
      sql<bigint>`cast(coalesce(sum(case when coinbase = 0 or height <= ${p.matureHeight} then amount_sats else 0 end), 0) as bigint)`.as(
        'confirmed',
      ),
      sql<bigint>`cast(coalesce(sum(case when coinbase = 1 and height > ${p.matureHeight} then amount_sats else 0 end), 0) as bigint)`.as(
        'immature',
      ),
      sql<bigint>`count(*)`.as('unspent'),
    ]),
);

export function addressScanRepository(session: Session) {
  return {
    insert: async (scan: AddressScanRecord) => {
      await scans.insert(session, [scan]);
    },
    find: (accountId: AccountId, scanId: string) => scans.find(session, { accountId, scanId }),
    /** Newest first. */
    page: (
      accountId: AccountId,
      { scriptPubKey, state }: { scriptPubKey?: string; state?: AddressScanState },
      page: PageRequest,
    ) => scans.page(session, { name: 'address scans', where: { accountId, scriptPubKey, state } }, page),
    /** The one finished last. */
    latestDone: (accountId: AccountId, scriptPubKey: string) =>
      scans.find(
        session,
        { accountId, scriptPubKey, state: 'done' },
        'order by at_height desc, finished_at desc, scan_id desc limit 1',
      ),
    /** Queued and running ones. */
    countOpen: async (accountId: AccountId) => Number((await openOf.first(session, { accountId }))?.count ?? 0),
    /** Finished ones (done or failed) but for the newest `kept`: their ids, oldest last, so many at the most. */
    finishedBeyond: async (accountId: AccountId, kept: number, limit: number) => {
      const rows = await finishedOf.all(session, { accountId, kept: BigInt(kept), limit: BigInt(limit) });
      return rows.map((row) => row.scan_id);
    },
    /** With what it found. False where it is not there. */
    remove: async (accountId: AccountId, scanId: string) => {
      await found.delete(session, { accountId, scanId });
      return (await scans.delete(session, { accountId, scanId })) > 0n;
    },
    /** False where it is not there any more. */
    update: async (
      { accountId, scanId }: ScanKey,
      patch: Partial<
        Pick<AddressScanRecord, 'state' | 'atHeight' | 'atHash' | 'toHeight' | 'error' | 'restarts' | 'finishedAt'>
      >,
    ) => (await scans.update(session, { accountId, scanId }, patch)) > 0n,
    /** Leaves those that are there. */
    addCoins: async ({ accountId, scanId }: ScanKey, coins: readonly AddressCoin[]) => {
      const unspent = { spentBy: null, spentHeight: null, spentBlockHash: null };
      await found.insert(
        session,
        coins.map((coin) => ({ ...coin, ...unspent, accountId, scanId })),
      );
    },
    /** What is not the scan's is passed over. */
    spend: async ({ accountId, scanId }: ScanKey, spends: readonly AddressSpend[]) => {
      for (const { outpoint, by, height, blockHash } of spends) {
        const spent = { spentBy: by, spentHeight: height, spentBlockHash: blockHash };
        await found.update(session, { accountId, scanId, txid: outpoint.txid, vout: outpoint.vout }, spent);
      }
    },
    /** Forgets what was found. */
    clear: async ({ accountId, scanId }: ScanKey) => {
      await found.delete(session, { accountId, scanId });
    },
    totals: async ({ accountId, scanId }: ScanKey, height: number) => {
      const row = await totalsOf.first(session, { accountId, scanId, matureHeight: BigInt(height - MATURITY + 1) });
      return {
        confirmedSats: row?.confirmed ?? 0n,
        immatureSats: row?.immature ?? 0n,
        pendingSats: 0n,
        unspentCount: Number(row?.unspent ?? 0n),
      };
    },
    /** Outputs found, spent or not. */
    countCoins: ({ accountId, scanId }: ScanKey) => found.count(session, { accountId, scanId }),
    /** Newest first. */
    unspent: ({ accountId, scanId }: ScanKey, page: PageRequest) => {
      const matching = session.db
        .selectFrom('address_scan_coins')
        .where('scan_id', '=', scanId)
        .where('account_id', '=', accountId)
        .where('spent_by', 'is', null);
      const id = sql<string>`txid || ':' || vout`;
      return byBlock('address scan coins', page, {
        rows: (start, limit) => {
          let rows = matching
            .selectAll()
            .select(['height as place', id.as('id')])
            .orderBy('height', 'desc')
            .orderBy(id, 'desc')
            .limit(limit);
          if ('offset' in start) rows = rows.offset(start.offset);
          else rows = rows.where(sql<boolean>`(height, ${id}) < (${start.after.place}, ${start.after.id})`);
          return rows.execute();
        },
        count: async () =>
          (await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow()).count,
        toRecord: (row) => {
          const { txid, vout, amountSats, height, blockHash, coinbase } = found.record(row);
          return { txid, vout, amountSats, height, blockHash, coinbase };
        },
      });
    },
    /** Newest first. */
    entries: ({ accountId, scanId }: ScanKey, page: PageRequest) => {
      const grouped = sql`select txid, max(height) as height, max(block_hash) as block_hash,
          cast(sum(received) as bigint) as received, cast(sum(spent) as bigint) as spent from (
            select txid, height, block_hash, amount_sats as received, cast(0 as bigint) as spent
              from address_scan_coins where scan_id = ${scanId} and account_id = ${accountId}
            union all
            select spent_by, spent_height, spent_block_hash, cast(0 as bigint), amount_sats
              from address_scan_coins where scan_id = ${scanId} and account_id = ${accountId} and spent_by is not null
          ) as touched group by txid`;
      return byBlock('address scan entries', page, {
        rows: async (start, limit) => {
          const after =
            'after' in start ? sql`where (height, txid) < (${start.after.place}, ${start.after.id})` : sql``;
          const offset = 'offset' in start ? start.offset : 0n;
          const { rows } = await sql<EntryRow & { place: bigint; id: string }>`
            select txid, height, block_hash, received, spent, height as place, txid as id from (${grouped}) as entries ${after}
            order by height desc, txid desc limit ${limit} offset ${offset}`.execute(session.db);
          return rows;
        },
        count: async () =>
          (await sql<{ count: bigint }>`select count(*) as count from (${grouped}) as entries`.execute(session.db))
            .rows[0]?.count ?? 0n,
        toRecord: (row) => toAddressEntry(row),
      });
    },
    /** Of all accounts: open ones, oldest first. */
    open: async () => (await openOnes.all(session, {})).map(scans.record),
    /** Of all accounts: done ones whose last block is not the followed chain's any more. */
    stale: async () => (await staleOnes.all(session, {})).map(scans.record),
  };
}
