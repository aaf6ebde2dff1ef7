/**
 * The tables, as Kysely sees them on both databases: each adds itself where it is declared, in its repository's file. Integers are bigint in
 * both directions (SQLite is read with bigints, PostgreSQL's int8 is parsed as bigint), JSON is text, booleans are 0/1, times are epoch
 * milliseconds, bytes are BLOB/BYTEA. Migrations (migrations/) are the source of truth.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the tables add themselves
export interface Schema {}
