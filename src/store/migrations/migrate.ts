import { setTimeout as nextTimers } from 'node:timers/promises';
import { MIGRATIONS } from '../contents.ts';
import type { DatabaseKind } from '../queries/session.ts';
import { columnTypes, type Migration } from './dialect.ts';

/** The database cannot be used by this program as it stands; the message says what to do about it. */
export class DatabaseRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DatabaseRefused';
  }
}

/** The connection that holds the transaction, and the lock, within which migrations run. */
export interface MigrationConnection {
  readonly kind: DatabaseKind;
  run(sql: string, parameters?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Told before the first statement of a migration and, once a second, before others: where there is much to migrate one may take minutes. */
  progress(at: { version: number; name: string; statement: number; of: number }): void;
}

const EVERY_MS = 1_000;
/** Told always: such a statement can take minutes, and the last line must be its own. */
const GOES_OVER_ROWS = /^\s*(UPDATE|INSERT INTO \w+ [^V]*SELECT|CREATE (UNIQUE )?INDEX)/;

/**
 * Brings the database forward to the newest version in the caller's transaction; answers the versions applied.
 * @throws DatabaseRefused where the database is newer than `migrations`, or holds others.
 */
export async function migrate(
  connection: MigrationConnection,
  now: number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<number[]> {
  const types = columnTypes[connection.kind];
  await connection.run(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
      version ${types.integer} NOT NULL PRIMARY KEY,
      name ${types.text} NOT NULL,
      applied_at ${types.integer} NOT NULL
    ) ${types.table}`,
  );
  const rows = await connection.run('SELECT version FROM schema_migrations ORDER BY version');
  const applied = rows.map((row) => Number(row.version));
  const newest = migrations.at(-1)?.version ?? 0;
  const found = applied.at(-1) ?? 0;
  if (found > newest) {
    throw new DatabaseRefused(
      `The database is at version ${found}, and this program knows versions up to ${newest}: it was used by a newer program. ` +
        'Run that program, or restore the backup that was made before the upgrade.',
    );
  }
  const slots = connection.kind === 'sqlite' ? '?, ?, ?' : '$1, $2, $3';
  const done: number[] = [];
  for (const migration of migrations) {
    // Not by the highest: one between may have come later.
    if (applied.includes(migration.version)) continue;
    const { version, name } = migration;
    const statements = migration.statements(types);
    let told = Number.NEGATIVE_INFINITY;
    for (const [index, statement] of statements.entries()) {
      if (found > 0 && (GOES_OVER_ROWS.test(statement) || performance.now() - told >= EVERY_MS)) {
        connection.progress({ version, name, statement: index + 1, of: statements.length });
        // On SQLite nothing else lets the event loop turn, and the log writes its lines by a timer.
        await nextTimers(1);
        told = performance.now();
      }
      await connection.run(statement);
    }
    await connection.run(`INSERT INTO schema_migrations (version, name, applied_at) VALUES (${slots})`, [
      BigInt(version),
      name,
      BigInt(now),
    ]);
    done.push(version);
  }
  return done;
}

/** Whether a database at these versions would be migrated. */
export function isBehind(applied: readonly number[], migrations: readonly Migration[] = MIGRATIONS): boolean {
  return migrations.some(({ version }) => !applied.includes(version));
}
