/** The service as a process: how it starts, refuses to start, and ends. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { childEnvironment } from '../builders/child-environment.ts';
import { eventually, freePort, type ServiceProcess, startService } from '../builders/service-process.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Runs the service until it ends by itself. */
function runToEnd(env: Record<string, string>) {
  const dataDir = mkdtempSync(join(tmpdir(), 'ashlar-refused-'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN], {
    env: { ...childEnvironment, DATA_DIR: dataDir, CHAIN: 'simulated', PORT: '0', ...env },
    cwd: dataDir,
    encoding: 'utf8',
    timeout: 120_000,
  });
  rmSync(dataDir, { recursive: true, force: true });
  return { status, stdout, stderr };
}

/** What a start that failed left: one line, and nothing beside the log. */
function fatalOf(env: Record<string, string>): Record<string, unknown> {
  const { status, stdout, stderr } = runToEnd(env);
  expect([status, stderr]).toEqual([1, '']);
  expect(stdout).not.toMatch(/hunter2|^\s+at /m);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const fatal = lines.filter(({ level }) => level === 'fatal');
  expect(fatal).toHaveLength(1);
  return fatal[0];
}

let service: ServiceProcess;

beforeAll(async () => {
  service = await startService({ CHAIN: 'simulated' });
});
afterAll(() => service?.dispose());

describe('a start that must not be', () => {
  it('names every wrong variable and what would be right, and no secret', () => {
    expect(fatalOf({ PORT: 'http', DATABASE_URL: 'mysql://user:hunter2@host/db' })).toMatchObject({
      part: 'configuration',
      problems: [
        'PORT must be a port from 0 to 65535',
        'DATABASE_URL must be a URL such as postgres://user:password@host:5432/database',
      ],
    });
  });

  it('says that the port is taken', async () => {
    const port = await freePort();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve));
    try {
      for (const variable of ['PORT', 'METRICS_PORT']) {
        expect(fatalOf({ [variable]: String(port) })).toMatchObject({
          ...{ part: variable, host: `127.0.0.1:${port}`, cause: 'EADDRINUSE' },
          msg: `${variable} ${port} on 127.0.0.1 is in use: set ${variable} to a free one, or stop what uses it`,
        });
      }
    } finally {
      taken.close();
    }
  });

  it('ends within seconds when it is asked to stop while a database that never answers is opened', async () => {
    const sockets = new Set<Socket>();
    const silent = createTcpServer((socket) => sockets.add(socket));
    const port = await freePort();
    await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
    const one = await startService(
      { DATABASE_URL: `postgres://ashlar@127.0.0.1:${port}/ashlar`, MASTER_KEY_FILE: '/dev/null' },
      { untilReady: false },
    );
    try {
      await eventually('it waits for the database', async () => sockets.size > 0);
      expect(await one.stop()).toBe(0);
      // The database's own patience would have ended it otherwise, as a start that failed.
      expect(one.output()).toMatch(/stopped while starting/);
      expect(one.output()).not.toContain('"level":"fatal"');
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
      await one.dispose();
    }
  });

  it('says that the data directory cannot be one', () => {
    const proc = expect.stringMatching(/^DATA_DIR \/proc\/ashlar cannot be made \(ENOENT\)/);
    expect(fatalOf({ DATA_DIR: '/proc/ashlar/data' })).toMatchObject({ part: 'DATA_DIR', msg: proc });
    const msg = expect.stringMatching(/^DATA_DIR \/dev\/null\/ashlar cannot be made/);
    expect(fatalOf({ DATA_DIR: '/dev/null/ashlar' })).toMatchObject({ part: 'DATA_DIR', msg });
  });

  it('says that the data directory is in use by a running service', () => {
    const msg = expect.stringMatching(/in use by another running service/);
    expect(fatalOf({ DATA_DIR: service.dataDir })).toMatchObject({ part: 'database', msg });
  });

  it('says where PostgreSQL is that does not answer', async () => {
    const port = await freePort();
    const masterKey = join(service.dataDir, 'master.key');
    const DATABASE_URL = `postgres://ashlar:hunter2@127.0.0.1:${port}/ashlar`;
    expect(fatalOf({ DATABASE_URL, MASTER_KEY_FILE: masterKey })).toMatchObject({
      ...{ part: 'database', host: `127.0.0.1:${port}`, cause: 'ECONNREFUSED' },
      msg: expect.stringMatching(/nothing listens there: start PostgreSQL, or correct DATABASE_URL/),
    });
  });

  it('says that the data directory belongs to another kind of chain, though that does not answer', async () => {
    const other = await startService({ CHAIN: 'simulated' });
    try {
      expect(await other.stop()).toBe(0);
      const BITCOIN_RPC_URL = `http://user:hunter2@127.0.0.1:${await freePort()}`;
      const msg = expect.stringMatching(/first used with the chain source simulated, now it is bitcoind/);
      const given = { DATA_DIR: other.dataDir, CHAIN: 'bitcoind', BITCOIN_RPC_URL };
      expect(fatalOf(given)).toMatchObject({ part: 'node', msg });
    } finally {
      await other.dispose();
    }
  });
});

