/** A table as its repository uses it: the fields of a record, and how each is stored. Rows, inserts, patches and pages follow from it. */

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
/** Epoch milliseconds. */
export const time = integer;
export const sats: Column<bigint, bigint> = { load: same, store: same };
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

type Snake<S extends string> = S extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Rest>}`
  : '';
/** Fields whose column is not named by them in snake_case. */
const NAMES = { scriptPubKey: 'script_pubkey', tree: 'script_tree' } as const;
type NameOf<F extends string> = F extends keyof typeof NAMES ? (typeof NAMES)[F] : Snake<F>;

/** The column of a record's field. */
export const columnOf = (field: string): string =>
  (NAMES as Record<string, string>)[field] ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Columns<R> = {
  readonly [F in keyof R & string]: { load: (stored: never) => R[F]; store: (value: R[F]) => unknown };
};

export interface Table<R, N extends string, C> {
  readonly name: N;
  /** What finds one record: its id, of more than one field where it has them, and the account. */
  readonly key: readonly (keyof R & string)[];
  readonly columns: C;
}

/** A row, as it is read and written. */
export type RowOf<T> =
  T extends Table<infer _R, infer _N, infer C>
    ? { [F in keyof C & string as NameOf<F>]: C[F] extends { load: (stored: infer S) => unknown } ? S : never }
    : never;

/** `table<ApiKeyRecord>()('api_keys', ['keyId', 'accountId'], { keyId: text(), … })`: a column for every field. */
export const table =
  <R>() =>
  <const N extends string, C extends Columns<R>>(
    name: N,
    key: readonly (keyof R & string)[],
    columns: C,
  ): Table<R, N, C> => ({ name, key, columns });
