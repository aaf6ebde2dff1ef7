/** A table as its repository uses it: the fields of a record, and how each is stored. Rows, inserts, patches and pages follow from it. */
import type { Generated } from 'kysely';

export interface Column<T, S> {
  readonly load: (stored: S) => T;
  readonly store: (value: T) => S;
}

const same = <T>(value: T): T => value;

export const text = <T extends string = string>(): Column<T, string> => ({
  load: (stored) => stored as T,
  store: same,
});
export const integer: Column<number, bigint> = { load: Number, store: BigInt };
/** Epoch milliseconds. @alias */
export const time = integer;
/** A bigint here too. */
export const whole: Column<bigint, bigint> = { load: same, store: same };
/** @alias */
export const sats = whole;
export const bytes: Column<Uint8Array, Uint8Array> = { load: same, store: same };
/** 0 or 1. */
export const flag: Column<boolean, bigint> = { load: (stored) => stored === 1n, store: (value) => (value ? 1n : 0n) };
export const json = <T>(): Column<T, string> => ({
  load: (stored) => JSON.parse(stored) as T,
  store: (value) => JSON.stringify(value),
});
export const orNull = <T, S>({ load, store }: Column<T, S>): Column<T | null, S | null> => ({
  load: (stored) => (stored === null ? null : load(stored)),
  store: (value) => (value === null ? null : store(value)),
});
/** Where the column's name is not the field's in snake_case. */
export const named = <const M extends string, C>(column: M, of: C) => ({ ...of, column });
/** Written by statements of their own: in no INSERT and no patch. */
export const readOnly = <C>(of: C) => ({ ...of, readOnly: true as const });
/** Of other tables: what a SELECT says for it. */
export const selected = <C>(sql: string, of: C) => ({ ...of, sql });

type Snake<S extends string> = S extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Rest>}`
  : '';
type NameOf<F extends string, C> = C extends { column: infer M extends string } ? M : Snake<F>;
type Stored<C> = C extends { load: (stored: infer S) => unknown } ? S : never;
type StoredOf<C> = C extends { readOnly: true } ? Generated<Stored<C>> : Stored<C>;

interface Columns {
  readonly [field: string]: { load: (stored: never) => unknown; store: unknown };
}

/** A record, as its columns load it. */
type Loaded<C> = { readonly [F in keyof C]: C[F] extends { load: (stored: never) => infer T } ? T : never };

export interface Table<R, N extends string, C, D> {
  readonly name: N;
  /** What tells records of one time apart in pages. */
  readonly id: readonly (keyof R & string)[];
  readonly columns: C;
  /** Columns of no field, that follow from the record. */
  readonly derived: D;
}

/** A row, as it is read and written. */
export type RowOf<T> =
  T extends Table<infer _R, infer _N, infer C, infer D>
    ? {
        [F in keyof C & string as C[F] extends { sql: string } ? never : NameOf<F, C[F]>]: StoredOf<C[F]>;
      } & { [M in keyof D]: D[M] extends (record: never) => infer S ? S : never }
    : never;

export type RecordOf<T> = T extends Table<infer _R, infer _N, infer C, infer _D> ? Loaded<C> : never;

/** `table('api_keys', ['keyId'], { keyId: text(), … })`. */
export const table = <
  const N extends string,
  C extends Columns,
  D extends Record<string, (record: Loaded<C>) => unknown> = Record<never, never>,
>(
  name: N,
  id: readonly (keyof C & string)[],
  columns: C,
  derived = {} as D,
): Table<Loaded<C>, N, C, D> => ({ name, id, columns, derived });
