import type { Insertable, Selectable } from 'kysely';
import type { ScriptRecord } from '../records.ts';
import type { Schema } from '../schema.ts';
import { bigintOrNull, flag, numberOrNull } from './column-values.ts';

export const toScript = (row: Selectable<Schema['scripts']>): ScriptRecord => ({
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

export const scriptColumns = (script: ScriptRecord): Insertable<Schema['scripts']> => ({
  wallet_id: script.walletId,
  account_id: script.accountId,
  script_pubkey: script.scriptPubKey,
  change: flag(script.change),
  derivation_index: BigInt(script.index),
  address: script.address,
  label: script.label,
  reserved_at: bigintOrNull(script.reservedAt),
  used_at: bigintOrNull(script.usedAt),
});
