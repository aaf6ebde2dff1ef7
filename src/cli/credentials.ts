import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { CREDENTIALS_FILE } from '../services/credentials/credentials-file.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const CREDENTIALS = z.object({
  api_key: z.string(),
  key_id: z.string().optional(),
  private_key: z.record(z.string(), z.unknown()).optional(),
});
export type Credentials = z.output<typeof CREDENTIALS>;

/** The file at ASHLAR_CREDENTIALS, by default the one of the first start. */
export function readCredentials(config: Config, { env, err }: Pick<Terminal, 'env' | 'err'>): Credentials {
  const file = env.ASHLAR_CREDENTIALS || join(config.dataDir, CREDENTIALS_FILE);
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
    const secret = credentials.private_key === undefined ? 'an API key' : 'a private key';
    err(`ashlar: ${file} holds ${secret} and others may read it (mode ${mode.toString(8)}): run chmod 600 ${file}`);
  }
  return credentials;
}

function credentialsIn(file: string, text: string): Credentials {
  try {
    return CREDENTIALS.parse(JSON.parse(text));
  } catch {
    throw new UsageError(
      `${file} is not a credentials file: ASHLAR_CREDENTIALS names one, JSON with an api_key, such as --out of ashlar keys create writes`,
    );
  }
}
