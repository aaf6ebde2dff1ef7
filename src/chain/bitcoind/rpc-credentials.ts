import { readFile } from 'node:fs/promises';
import { DomainError } from '../../core/errors.ts';

/** Gives the Authorization header; `refresh` forgets what was read, because a node writes a new cookie at every start. */
export interface RpcCredentials {
  header(): Promise<string | null>;
  /** True where asking again can give another answer. */
  refresh(): boolean;
}

/** Userinfo wins over the cookie file. Nothing of either is ever logged or put into an error. */
export function rpcCredentials(url: URL, cookieFile: string | undefined): RpcCredentials {
  if (url.username !== '' || url.password !== '') {
    const header = basic(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`);
    return { header: async () => header, refresh: () => false };
  }
  if (cookieFile === undefined) return { header: async () => null, refresh: () => false };
  let cached: string | null = null;
  return {
    async header() {
      cached ??= basic(await readCookie(cookieFile));
      return cached;
    },
    refresh() {
      cached = null;
      return true;
    },
  };
}

async function readCookie(cookieFile: string): Promise<string> {
  try {
    return (await readFile(cookieFile, 'utf8')).trim();
  } catch (error) {
    // The node removes the file when it stops.
    throw new DomainError('node_unavailable', 'the Bitcoin node is not running: its RPC cookie file cannot be read', {
      reason: (error as NodeJS.ErrnoException).code ?? 'unreadable',
      retryAfterSeconds: 5,
    });
  }
}

const basic = (userAndPassword: string): string => `Basic ${Buffer.from(userAndPassword).toString('base64')}`;
