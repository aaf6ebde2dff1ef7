import { access, constants, mkdir, rm } from 'node:fs/promises';
import { arch, homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { withFileLock } from './cache-lock.ts';
import { fetchFromDebian } from './fetch-from-debian.ts';
import type { FetchProgress } from './progress.ts';
import { runCommand } from './run-command.ts';

export interface FindBitcoindOptions {
  /** PATH, HOME, XDG_CACHE_HOME, ASHLAR_DEBIAN_MIRROR, ASHLAR_DEBIAN_KEYRING, and what apt itself reads (http_proxy). */
  env: NodeJS.ProcessEnv;
  onProgress?: (progress: FetchProgress) => void;
  signal?: AbortSignal;
  /** False: look, but fetch nothing. */
  fetch?: boolean;
}

export type FoundBitcoind =
  | { binary: string; version: string; from: 'path' | 'cache' | 'debian' }
  /** `reason` is a sentence for people. */
  | { binary: null; reason: string };

/**
 * Finds a bitcoind: on the PATH, in the user's cache, or fetched from Debian into that cache (about 15 MB, once). Never throws for want
 * of one: the answer then says why, and the caller goes on with the simulated chain. Two processes at once fetch once.
 */
export async function findBitcoind(options: FindBitcoindOptions): Promise<FoundBitcoind> {
  const onPath = await bitcoindOnPath(options.env.PATH ?? '');
  if (onPath) return { ...onPath, from: 'path' };
  const cache = cacheFolder(options.env);
  const target = join(cache, `bitcoind-${arch()}`);
  const binary = join(target, 'bin', 'bitcoind');
  const cached = await versionOf(binary);
  if (cached) return { binary, version: cached, from: 'cache' };
  if (options.fetch === false) return { binary: null, reason: 'there is no bitcoind on the PATH or in the cache' };
  try {
    await mkdir(cache, { recursive: true });
    return await withFileLock(
      `${target}.lock`,
      async (): Promise<FoundBitcoind> => {
        const fetchedMeanwhile = await versionOf(binary);
        if (fetchedMeanwhile) return { binary, version: fetchedMeanwhile, from: 'cache' };
        await rm(target, { recursive: true, force: true });
        const { env, onProgress = () => {}, signal } = options;
        await fetchFromDebian({ target, env, onProgress, ...(signal && { signal }) });
        return { binary, version: (await versionOf(binary)) ?? 'unknown', from: 'debian' };
      },
      options.signal,
    );
  } catch (error) {
    options.signal?.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    return { binary: null, reason: `no bitcoind on the PATH or in the cache, and fetching one failed: ${why}` };
  }
}

/** The per-user cache of this project: `$XDG_CACHE_HOME/ashlar`, by default `~/.cache/ashlar` (XDG Base Directory). */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const base = env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : join(env.HOME || homedir(), '.cache');
  return join(base, 'ashlar');
}

async function bitcoindOnPath(path: string): Promise<{ binary: string; version: string } | null> {
  for (const folder of path.split(delimiter)) {
    if (!folder.startsWith('/')) continue;
    const binary = join(folder, 'bitcoind');
    const version = await versionOf(binary);
    if (version) return { binary, version };
  }
  return null;
}

/** First line of `--version`, or null where the program is missing or does not run here. */
async function versionOf(binary: string): Promise<string | null> {
  try {
    await access(binary, constants.X_OK);
    const firstLine = (await runCommand(binary, ['--version'], { timeoutMs: 20_000 })).split('\n', 1)[0] ?? '';
    return /version/i.test(firstLine) ? firstLine.trim() : null;
  } catch {
    return null;
  }
}