describe('a start without its node', () => {
  it('serves what it can, is not ready, and ends in order', async () => {
    const alone = await startService(
      { CHAIN: 'bitcoind', BITCOIN_RPC_URL: `http://user:hunter2@127.0.0.1:${await freePort()}` },
      { untilReady: false },
    );
    try {
      for (;;) {
        const lives = await fetch(`${alone.baseUrl}/livez`).then(
          ({ ok }) => ok,
          () => false,
        );
        if (lives) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const ready = await fetch(`${alone.baseUrl}/readyz?for=writes`);
      expect(ready.status).toBe(503);
      expect(await ready.json()).toMatchObject({
        status: 'not_ready',
        parts: { chain: { ok: false, source: 'bitcoind' } },
      });
      expect((await alone.call('GET', '/api/v1/blockchain/status')).status).toBe(503);
      expect((await fetch(`${alone.baseUrl}/readyz`)).status).toBe(200);
      expect(await alone.stop()).toBe(0);
      expect(alone.output()).not.toContain('hunter2');
      // However often it was asked.
      const told = alone.output().match(/"part":"node".*/g) ?? [];
      expect(told).toEqual([
        expect.stringMatching(/"reason":"ECONNREFUSED".*the chain source \(bitcoind\) does not answer/),
      ]);
    } finally {
      await alone.dispose();
    }
  });
});

describe('a stop', () => {
  it('is said by /readyz first, while all else is answered; a second signal ends it at once', async () => {
    const one = await startService({ CHAIN: 'simulated', STOP_DELAY_MS: '600000' });
    try {
      process.kill(one.pid, 'SIGTERM');
      const stopping = await eventually('/readyz fails', async () => {
        const answer = await fetch(`${one.baseUrl}/readyz`);
        return answer.status === 503 && (await answer.json());
      });
      expect(stopping).toMatchObject({ status: 'stopping', parts: { database: { ok: true, writable: true } } });
      expect(
        (await one.call('POST', '/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' })).status,
      ).toBe(201);
      process.kill(one.pid, 'SIGTERM');
      expect(await one.exited).toBe(1);
    } finally {
      await one.dispose();
    }
  });

  it('waits for the configured time before it stops listening', async () => {
    const one = await startService({ CHAIN: 'simulated', STOP_DELAY_MS: '300' });
    try {
      expect(await one.stop()).toBe(0);
      const at = (msg: string) => {
        const line =
          one
            .output()
            .split('\n')
            .find((text) => text.includes(`"msg":"${msg}"`)) ?? '{}';
        return Date.parse(JSON.parse(line).time);
      };
      expect(at('stopped') - at('stopping')).toBeGreaterThanOrEqual(300);
    } finally {
      await one.dispose();
    }
  });

  it('closes sockets and idle connections, and ends by itself with 0', async () => {
    const one = await startService({ CHAIN: 'simulated' });
    try {
      const socket = new WebSocket(`${one.baseUrl.replace('http', 'ws')}/v1/ws`);
      await new Promise((resolve) => socket.once('open', resolve));
      const closed = new Promise<number>((resolve) => socket.once('close', resolve));
      await one.call('GET', '/livez');
      expect(await one.stop()).toBe(0);
      expect(await closed).toBe(1001);
      expect(one.output()).toContain('"msg":"stopped"');
      expect(one.output()).not.toContain('not everything had ended in time');
    } finally {
      await one.dispose();
    }
  });

  it('under load waits for answers under way and for no connection that a client keeps', async () => {
    const one = await startService({ CHAIN: 'simulated' });
    try {
      const body = { name: 'w', type: 'segwit', backup_type: 'encrypted', backup_passphrase: 'correct horse' };
      let made = 0;
      const askOn = async (): Promise<void> => {
        for (;;) {
          const answer = await one.call('POST', '/api/v1/wallets', body).catch(() => null);
          if (answer?.status !== 201) return;
          made += 1;
        }
      };
      // Few: what is under way must end within the seconds that a stop has, on a busy machine, too.
      const clients = Array.from({ length: 4 }, askOn);
      await eventually('wallets are made', async () => made > 8);
      expect(await one.stop()).toBe(0);
      await Promise.all(clients);
      expect(one.output()).toContain('"msg":"stopped"');
      expect(one.output()).not.toContain('not everything had ended in time');
    } finally {
      await one.dispose();
    }
  });

  it('loses nothing when it is kill -9: the same chain and key after the next start', async () => {
    const mined = await service.call('POST', '/api/v1/bitcoin/blocks', { count: 3 });
    expect(mined.status).toBe(201);
    const before = service.apiKey;
    await service.kill();
    await service.start();
    expect(service.apiKey).toBe(before);
    const { body } = await service.call('GET', '/api/v1/blockchain/status');
    expect(body).toMatchObject({ height: mined.body.data[2].height, best_block_hash: mined.body.data[2].hash });
  });

  it('never writes the key to its log', () => {
    expect(service.output()).toContain('admin-credentials.json');
    expect(service.output()).not.toContain(service.apiKey.slice(12));
  });
});
