import type { Insertable, Selectable } from 'kysely';
import type { Outpoint, Txid } from '../../core/outpoint.ts';
import { insertRows } from '../queries/insert-rows.ts';
import type { CoinRecord } from '../records.ts';
import type { Schema } from '../schema.ts';
import { bigintOrNull, flag, numberOrNull } from './column-values.ts';

export const toOutpoint = (row: { txid: string; vout: bigint }): Outpoint => ({
  txid: row.txid as Txid,
  vout: Number(row.vout),
});

export const toCoin = (row: Selectable<Schema['coins']>): CoinRecord => ({
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

export const coinColumns = (coin: CoinRecord): Insertable<Schema['coins']> => ({
  wallet_id: coin.walletId,
  account_id: coin.accountId,
  txid: coin.txid,
  vout: BigInt(coin.vout),
  amount_sats: coin.amountSats,
  script_pubkey: coin.scriptPubKey,
  change: flag(coin.change),
  derivation_index: BigInt(coin.index),
  coinbase: flag(coin.coinbase),
  live: flag(coin.live),
  own: flag(coin.own),
  tx_version: BigInt(coin.txVersion),
  height: bigintOrNull(coin.height),
  spent_by: coin.spentBy,
  spent_height: bigintOrNull(coin.spentHeight),
  locked: flag(coin.locked),
  frozen: flag(coin.frozen),
  label: coin.label,
  created_at: BigInt(coin.createdAt),
});

/** Leaves a coin that is there as it stands: its state may have moved on since. */
export const insertMissingCoins = insertRows(
  'coins',
  [
    'wallet_id',
    'account_id',
    'txid',
    'vout',
    'amount_sats',
    'script_pubkey',
    'change',
    'derivation_index',
    'coinbase',
    'live',
    'own',
    'tx_version',
    'height',
    'spent_by',
    'spent_height',
    'locked',
    'frozen',
    'label',
    'created_at',
  ],
  'on conflict (txid, vout, wallet_id) do nothing',
);
