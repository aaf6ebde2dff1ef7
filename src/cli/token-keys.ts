/** `ashlar token-keys list|rotate|revoke`: the keys that sign access tokens. A running service hears of it at once. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { openKeyProvider } from '../services/secrets/open-key-provider.ts';
import { openTokenKeys } from '../services/tokens/open-token-keys.ts';
import { publishedAt, scheduleOf, signerAt } from '../services/tokens/token-key-schedule.ts';
import type { TokenKeys } from '../services/tokens/token-keys.ts';
import { recordCommand } from './record-command.ts';
import { printJson, type Terminal } from './terminal.ts';
import { usage } from './usage-error.ts';
import { withStore } from './with-store.ts';

const USAGE = 'ashlar token-keys list, or rotate, or revoke KID';

export async function tokenKeys(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const [action, keyId, ...more] = args;
  const known = action === 'list' || action === 'rotate' || action === 'revoke';
  if (!known || more.length > 0 || (keyId !== undefined) !== (action === 'revoke')) throw usage(USAGE);
  const { dataDir, masterKeyFile } = config;
  await withStore(config, async (store) => {
    const provider = await openKeyProvider({ store, dataDir, masterKeyFile, randomBytes });
    const recordChange = recordCommand;
    const keys = await openTokenKeys({ store, provider, randomBytes, clock: Date.now, recordChange });
    if (action === 'rotate') await keys.rotate();
    if (keyId !== undefined) await keys.revoke(keyId);
    printJson(terminal, { data: await present(keys, Date.now()) });
  });
}

/** Newest first. */
async function present(keys: TokenKeys, now: number) {
  const all = await keys.list();
  const schedule = scheduleOf(all);
  const signing = signerAt(schedule, now)?.keyId;
  const published = new Set(publishedAt(schedule, now).map(({ keyId }) => keyId));
  const time = (at: number | null | undefined) =>
    at === null || at === undefined || !Number.isFinite(at) ? null : new Date(at).toISOString();
  return all.reverse().map(({ keyId, signsFrom, revokedAt, createdAt }) => {
    const turn = schedule.turns.find(({ key }) => key.keyId === keyId);
    return {
      kid: keyId,
      signing: keyId === signing,
      published: published.has(keyId),
      signs_from: time(signsFrom),
      signs_until: time(turn?.signsUntil),
      published_until: time(turn?.publishedUntil),
      revoked_at: time(revokedAt),
      created_at: time(createdAt),
    };
  });
}
