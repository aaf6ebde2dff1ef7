import type { Generated, Selectable } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { flag, integer, named, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { rowsOf } from '../queries/rows-of.ts';
import { numberOrNull } from './column-values.ts';

/** Every script a wallet watches: one row per derived address. */
const scriptsTable = table('scripts', ['scriptPubKey'], {
  walletId: text<WalletId>(),
  accountId: text<AccountId>(),
  /** hex */
  scriptPubKey: named('script_pubkey', text()),
  change: flag,
  index: named('derivation_index', integer),
  address: text(),
  label: orNull(text()),
  /** When a caller (or a payment, for change) took it; null for look-ahead scripts within the gap limit. */
  reservedAt: orNull(time),
  /** When a transaction first paid to it. */
  usedAt: orNull(time),
});
export type ScriptRecord = RecordOf<typeof scriptsTable>;

declare module '../schema.ts' {
  interface Schema {
    scripts: RowOf<typeof scriptsTable> & { script_id: Generated<bigint> };
  }
}

const toScript = (row: Selectable<RowOf<typeof scriptsTable>>): ScriptRecord => ({
  walletId: row.wallet_id as WalletId,
  accountId: row.account_id as AccountId,
  scriptPubKey: row.script_pubkey,
  change: row.change === 1n,
  index: Number(row.derivation_index),
  address: row.address,
  label: row.label,
  reservedAt: numberOrNull(row.reserved_at),
  usedAt: numberOrNull(row.used_at),
});

export const scripts = rowsOf(scriptsTable, 'on conflict do nothing', toScript);
