/** Credentials that were just made: shown once, or written to a file of their own as ASHLAR_CREDENTIALS takes it. */
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { IssuedApiKey } from '../services/credentials/issue-api-key.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const secretsOf = ({ apiKey, signingKeyId, privateJwk }: IssuedApiKey) => ({
  api_key: apiKey,
  key_id: signingKeyId,
  ...(privateJwk === null ? {} : { private_key: privateJwk }),
});

/** The public JWK in a file; undefined where none is named. */
export function publicKeyIn(file: string | undefined): unknown {
  if (file === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(resolve(file), 'utf8'));
  } catch (error) {
    const { code = 'not JSON' } = error as NodeJS.ErrnoException;
    throw new UsageError(`--public-key ${file}: it must be a file with a public JWK (${code})`);
  }
}

/**
 * Makes credentials and keeps their secrets: in `file` (0600, never one that is there), or on the terminal. The file is opened before
 * anything is made, so that no secret is lost to a wrong path. Answers what is to be printed.
 */
export async function keepSecrets<T>(
  file: string | undefined,
  terminal: Terminal,
  make: () => Promise<{ key: IssuedApiKey; shown: T }>,
): Promise<T & Record<string, unknown>> {
  if (file === undefined) {
    const { key, shown } = await make();
    terminal.err('This is the only time the secrets are shown.');
    return { ...secretsOf(key), ...shown };
  }
  const path = resolve(file);
  const handle = openNew(path);
  try {
    const { key, shown } = await make();
    writeSync(handle, `${JSON.stringify(secretsOf(key), null, 2)}\n`);
    fsyncSync(handle);
    return { ...shown, credentials: path };
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
}

function openNew(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    throw new UsageError(
      `--out ${path}: it must be a file that can be made new (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}
