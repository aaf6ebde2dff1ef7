import type { Selectable } from 'kysely';
import { rowsOf } from '../queries/rows-of.ts';
import type { ScriptRecord } from '../records.ts';
import type { RowOf } from '../tables/columns.ts';
import { scripts as table } from '../tables/wallets.ts';
import { numberOrNull } from './column-values.ts';

const toScript = (row: Selectable<RowOf<typeof table>>): ScriptRecord => ({
  walletId: row.wallet_id,
  accountId: row.account_id,
  scriptPubKey: row.script_pubkey,
  change: row.change === 1n,
  index: Number(row.derivation_index),
  address: row.address,
  label: row.label,
  reservedAt: numberOrNull(row.reserved_at),
  usedAt: numberOrNull(row.used_at),
});

export const scripts = rowsOf(table, 'on conflict do nothing', toScript);
