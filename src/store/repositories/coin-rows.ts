import type { Selectable } from 'kysely';
import type { Outpoint, Txid } from '../../core/outpoint.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { CoinRecord } from '../records.ts';
import type { RowOf } from '../tables/columns.ts';
import { coins as table } from '../tables/wallets.ts';
import { numberOrNull } from './column-values.ts';

export const toOutpoint = (row: { txid: string; vout: bigint }): Outpoint => ({
  txid: row.txid as Txid,
  vout: Number(row.vout),
});

const toCoin = (row: Selectable<RowOf<typeof table>>): CoinRecord => ({
  walletId: row.wallet_id,
  accountId: row.account_id,
  txid: row.txid as Txid,
  vout: Number(row.vout),
  amountSats: row.amount_sats,
  scriptPubKey: row.script_pubkey,
  change: row.change === 1n,
  index: Number(row.derivation_index),
  coinbase: row.coinbase === 1n,
  live: row.live === 1n,
  own: row.own === 1n,
  txVersion: Number(row.tx_version),
  height: numberOrNull(row.height),
  spentBy: row.spent_by as Txid | null,
  spentHeight: numberOrNull(row.spent_height),
  locked: row.locked === 1n,
  frozen: row.frozen === 1n,
  label: row.label,
  createdAt: Number(row.created_at),
});

/** An INSERT leaves a coin that is there as it stands: its state may have moved on since. */
export const coins = rowsOf(table, 'on conflict (txid, vout, wallet_id) do nothing', toCoin);
