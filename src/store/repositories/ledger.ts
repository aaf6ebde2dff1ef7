import { sql } from 'kysely';
import type { WalletId } from '../../core/ids.ts';
import type { BlockHash, Outpoint, Txid } from '../../core/outpoint.ts';
import { amongOutpoints, amongTexts, outpointList, textList } from '../queries/json-lists.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { blockRepository } from './blocks.ts';
import { type CoinRecord, coins, toOutpoint } from './coin-rows.ts';
import { bigintOrNull } from './column-values.ts';
import { type ScriptRecord, scripts } from './script-rows.ts';
import { transactions } from './transaction-rows.ts';
import { wallets } from './wallet-rows.ts';

const CHUNK = 5_000;

const scriptsAfter = prepared((db, p: { afterId: bigint; limit: bigint }) =>
  db
    .selectFrom('scripts')
    .select(['script_id as id', 'script_pubkey'])
    .where('script_id', '>', p.afterId)
    .orderBy('script_id')
    .limit(p.limit),
);
const outpointsAfter = prepared((db, p: { afterId: bigint; limit: bigint }) =>
  db
    .selectFrom('coins')
    .select(['coin_id as id', 'txid', 'vout'])
    .where(sql`live`, '=', sql.lit(1))
    .where('spent_height', 'is', null)
    .where('coin_id', '>', p.afterId)
    .orderBy('coin_id')
    .limit(p.limit),
);
const fundingsAfter = prepared((db, p: { afterId: bigint; limit: bigint }) =>
  db
    .selectFrom('contract_fundings as funding')
    .innerJoin('contracts as contract', 'contract.contract_id', 'funding.contract_id')
    .select(['funding.funding_id as id', 'funding.txid', 'funding.vout'])
    .where('contract.closing_height', 'is', null)
    .where('funding.funding_id', '>', p.afterId)
    .orderBy('funding.funding_id')
    .limit(p.limit),
);
/** The status list is written as in the index transactions_unsettled. A replacement in a block settles what it replaced. */
const unsettled = sql<boolean>`status not in ('confirmed', 'conflicted', 'failed')`;
/** A cross join, for SQLite takes its tables in the order written: first the few transactions, then what they spend. */
const unconfirmedInputs = prepared((db) =>
  db
    .selectFrom('transactions as spender')
    .crossJoin('transaction_inputs as input')
    .select(['input.prev_txid as txid', 'input.prev_vout as vout'])
    .distinct()
    .whereRef('input.txid', '=', 'spender.txid')
    .whereRef('input.account_id', '=', 'spender.account_id')
    .where(unsettled)
    .where('spender.status', 'in', [
      'awaiting_approval',
      'awaiting_signature',
      'signed',
      'broadcast',
      'replaced',
      'abandoned',
    ])
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('transactions as replacement')
            .select('replacement.txid')
            .whereRef('replacement.txid', '=', 'spender.replaced_by')
            .whereRef('replacement.account_id', '=', 'spender.account_id')
            .where('replacement.block_height', 'is not', null),
        ),
      ),
    ),
);
const scriptsMatching = prepared((db, p: { scripts: string }, kind) =>
  db
    .selectFrom('scripts')
    .selectAll()
    .where(amongTexts(kind, 'script_pubkey', p.scripts))
    .orderBy('script_id'),
);
const coinsAt = prepared((db, p: { outpoints: string }, kind) => {
  const found = db
    .selectFrom('coins')
    .selectAll()
    .where(amongOutpoints(kind, 'txid', 'vout', p.outpoints))
    .orderBy('coin_id');
  return kind === 'postgres' ? found.forNoKeyUpdate() : found;
});
const spendersOf = prepared((db, p: { outpoints: string; except: Txid }, kind) =>
  db
    .selectFrom('transactions')
    .selectAll()
    .where((eb) =>
      eb(
        eb.refTuple('txid', 'account_id'),
        'in',
        eb
          .selectFrom('transaction_inputs')
          .select(['transaction_inputs.txid', 'transaction_inputs.account_id'])
          .where(amongOutpoints(kind, 'prev_txid', 'prev_vout', p.outpoints))
          .$asTuple('txid', 'account_id'),
      ),
    )
    .where('txid', '!=', p.except)
    .orderBy('account_id')
    .orderBy('ordinal'),
);
const childrenOf = prepared((db, p: { txid: Txid }) =>
  db
    .selectFrom('transactions')
    .selectAll()
    .where((eb) =>
      eb(
        eb.refTuple('txid', 'account_id'),
        'in',
        eb
          .selectFrom('transaction_inputs')
          .select(['transaction_inputs.txid', 'transaction_inputs.account_id'])
          .where('prev_txid', '=', p.txid)
          .$asTuple('txid', 'account_id'),
      ),
    )
    .orderBy('account_id')
    .orderBy('ordinal'),
);
const unconfirmed = prepared((db) =>
  db
    .selectFrom('transactions')
    .selectAll()
    .where(unsettled)
    .where('status', 'in', ['signed', 'broadcast'])
    .orderBy('created_at')
    .orderBy('account_id')
    .orderBy('ordinal'),
);
const spendCoins = prepared((db, p: { outpoints: string; by: Txid; height: bigint | null }, kind) =>
  db
    .updateTable('coins')
    .set({ spent_by: p.by, spent_height: p.height })
    .where(amongOutpoints(kind, 'txid', 'vout', p.outpoints)),
);
const unspendCoins = prepared((db, p: { by: Txid }) =>
  db
    .updateTable('coins')
    .set({ spent_by: null, spent_height: null })
    .where('spent_by', '=', p.by)
    .returning(['txid', 'vout']),
);
const toScan = prepared((db) =>
  db
    .selectFrom('wallets')
    .selectAll()
    .where(sql<boolean>`scan_state in ('queued', 'scanning')`)
    .orderBy('created_at')
    .orderBy('wallet_id'),
);

