/** The first start on an empty database: one account, one admin key, and the one file that tells the operator of it. */
import { constants } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { AccountId } from '../../core/ids.ts';
import type { Store } from '../../store/store.ts';
import { recordChangesBy } from '../audit/record-change.ts';
import { FIRST_RIGHTS, newAccount } from './accounts.ts';
import { isActive, secretHash } from './credential-record.ts';
import { CREDENTIALS_FILE } from './credentials-file.ts';
import { keyPrefix, newApiKey } from './new-api-key.ts';
import type { SigningKeyService } from './signing-keys.ts';

const DEFAULT_ACCOUNT = 'default';
/** Which key the first start made, for the warning until it is rotated. */
const FIRST_KEY = 'first_start.key';

/** Nobody asked for it but whoever started the service. */
const recordChange = recordChangesBy({ kind: 'service', id: 'first-start' });

const CREDENTIALS = z.object({
  api_key: z.string(),
  key_id: z.string(),
  private_key: z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.string() }),
});
type AdminCredentials = z.output<typeof CREDENTIALS>;

interface FirstStartDeps {
  store: Store;
  signingKeys: Pick<SigningKeyService, 'newPair' | 'enrol'>;
  dataDir: string;
  randomBytes: (size: number) => Uint8Array;
  clock: () => number;
  log: Pick<Logger, 'info'>;
}

/**
 * Makes account `default` and an admin key where the database is empty. The file is on disk before the key is in the database: after a
 * crash between the two, the next start takes the key from the file. Throws where a file is there that holds no credentials.
 */
export async function firstStart(deps: FirstStartDeps): Promise<void> {
  const { store, signingKeys, dataDir, randomBytes, clock, log } = deps;
  if ((await store.read.settings.get(FIRST_KEY)) !== null || (await store.read.accounts.count()) > 0) return;
  const file = join(dataDir, CREDENTIALS_FILE);
  const found = await readCredentials(file);
  const at = clock();
  const account = { ...newAccount(DEFAULT_ACCOUNT, randomBytes, at), platform: true, tier: 'custom' as const };
  const made = newApiKey(
    { accountId: account.accountId, name: 'first start', ...FIRST_RIGHTS, tier: 'standard' },
    randomBytes,
    at,
  );
  const credentials = found ?? freshCredentials(made.apiKey, signingKeys);
  if (found === null) await writeSecretly(file, `${JSON.stringify(credentials, null, 2)}\n`);

  const { d: _, ...publicJwk } = credentials.private_key;
  const record = {
    ...made.record,
    prefix: keyPrefix(credentials.api_key),
    secretHash: secretHash(credentials.api_key),
  };
  const standing = await store.write(async (tx) => {
    const first = await tx.settings.setOnce(FIRST_KEY, `${account.accountId} ${record.keyId}`);
    if (first === `${account.accountId} ${record.keyId}` && (await tx.accounts.count()) === 0) {
      await tx.accounts.insert(account);
      await tx.apiKeys.insert(record);
      const owner = { accountId: account.accountId, kind: 'api_key', id: record.keyId } as const;
      await signingKeys.enrol(tx, owner, { name: record.name, publicJwk });
      const { accountId } = account;
      await recordChange(tx, { operation: 'account.create', accountId, target: accountId });
      await recordChange(tx, { operation: 'api-key.create', accountId, target: record.keyId });
    }
    return first;
  });
  if (standing !== `${account.accountId} ${record.keyId}`) {
    // Another replica was first: its file holds the key.
    if (found === null) await rm(file, { force: true });
    return;
  }
  log.info(
    { file },
    'first start: the administrator credentials are in this file; keep it secret, and rotate the key (ashlar keys rotate)',
  );
}

/** True until the key of the first start is rotated, revoked or expired. */
export async function firstKeyStands(store: Pick<Store, 'read'>, now: number): Promise<boolean> {
  const [accountId, keyId] = (await store.read.settings.get(FIRST_KEY))?.split(' ') ?? [];
  if (accountId === undefined) return false;
  const key = await store.read.apiKeys.find(accountId as AccountId, keyId ?? '');
  return key !== null && key.rotatedTo === null && isActive(key, now);
}

async function readCredentials(file: string): Promise<AdminCredentials | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const parsed = CREDENTIALS.safeParse(parseJson(text));
  if (parsed.success && keyPrefix(parsed.data.api_key) !== '') return parsed.data;
  throw new Error(`${file} is there but holds no credentials of a first start: move it away and start again`);
}

function freshCredentials(apiKey: string, signingKeys: Pick<SigningKeyService, 'newPair'>): AdminCredentials {
  const { keyId, privateJwk } = signingKeys.newPair();
  return { api_key: apiKey, key_id: keyId, private_key: privateJwk as AdminCredentials['private_key'] };
}

/** Whole or not at all, readable by its owner only, on disk when this returns. */
async function writeSecretly(file: string, text: string): Promise<void> {
  const fresh = `${file}.new`;
  await rm(fresh, { force: true });
  const handle = await open(fresh, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, file);
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
