/** `ashlar master-key rotate [--to FILE]`: a new master key, and everything that the old one wraps wrapped by it. */
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { rotateMasterKey } from '../services/secrets/rotate-master-key.ts';
import { progressBar } from './progress-bar.ts';
import { recordCommand } from './record-command.ts';
import { printJson, type Terminal } from './terminal.ts';
import { usage } from './usage-error.ts';
import { withStore } from './with-store.ts';

export async function masterKey(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const [verb, option, file, ...more] = args;
  if (verb !== 'rotate' || more.length > 0 || (option === '--to' ? !file : option !== undefined)) {
    throw usage('ashlar master-key rotate [--to FILE]');
  }
  const to = file === undefined ? undefined : resolve(file);
  const path = config.masterKeyFile ?? join(config.dataDir, 'master.key');
  // As the service would: on SQLite it is refused while one runs.
  await withStore(config, 'service', async (store) => {
    const bar = progressBar('wrapping keys anew', process.stderr);
    const rotation = await store.exclusively('masterKey', new AbortController().signal, () =>
      rotateMasterKey({
        ...{ store, path, randomBytes, onProgress: bar.show, recordChange: recordCommand },
        ...(to === undefined ? {} : { to }),
      }).finally(bar.end),
    );
    printJson(terminal, {
      key_id: rotation.keyId,
      master_key_file: rotation.masterKeyFile,
      former_key_file: rotation.formerKeyFile,
      rewrapped: rotation.rewrapped,
    });
    terminal.err(
      `Backups of the database that were made before open only with ${rotation.formerKeyFile}: keep it as long as you keep them.`,
    );
    if (to !== undefined) terminal.err(`Set MASTER_KEY_FILE to ${to} before the next start.`);
    if (store.kind === 'postgres') {
      terminal.err(
        `Every process on this database must be restarted with ${rotation.masterKeyFile}: until then those that run open no wallet, and a start with the old file is refused.`,
      );
    }
  });
}