const newestWatched = prepared((db) => ({
  compile: () =>
    sql<{ script: bigint | null; coin: bigint | null; funding: bigint | null }>`select
      (select max(script_id) from scripts) as script,
      (select max(coin_id) from coins) as coin,
      (select max(funding_id) from contract_fundings) as funding`.compile(db),
}));

/** What the chain follower reads and writes. Chain facts belong to no account: this is the one repository that crosses them. */
export function ledgerRepository(session: Session) {
  async function inChunks<Row extends { id: bigint }>(
    afterId: bigint,
    next: (range: { afterId: bigint; limit: bigint }) => Promise<Row[]>,
    onChunk: (rows: Row[]) => void,
  ): Promise<bigint> {
    let highest = afterId;
    for (;;) {
      const rows = await next({ afterId: highest, limit: BigInt(CHUNK) });
      if (rows.length > 0) onChunk(rows);
      highest = rows.at(-1)?.id ?? highest;
      if (rows.length < CHUNK) return highest;
    }
  }

  return {
    ...blockRepository(session),
    /**
     * Streams what is to be watched, in chunks, from rows added after `afterId` (0n: all); answers the highest id seen. The follower calls it
     * again before each matching, so that scripts and coins of every process are known. (Ids can commit out of order on PostgreSQL: there
     * the caller passes an id some hundreds lower than the last answer.)
     */
    watchedScripts: (afterId: bigint, onChunk: (scriptPubKeys: string[]) => void) =>
      inChunks(
        afterId,
        (range) => scriptsAfter.all(session, range),
        (rows) => onChunk(rows.map((row) => row.script_pubkey)),
      ),
    /** The newest ids of all that is watched, as one text: where it is the same and ids are given in order, nothing was added. */
    newestWatched: async () => {
      const { script, coin, funding } = (await newestWatched.first(session, {}))!;
      return `${script} ${coin} ${funding}`;
    },
    /** Outpoints of live coins that are unspent, or spent without confirmation. */
    watchedOutpoints: (afterId: bigint, onChunk: (outpoints: Outpoint[]) => void) =>
      inChunks(
        afterId,
        (range) => outpointsAfter.all(session, range),
        (rows) => onChunk(rows.map(toOutpoint)),
      ),
    /** Funding outputs of contracts that no block's transaction spends. */
    watchedFundings: (afterId: bigint, onChunk: (outpoints: Outpoint[]) => void) =>
      inChunks(
        afterId,
        (range) => fundingsAfter.all(session, range),
        (rows) => onChunk(rows.map(toOutpoint)),
      ),
    /** What unconfirmed transactions (signed, broadcast, or dropped but not final) spend, ours or not, for conflict detection. */
    unconfirmedInputs: async () => (await unconfirmedInputs.all(session, {})).map(toOutpoint),
    /** Rows of all wallets (of all accounts) that own one of these scripts. */
    scriptsMatching: async (scriptPubKeys: readonly string[]) =>
      (await scriptsMatching.all(session, { scripts: textList(scriptPubKeys) })).map(scripts.record),
    /** Until the job ends no other claims or spends them. */
    coinsAt: async (outpoints: readonly Outpoint[]) =>
      (await coinsAt.all(session, { outpoints: outpointList(outpoints) })).map(coins.record),
    coinsOf: (txid: Txid) => coins.all(session, { txid }, 'order by coin_id'),
    /** Records, in any account, of this txid; until the job ends no other changes them. */
    transactionsOf: (txid: Txid) => transactions.allForUpdate(session, { txid }, 'order by account_id'),
    /** Records that spend one of these outpoints, other than `except`, whatever their status. */
    spendersOf: async (outpoints: readonly Outpoint[], except: Txid) =>
      (await spendersOf.all(session, { outpoints: outpointList(outpoints), except })).map(transactions.record),
    /** Records, in any account, that spend an output of `txid`, whatever their status: its descendants of the first degree. */
    childrenOf: async (txid: Txid) => (await childrenOf.all(session, { txid })).map(transactions.record),
    transactionsInBlock: (blockHeight: number, blockHash: BlockHash) =>
      transactions.all(session, { blockHeight, blockHash }, 'order by account_id, ordinal'),
    /** signed, broadcast: what should be in a mempool; oldest first. */
    unconfirmed: async () => (await unconfirmed.all(session, {})).map(transactions.record),
    /** Leaves coins that are there (same wallet and outpoint) as they stand. */
    insertCoins: async (found: readonly CoinRecord[]) => {
      await coins.insert(session, found);
    },
    /** height: the creating transaction's block (null: unconfirmed again); live: see schema. Applies to every wallet's row of the coin. */
    updateCoinsOf: async (
      txid: Txid,
      { height, live, own }: { height?: number | null; live?: boolean; own?: boolean },
    ) => {
      await coins.update(session, { txid }, { height, live, own });
    },
    spendCoins: async (outpoints: readonly Outpoint[], by: Txid, height: number | null) => {
      await spendCoins.run(session, { outpoints: outpointList(outpoints), by, height: bigintOrNull(height) });
    },
    /** Coins spent by `txid` become unspent. Answers them. */
    unspendCoins: async (by: Txid) => (await unspendCoins.all(session, { by })).map(toOutpoint),
    freezeCoin: async ({ txid, vout }: Outpoint) => {
      await coins.update(session, { txid, vout }, { frozen: true });
    },
    markScriptsUsed: async (used: readonly Pick<ScriptRecord, 'walletId' | 'scriptPubKey'>[], at: number) => {
      for (const { walletId, scriptPubKey } of used) {
        await scripts.update(session, { scriptPubKey, walletId, usedAt: null }, { usedAt: at });
      }
    },
    wallet: (walletId: WalletId) => wallets.find(session, { walletId }),
    /** Wallets whose scan is queued or was interrupted. */
    walletsToScan: async () => (await toScan.all(session, {})).map(wallets.record),
  };
}
