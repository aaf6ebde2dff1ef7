import { sql } from 'kysely';
import type { AddressScanRepository } from '../interfaces/address-scans.ts';
import { byBlock } from '../queries/address-entries.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { newestFirst } from '../queries/newest-first.ts';
import { patchRow } from '../queries/patch-row.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { type EntryRow, toAddressCoin, toAddressEntry, toAddressScan } from './address-scan-rows.ts';
import { bigintOrNull, flag, ifGiven } from './column-values.ts';

/** At tip T a coinbase output is mature when its height is at most T - 99. */
const MATURITY = 100;

interface Key {
  accountId: string;
  scanId: string;
}

const insertScans = insertRows('address_scans', [
  'scan_id',
  'account_id',
  'address',
  'script_pubkey',
  'state',
  'from_height',
  'at_height',
  'at_hash',
  'to_height',
  'error',
  'restarts',
  'created_at',
  'finished_at',
]);
const insertCoins = insertRows(
  'address_scan_coins',
  [
    'scan_id',
    'account_id',
    'txid',
    'vout',
    'amount_sats',
    'height',
    'block_hash',
    'coinbase',
    'spent_by',
    'spent_height',
    'spent_block_hash',
  ],
  'on conflict (scan_id, txid, vout) do nothing',
);
const patchScan = patchRow('address_scans', ['scan_id', 'account_id']);
const byId = prepared((db, p: Key) =>
  db.selectFrom('address_scans').selectAll().where('scan_id', '=', p.scanId).where('account_id', '=', p.accountId),
);
const lastDone = prepared((db, p: { accountId: string; scriptPubKey: string }) =>
  db
    .selectFrom('address_scans')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where('script_pubkey', '=', p.scriptPubKey)
    .where('state', '=', 'done')
    .orderBy('at_height', 'desc')
    .orderBy('finished_at', 'desc')
    .orderBy('scan_id', 'desc')
    .limit(1n),
);
const openOnes = prepared((db) =>
  db
    .selectFrom('address_scans')
    .selectAll()
    .where(sql<boolean>`state in ('queued', 'running')`)
    .orderBy('created_at')
    .orderBy('scan_id'),
);
const openOf = prepared((db, p: { accountId: string }) =>
  db
    .selectFrom('address_scans')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`state in ('queued', 'running')`),
);
const finishedOf = prepared((db, p: { accountId: string; kept: bigint; limit: bigint }) =>
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
const coinsOf = prepared((db, p: Key) =>
  db
    .selectFrom('address_scan_coins')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('scan_id', '=', p.scanId)
    .where('account_id', '=', p.accountId),
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
const deleteCoins = prepared((db, p: Key) =>
  db.deleteFrom('address_scan_coins').where('scan_id', '=', p.scanId).where('account_id', '=', p.accountId),
);
const deleteScan = prepared((db, p: Key) =>
  db.deleteFrom('address_scans').where('scan_id', '=', p.scanId).where('account_id', '=', p.accountId),
);
const spendCoin = prepared(
  (db, p: Key & { txid: string; vout: bigint; by: string; height: bigint; blockHash: string }) =>
    db
      .updateTable('address_scan_coins')
      .set({ spent_by: p.by, spent_height: p.height, spent_block_hash: p.blockHash })
      .where('scan_id', '=', p.scanId)
      .where('account_id', '=', p.accountId)
      .where('txid', '=', p.txid)
      .where('vout', '=', p.vout),
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

export function addressScanRepository(session: Session): AddressScanRepository {
  const { db } = session;
  return {
    insert: async (scan) => {
      await insertScans(session, [
        {
          scan_id: scan.scanId,
          account_id: scan.accountId,
          address: scan.address,
          script_pubkey: scan.scriptPubKey,
          state: scan.state,
          from_height: BigInt(scan.fromHeight),
          at_height: bigintOrNull(scan.atHeight),
          at_hash: scan.atHash,
          to_height: bigintOrNull(scan.toHeight),
          error: scan.error,
          restarts: BigInt(scan.restarts),
          created_at: BigInt(scan.createdAt),
          finished_at: bigintOrNull(scan.finishedAt),
        },
      ]);
    },
    find: async (accountId, scanId) => {
      const row = await byId.first(session, { accountId, scanId });
      return row && toAddressScan(row);
    },
    page: (accountId, filter, page) => {
      let matching = db.selectFrom('address_scans').where('account_id', '=', accountId);
      if (filter.scriptPubKey !== undefined) matching = matching.where('script_pubkey', '=', filter.scriptPubKey);
      if (filter.state !== undefined) matching = matching.where('state', '=', filter.state);
      return newestFirst('address scans', page, {
        rows: (start, limit) => {
          let rows = matching.selectAll().orderBy('created_at', 'desc').orderBy('scan_id', 'desc').limit(limit);
          if ('offset' in start) rows = rows.offset(start.offset);
          else {
            const { createdAt, id } = start.before;
            rows = rows.where((where) =>
              where.or([
                where('created_at', '<', createdAt),
                where.and([where('created_at', '=', createdAt), where('scan_id', '<', id)]),
              ]),
            );
          }
          return rows.execute();
        },
        count: async () =>
          (await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow()).count,
        idOf: (row) => row.scan_id,
        toRecord: toAddressScan,
      });
    },
    latestDone: async (accountId, scriptPubKey) => {
      const row = await lastDone.first(session, { accountId, scriptPubKey });
      return row && toAddressScan(row);
    },
    countOpen: async (accountId) => Number((await openOf.first(session, { accountId }))?.count ?? 0),
    finishedBeyond: async (accountId, kept, limit) => {
      const rows = await finishedOf.all(session, { accountId, kept: BigInt(kept), limit: BigInt(limit) });
      return rows.map((row) => row.scan_id);
    },
    remove: async (accountId, scanId) => {
      await deleteCoins.run(session, { accountId, scanId });
      return (await deleteScan.run(session, { accountId, scanId })) > 0n;
    },
    update: async ({ accountId, scanId }, patch) =>
      (await patchScan(
        session,
        {
          state: patch.state,
          at_height: ifGiven(patch.atHeight, bigintOrNull),
          at_hash: patch.atHash,
          to_height: ifGiven(patch.toHeight, bigintOrNull),
          error: patch.error,
          restarts: ifGiven(patch.restarts, BigInt),
          finished_at: ifGiven(patch.finishedAt, bigintOrNull),
        },
        { scan_id: scanId, account_id: accountId },
      )) > 0n,
    addCoins: async ({ accountId, scanId }, coins) => {
      await insertCoins(
        session,
        coins.map((coin) => ({
          scan_id: scanId,
          account_id: accountId,
          txid: coin.txid,
          vout: BigInt(coin.vout),
          amount_sats: coin.amountSats,
          height: BigInt(coin.height),
          block_hash: coin.blockHash,
          coinbase: flag(coin.coinbase),
          spent_by: null,
          spent_height: null,
          spent_block_hash: null,
        })),
      );
    },
    spend: async ({ accountId, scanId }, spends) => {
      for (const { outpoint, by, height, blockHash } of spends) {
        const { txid, vout } = outpoint;
        await spendCoin.run(session, {
          accountId,
          scanId,
          txid,
          vout: BigInt(vout),
          by,
          height: BigInt(height),
          blockHash,
        });
      }
    },
    clear: async ({ accountId, scanId }) => {
      await deleteCoins.run(session, { accountId, scanId });
    },
    totals: async ({ accountId, scanId }, height) => {
      const row = await totalsOf.first(session, { accountId, scanId, matureHeight: BigInt(height - MATURITY + 1) });
      return {
        confirmedSats: row?.confirmed ?? 0n,
        immatureSats: row?.immature ?? 0n,
        pendingSats: 0n,
        unspentCount: Number(row?.unspent ?? 0n),
      };
    },
    countCoins: async ({ accountId, scanId }) =>
      Number((await coinsOf.first(session, { accountId, scanId }))?.count ?? 0),
    unspent: ({ accountId, scanId }, page) => {
      const matching = db
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
        toRecord: (row) => toAddressCoin(row),
      });
    },
    entries: ({ accountId, scanId }, page) => {
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
            order by height desc, txid desc limit ${limit} offset ${offset}`.execute(db);
          return rows;
        },
        count: async () =>
          (await sql<{ count: bigint }>`select count(*) as count from (${grouped}) as entries`.execute(db)).rows[0]
            ?.count ?? 0n,
        toRecord: (row) => toAddressEntry(row),
      });
    },
    open: async () => (await openOnes.all(session, {})).map(toAddressScan),
    stale: async () => (await staleOnes.all(session, {})).map(toAddressScan),
  };
}
