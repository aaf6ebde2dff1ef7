/** `ashlar accounts create|list|freeze|unfreeze`: straight at the database, for whoever can read it. */
import type { Config } from '../config.ts';
import { TIERS } from '../core/access.ts';
import type { AccountRecord } from '../store/records.ts';
import { parseArguments } from './arguments.ts';
import { credentialServices } from './credential-services.ts';
import { keepSecrets, publicKeyIn } from './issued-credentials.ts';
import { printJson, type Terminal } from './terminal.ts';
import { UsageError, usage } from './usage-error.ts';
import { withStore } from './with-store.ts';

const USAGE = 'ashlar accounts create NAME, or list, or freeze NAME [--reason TEXT], or unfreeze NAME';

export async function accounts(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const [action, ...rest] = args;
  if (action === 'create') return createAccount(config, rest, terminal);
  if (action === 'freeze' || action === 'unfreeze') return freezeAccount(action, config, rest, terminal);
  if (action !== 'list' || rest.length > 0) throw usage(USAGE);
  await withStore(config, async (store) => {
    const all = await credentialServices(store, config).accounts.list();
    printJson(terminal, { data: all.map(present) });
  });
}

async function createAccount(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArguments({
    args,
    allowPositionals: true,
    options: {
      tier: { type: 'string', default: 'standard' },
      'public-key': { type: 'string' },
      out: { type: 'string' },
    },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw usage(USAGE);
  const tier = TIERS.find((one) => one === values.tier);
  if (tier === undefined) throw new UsageError(`--tier ${values.tier}: it must be one of ${TIERS.join(', ')}`);
  const publicKey = publicKeyIn(values['public-key']);
  await withStore(config, async (store) => {
    const service = credentialServices(store, config).accounts;
    const open = async () => {
      const { account, key } = await service.open({ name, tier, publicKey, createdBy: null });
      return { key, shown: { ...present(account), api_key_id: key.record.keyId, may_grant: key.record.mayGrant } };
    };
    printJson(terminal, await keepSecrets(values.out, terminal, open));
  });
}

async function freezeAccount(
  action: 'freeze' | 'unfreeze',
  config: Config,
  args: string[],
  terminal: Terminal,
): Promise<void> {
  const { values, positionals } = parseArguments({
    args,
    allowPositionals: true,
    options: { reason: { type: 'string' } },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw usage(USAGE);
  await withStore(config, async (store) => {
    const service = credentialServices(store, config).accounts;
    const { accountId } = await service.find(name);
    const changed =
      action === 'freeze' ? service.freeze(accountId, values.reason ?? null) : service.unfreeze(accountId);
    printJson(terminal, present(await changed));
  });
}

const present = (account: AccountRecord) => ({
  account_id: account.accountId,
  name: account.name,
  platform: account.platform,
  tier: account.tier,
  frozen: account.frozenAt !== null,
  frozen_reason: account.frozenReason,
  created_at: new Date(account.createdAt).toISOString(),
});
