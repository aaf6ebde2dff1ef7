import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { Config } from '../config.ts';
import { createAccounts } from '../services/credentials/accounts.ts';
import { createApiKeys } from '../services/credentials/api-keys.ts';
import { createSigningKeys } from '../services/credentials/signing-keys.ts';
import type { Store } from '../store/store.ts';
import { recordCommand } from './record-command.ts';

/** Accounts and API keys straight at the database, for whoever can read it; what they change is on the record. */
export function credentialServices(store: Store, { signaturePolicy }: Pick<Config, 'signaturePolicy'>) {
  const base = {
    store,
    randomBytes,
    clock: Date.now,
    log: pino({ level: 'silent' }),
    signaturePolicy,
    recordChange: recordCommand,
  };
  const deps = { ...base, signingKeys: createSigningKeys(base) };
  return { accounts: createAccounts(deps), apiKeys: createApiKeys(deps) };
}
