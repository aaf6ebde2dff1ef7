/** `ashlar accounts create|list`. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import { createAccounts } from '../services/credentials/accounts.ts';
import type { AccountRecord } from '../store/records.ts';
import { printJson, type Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { withStore } from './with-store.ts';

export async function accounts(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const [action, name, ...more] = positionals;
  if (action === 'create' && name !== undefined && more.length === 0) {
    await withStore(config, async (store) => {
      const account = await createAccounts({ store, randomBytes, clock: Date.now }).create(name);
      printJson(terminal, present(account));
    });
  } else if (action === 'list' && name === undefined) {
    await withStore(config, async (store) => {
      const all = await createAccounts({ store, randomBytes, clock: Date.now }).list();
      printJson(terminal, { data: all.map(present) });
    });
  } else {
    throw new UsageError('ashlar accounts create NAME, or ashlar accounts list');
  }
}

const present = ({ accountId, name, createdAt, frozenAt }: AccountRecord) => ({
  account_id: accountId,
  name,
  frozen: frozenAt !== null,
  created_at: new Date(createdAt).toISOString(),
});
