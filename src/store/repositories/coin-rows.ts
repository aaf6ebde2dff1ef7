import type { Generated, Selectable } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Outpoint, Txid } from '../../core/outpoint.ts';
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
import { rowsOf } from '../queries/rows-of.ts';
import { numberOrNull } from './column-values.ts';

const coinsTable = table('coins', ['txid', 'vout'], {
  walletId: text<WalletId>(),
  accountId: text<AccountId>(),
  txid: text<Txid>(),
  vout: integer,
  amountSats: sats,
  scriptPubKey: named('script_pubkey', text()),
  change: flag,
  index: named('derivation_index', integer),
  coinbase: flag,
  /** While the creating transaction can still be or is in the chain; not once it is replaced, conflicted, abandoned or failed. */
  live: flag,
  /** The creating transaction is our own payment (its change may be spent unconfirmed). */
  own: flag,
  /** The creating transaction's version, for TRUC (3). */
  txVersion: integer,
  height: orNull(integer),
  spentBy: orNull(text<Txid>()),
  spentHeight: orNull(integer),
  locked: flag,
  frozen: flag,
  label: orNull(text()),
  createdAt: time,
});
export type CoinRecord = RecordOf<typeof coinsTable>;

declare module '../schema.ts' {
  interface Schema {
    coins: RowOf<typeof coinsTable> & { coin_id: Generated<bigint> };
  }
}

export const toOutpoint = (row: { txid: string; vout: bigint }): Outpoint => ({
  txid: row.txid as Txid,
  vout: Number(row.vout),
});

const toCoin = (row: Selectable<RowOf<typeof coinsTable>>): CoinRecord => ({
  walletId: row.wallet_id as WalletId,
  accountId: row.account_id as AccountId,
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
export const coins = rowsOf(coinsTable, 'on conflict (txid, vout, wallet_id) do nothing', toCoin);
