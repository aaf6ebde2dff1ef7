/** `ashlar keys create|list|revoke`: straight at the database, for whoever can read it. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import type { Config } from '../config.ts';
import { createAccounts } from '../services/credentials/accounts.ts';
import { addressList, createApiKeys } from '../services/credentials/api-keys.ts';
import type { ApiKeyRecord, Role, Tier } from '../store/records.ts';
import { printJson, type Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { withStore } from './with-store.ts';

const ROLES = ['viewer', 'operator', 'admin'] as const satisfies readonly Role[];
const TIERS = ['free', 'standard', 'pro', 'enterprise', 'custom'] as const satisfies readonly Tier[];
const SCOPE = /^(\*|[a-z][a-z-]*:(read|write))$/;
const DEFAULT_ACCOUNT = 'default';

export async function keys(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const [action, ...rest] = args;
  if (action === 'create') return createKey(config, rest, terminal);
  if (action === 'list') return listKeys(config, rest, terminal);
  if (action === 'revoke') return revokeKey(config, rest, terminal);
  throw new UsageError('ashlar keys create|list|revoke');
}

async function createKey(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      account: { type: 'string', default: DEFAULT_ACCOUNT },
      role: { type: 'string', default: 'operator' },
      scope: { type: 'string', multiple: true, default: ['*'] },
      tier: { type: 'string', default: 'standard' },
      expires: { type: 'string' },
      'allow-ip': { type: 'string', multiple: true },
    },
  });
  if (!values.name) throw new UsageError('ashlar keys create --name NAME: a name is needed, to know the key by');
  const wrongScope = values.scope.find((scope) => !SCOPE.test(scope));
  if (wrongScope !== undefined) {
    throw new UsageError(`--scope ${wrongScope}: it must look like wallets:read or wallets:write, or be * for all`);
  }
  const key = {
    name: values.name,
    role: oneOf('--role', ROLES, values.role),
    scopes: values.scope,
    tier: oneOf('--tier', TIERS, values.tier),
    expiresAt: values.expires === undefined ? null : futureTime(values.expires),
    allowedIps: values['allow-ip'] ?? null,
  };
  if (key.allowedIps !== null) addressList(key.allowedIps);
  await withStore(config, async (store) => {
    const { accountId } = await accountsOf(store).find(values.account);
    const { apiKey, record } = await keysOf(store).create({ ...key, accountId });
    printJson(terminal, { api_key: apiKey, ...present(record) });
    terminal.err('This is the only time the key is shown.');
  });
}

async function listKeys(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const { values } = parseArgs({ args, options: { account: { type: 'string', default: DEFAULT_ACCOUNT } } });
  await withStore(config, async (store) => {
    const { accountId } = await accountsOf(store).find(values.account);
    printJson(terminal, { data: (await keysOf(store).list(accountId)).map(present) });
  });
}

async function revokeKey(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { account: { type: 'string', default: DEFAULT_ACCOUNT } },
  });
  const [keyId] = positionals;
  if (keyId === undefined || positionals.length > 1) throw new UsageError('ashlar keys revoke KEY_ID [--account NAME]');
  await withStore(config, async (store) => {
    const { accountId } = await accountsOf(store).find(values.account);
    await keysOf(store).revoke(accountId, keyId);
    printJson(terminal, { key_id: keyId, revoked: true });
  });
}

type Store = Parameters<typeof createAccounts>[0]['store'];
const accountsOf = (store: Store) => createAccounts({ store, randomBytes, clock: Date.now });
const keysOf = (store: Store) => createApiKeys({ store, randomBytes, clock: Date.now, log: pino({ level: 'silent' }) });

function present(key: ApiKeyRecord) {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    key_id: key.keyId,
    account_id: key.accountId,
    name: key.name,
    prefix: `ak_${key.prefix}`,
    role: key.role,
    scopes: key.scopes,
    tier: key.tier,
    allowed_ips: key.allowedIps,
    expires_at: time(key.expiresAt),
    revoked_at: time(key.revokedAt),
    last_used_at: time(key.lastUsedAt),
    created_at: time(key.createdAt),
  };
}

function oneOf<T extends string>(option: string, allowed: readonly T[], value: string): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new UsageError(`${option} ${value}: it must be one of ${allowed.join(', ')}`);
  return found;
}

function futureTime(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at) || at <= Date.now()) {
    throw new UsageError(`--expires ${text}: it must be a time to come such as 2027-12-31T00:00:00Z`);
  }
  return at;
}
