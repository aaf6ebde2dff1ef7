/** A real Redis on a free loopback port, in memory only. Where none is installed, tests say so and are skipped. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { freePort } from './service-process.ts';

/** Why tests that need Redis are skipped, or null where they can run. */
export const noRedis: string | null =
  spawnSync('redis-server', ['--version']).status === 0
    ? null
    : 'there is no redis-server on the PATH (Debian: apt-get install redis-server)';

export interface RedisServer {
  readonly url: string;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Holds it: connections stay, nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRedisServer(): Promise<RedisServer> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | null = await start(port, url);

  async function kill(): Promise<void> {
    if (child === null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    child = null;
    await ended;
  }

  return {
    url,
    kill,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async restart() {
      await kill();
      child = await start(port, url);
    },
    stop: kill,
  };
}

async function start(port: number, url: string): Promise<ChildProcess> {
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--daemonize', 'no'],
    { stdio: 'ignore' },
  );
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('redis-server ended at its start')));
  await Promise.race([answers(url), failed]);
  failed.catch(() => {});
  return child;
}

async function answers(url: string): Promise<void> {
  const redis = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  redis.on('error', () => {});
  try {
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}
