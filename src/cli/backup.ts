/** `ashlar backup FILE` copies the database of a service that may be running; `ashlar restore FILE` puts a copy back. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { DATABASE_BACKUP } from '../services/compliance/checks.ts';
import { sqlitePath } from '../store/open-store.ts';
import { restoreSqlite } from '../store/sqlite/restore.ts';
import { parseArguments } from './arguments.ts';
import { printJson, type Terminal } from './terminal.ts';
import { UsageError, usage } from './usage-error.ts';
import { withStore } from './with-store.ts';

export async function backup(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const file = fileArgument('backup', args);
  await withStore(config, async (store) => {
    const at = Date.now();
    await store.backupTo(file);
    await store.write((tx) => tx.settings.set(DATABASE_BACKUP, String(at)));
  });
  printJson(terminal, { file });
  terminal.err('Its secrets open only with the master key, which is not in it: keep that too, elsewhere.');
}

export async function restore(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const file = fileArgument('restore', args);
  if (config.databaseUrl !== null)
    throw new UsageError('DATABASE_URL names PostgreSQL: restore with pg_restore or psql');
  const { frozenEvents } = await restoreSqlite(file, sqlitePath(config.dataDir), Date.now());
  printJson(terminal, { data_dir: config.dataDir, frozen_events: frozenEvents });
  if (frozenEvents > 0) {
    terminal.err(
      `${frozenEvents} events of local oracles were not attested in the backup. They may have been since, so that they are attested no more; new events are.`,
    );
  }
  const key = config.masterKeyFile ?? join(config.dataDir, 'master.key');
  if (!existsSync(key)) terminal.err(`Put the master key of the backed up service at ${key} before the first start.`);
}

function fileArgument(command: string, args: string[]): string {
  const { positionals } = parseArguments({ args, allowPositionals: true, options: {} });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw usage(`ashlar ${command} FILE`);
  return resolve(file);
}
