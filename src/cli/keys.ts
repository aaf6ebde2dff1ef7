/** `ashlar keys create|list|revoke|rotate`: straight at the database, for whoever can read it. */
import type { Config } from '../config.ts';
import { ROLES, scopeProblem, TIERS } from '../core/access.ts';
import { scopeWarnings } from '../core/scope-roles.ts';
import { addressList } from '../services/credentials/address-list.ts';
import { isActive } from '../services/credentials/credential-record.ts';
import { MAX_OVERLAP_SECONDS, USUAL_OVERLAP_SECONDS } from '../services/credentials/issue-api-key.ts';
import type { ApiKeyRecord } from '../store/records.ts';
import { parseArguments } from './arguments.ts';
import { credentialServices } from './credential-services.ts';
import { keepSecrets, publicKeyIn } from './issued-credentials.ts';
import { printJson, type Terminal } from './terminal.ts';
import { UsageError, usage } from './usage-error.ts';
import { withStore } from './with-store.ts';

const ACCOUNT = { account: { type: 'string', default: 'default' } } as const;
const NEW_CREDENTIALS = {
  expires: { type: 'string' },
  'public-key': { type: 'string' },
  out: { type: 'string' },
} as const;

const ACTIONS: Record<string, (config: Config, args: string[], terminal: Terminal) => Promise<void>> = {
  create: createKey,
  list: listKeys,
  revoke: revokeKey,
  rotate: rotateKey,
};

export async function keys(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const [name = '', ...rest] = args;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) throw usage(`ashlar keys ${Object.keys(ACTIONS).join('|')}`);
  await action(config, rest, terminal);
}

async function createKey(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const { values } = parseArguments({
    args,
    options: {
      ...ACCOUNT,
      ...NEW_CREDENTIALS,
      name: { type: 'string' },
      role: { type: 'string', default: 'operator' },
      scope: { type: 'string', multiple: true },
      tier: { type: 'string', default: 'standard' },
      'allow-ip': { type: 'string', multiple: true },
      'require-signature': { type: 'string', default: 'true' },
      'may-grant': { type: 'boolean', default: false },
    },
  });
  if (!values.name) throw usage('ashlar keys create --name NAME: a name is needed, to know the key by');
  const scopes = values.scope ?? ['*'];
  for (const scope of scopes) {
    const problem = scopeProblem(scope);
    if (problem !== null) throw new UsageError(`--scope ${scope}: ${problem}`);
  }
  const requireSignature = oneOf('--require-signature', ['true', 'false'], values['require-signature']) === 'true';
  if (!requireSignature && config.signaturePolicy === 'required') {
    throw new UsageError('--require-signature false: it needs SIGNATURE_POLICY=per-key');
  }
  const key = {
    name: values.name,
    role: oneOf('--role', ROLES, values.role),
    scopes,
    tier: oneOf('--tier', TIERS, values.tier),
    allowedIps: values['allow-ip'] ?? null,
    requireSignature,
    mayGrant: values['may-grant'],
    ...futureTime(values.expires),
  };
  if (key.allowedIps !== null) addressList(key.allowedIps);
  const publicKey = publicKeyIn(values['public-key']);
  if (values.scope === undefined) {
    terminal.err(
      `No --scope is given: the key may do all that the role ${key.role} may. Less: --scope wallets:read --scope transactions:write`,
    );
  }
  await withStore(config, async (store) => {
    const { accounts, apiKeys } = credentialServices(store, config);
    const { accountId } = await accounts.find(values.account);
    const issue = async () => {
      const issued = await apiKeys.issue({ ...key, accountId }, publicKey);
      return { key: issued, shown: { ...present(issued.record), warnings: scopeWarnings(issued.record) } };
    };
    printJson(terminal, await keepSecrets(values.out, terminal, issue));
  });
}

async function listKeys(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const { values } = parseArguments({ args, options: ACCOUNT });
  await withStore(config, async (store) => {
    const { accounts, apiKeys } = credentialServices(store, config);
    const { accountId } = await accounts.find(values.account);
    printJson(terminal, { data: (await apiKeys.list(accountId)).map(present) });
  });
}

async function revokeKey(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArguments({ args, allowPositionals: true, options: ACCOUNT });
  const keyId = onlyArgument(positionals, 'ashlar keys revoke API_KEY_ID [--account NAME]');
  await withStore(config, async (store) => {
    const { accounts, apiKeys } = credentialServices(store, config);
    const { accountId } = await accounts.find(values.account);
    await apiKeys.revoke(accountId, keyId);
    printJson(terminal, { api_key_id: keyId, revoked: true });
  });
}

async function rotateKey(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArguments({
    args,
    allowPositionals: true,
    options: {
      ...ACCOUNT,
      ...NEW_CREDENTIALS,
      'overlap-seconds': { type: 'string', default: String(USUAL_OVERLAP_SECONDS) },
    },
  });
  const keyId = onlyArgument(positionals, 'ashlar keys rotate API_KEY_ID [--overlap-seconds N] [--out FILE]');
  const overlapSeconds = Number(values['overlap-seconds']);
  if (!/^\d+$/.test(values['overlap-seconds']) || overlapSeconds > MAX_OVERLAP_SECONDS) {
    throw new UsageError(`--overlap-seconds must be a whole number from 0 to ${MAX_OVERLAP_SECONDS}`);
  }
  const rotation = { overlapSeconds, createdBy: null, ...futureTime(values.expires) };
  const publicKey = publicKeyIn(values['public-key']);
  await withStore(config, async (store) => {
    const { accounts, apiKeys } = credentialServices(store, config);
    const { accountId } = await accounts.find(values.account);
    const rotate = async () => {
      const issued = await apiKeys.rotate(accountId, keyId, { ...rotation, publicKey });
      return {
        key: issued,
        shown: { ...present(issued.record), replaces: keyId, warnings: scopeWarnings(issued.record) },
      };
    };
    printJson(terminal, await keepSecrets(values.out, terminal, rotate));
  });
}

function present(key: ApiKeyRecord) {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    api_key_id: key.keyId,
    account_id: key.accountId,
    name: key.name,
    prefix: `ak_${key.prefix}`,
    role: key.role,
    scopes: key.scopes,
    tier: key.tier,
    limits: key.limits,
    allowed_ips: key.allowedIps,
    require_signature: key.requireSignature,
    may_grant: key.mayGrant,
    active: isActive(key, Date.now()),
    rotated_to: key.rotatedTo,
    overlap_ends_at: time(key.overlapEndsAt),
    expires_at: time(key.expiresAt),
    revoked_at: time(key.revokedAt),
    last_used_at: time(key.lastUsedAt),
    created_by: key.createdBy,
    counts_as: key.countsAs,
    created_at: time(key.createdAt),
  };
}

function onlyArgument(positionals: string[], form: string): string {
  const [argument] = positionals;
  if (argument === undefined || positionals.length > 1) throw usage(form);
  return argument;
}

function oneOf<T extends string>(option: string, allowed: readonly T[], value: string): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new UsageError(`${option} ${value}: it must be one of ${allowed.join(', ')}`);
  return found;
}

function futureTime(text: string | undefined): { expiresAt?: number } {
  if (text === undefined) return {};
  const at = Date.parse(text);
  if (Number.isNaN(at) || at <= Date.now()) {
    throw new UsageError(`--expires ${text}: it must be a time to come such as 2027-12-31T00:00:00Z`);
  }
  return { expiresAt: at };
}
