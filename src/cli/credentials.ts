import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { CREDENTIALS_FILE } from '../services/credentials/credentials-file.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Of an API key, or of a user's session as `ashlar login` writes it. */
const CREDENTIALS = z
  .looseObject({
    api_key: z.string().optional(),
    access_token: z.string().optional(),
    refresh_token: z.string().optional(),
    expires_at: z.iso.datetime().nullish(),
    key_id: z.string().optional(),
    private_key: z.record(z.string(), z.unknown()).optional(),
  })
  .refine(({ api_key, access_token }) => (api_key ?? access_token) !== undefined);
export type Credentials = z.output<typeof CREDENTIALS>;

/** The file at ASHLAR_CREDENTIALS, by default the one of the first start. */
export const credentialsFile = ({ dataDir }: Config, { env }: Pick<Terminal, 'env'>): string =>
  env.ASHLAR_CREDENTIALS || join(dataDir, CREDENTIALS_FILE);

/** Replaces the file whole: a crash leaves the old or the new one. */
export function writeCredentials(file: string, credentials: Credentials): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

export function readCredentials(file: string, { err }: Pick<Terminal, 'err'>): Credentials {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`the credentials in ${file} cannot be read (${code}): set ASHLAR_CREDENTIALS or DATA_DIR`);
  }
  const credentials = credentialsIn(file, text);
  const mode = statSync(file).mode & 0o777;
  if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
    const secret = credentials.private_key === undefined ? 'a secret' : 'a private key';
    err(`ashlar: ${file} holds ${secret} and others may read it (mode ${mode.toString(8)}): run chmod 600 ${file}`);
  }
  return credentials;
}

function credentialsIn(file: string, text: string): Credentials {
  try {
    return CREDENTIALS.parse(JSON.parse(text));
  } catch {
    throw new UsageError(
      `${file} is not a credentials file: ASHLAR_CREDENTIALS names one, JSON with an api_key, such as --out of ashlar keys create writes, or what ashlar login has written`,
    );
  }
}
