import { StoreUnavailable } from '../../core/errors.ts';
import { unavailableIfExhausted } from '../../outages/exhausted.ts';

/** SQLite's primary result code, where the error is SQLite's. */
const sqliteCode = (error: unknown): number | null =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : null;

const SQLITE_BUSY = 5;

export const isBusy = (error: unknown): boolean => sqliteCode(error) === SQLITE_BUSY;

interface Outage {
  readonly message: string;
  readonly retryAfterSeconds: number;
  readonly writesOnly?: true;
}

const UNREADABLE: Outage = {
  message: "the database's disk does not read or write: try again later",
  retryAfterSeconds: 10,
};

/** Primary result codes (sqlite.org/rescode.html) that are the machine's doing, and pass without a change of ours. */
const OUTAGES: Readonly<Record<number, Outage>> = {
  [SQLITE_BUSY]: { message: 'the database is busy with another process: try again shortly', retryAfterSeconds: 1 },
  // SQLITE_NOMEM
  7: { message: 'the database has no memory left: try again later', retryAfterSeconds: 10 },
  // SQLITE_READONLY
  8: {
    message: "the database's disk is read-only: nothing is written until it is not",
    retryAfterSeconds: 10,
    writesOnly: true,
  },
  // SQLITE_IOERR, SQLITE_CANTOPEN
  10: UNREADABLE,
  14: UNREADABLE,
  // SQLITE_FULL
  13: {
    message: "no room is left on the database's disk: nothing is written until there is; try again later",
    retryAfterSeconds: 10,
    writesOnly: true,
  },
  // SQLITE_PROTOCOL: the lock of the write-ahead log was not to be had.
  15: { message: 'the database is busy with another process: try again shortly', retryAfterSeconds: 1 },
};

/** What a caller is told when the file cannot be written or read just now; anything else passes through. */
export function asDomainError(error: unknown): unknown {
  const outage = OUTAGES[sqliteCode(error) ?? -1];
  return outage === undefined
    ? unavailableIfExhausted(error)
    : new StoreUnavailable(outage.message, { ...outage, cause: error });
}
