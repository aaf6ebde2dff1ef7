/**
 * Lists of any length as one parameter, a JSON text: one statement text however long the list is, and no limit on the
 * number of variables to run into.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import type { Outpoint } from '../../core/outpoint.ts';
import type { DatabaseKind } from './session.ts';

/** `column` is among the texts of the JSON array `list`. */
export function amongTexts(kind: DatabaseKind, column: string, list: string): RawBuilder<SqlBool> {
  return kind === 'sqlite'
    ? sql`${sql.ref(column)} in (select value from json_each(${list}))`
    : sql`${sql.ref(column)} in (select value from json_array_elements_text(${list}::json))`;
}

/**
 * The account's, among rows that their ids find: SQLite, which does not know how many there are, would go through all of the account's instead
 * if an index begins with it.
 */
export const ofAccountByIds = (kind: DatabaseKind, accountId: AccountId): RawBuilder<SqlBool> =>
  kind === 'sqlite' ? sql`+account_id = ${accountId}` : sql`account_id = ${accountId}`;

/** The pair of columns is among the outpoints of `list`, as outpointList writes them. */
export function amongOutpoints(kind: DatabaseKind, txid: string, vout: string, list: string): RawBuilder<SqlBool> {
  const pair = sql`(${sql.ref(txid)}, ${sql.ref(vout)})`;
  return kind === 'sqlite'
    ? sql`${pair} in (select value ->> 0, value ->> 1 from json_each(${list}))`
    : sql`${pair} in (select value ->> 0, (value ->> 1)::int8 from json_array_elements(${list}::json))`;
}

export const textList = (texts: readonly string[]): string => JSON.stringify(texts);
export const outpointList = (outpoints: readonly Outpoint[]): string =>
  JSON.stringify(outpoints.map(({ txid, vout }) => [txid, vout]));
