/** The service as a process: how it starts, refuses to start, and ends. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
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
  return { status, output: stdout + stderr, stderr };
}

let service: ServiceProcess;

beforeAll(async () => {
  service = await startService({ CHAIN: 'simulated' });
});
afterAll(() => service?.dispose());

describe('a start that must not be', () => {
  it('names every wrong variable and what would be right, and no secret', () => {
    const { status, stderr } = runToEnd({ PORT: 'http', DATABASE_URL: 'mysql://user:hunter2@host/db' });
    expect(status).toBe(1);
    expect(stderr).toContain('PORT must be a port from 0 to 65535');
    expect(stderr).toContain('DATABASE_URL must be a URL such as postgres://user:password@host:5432/database');
    expect(stderr).not.toContain('hunter2');
  });

  it('says that the port is taken', async () => {
    const port = await freePort();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve));
    try {
      const { status, stderr } = runToEnd({ PORT: String(port) });
      expect(status).toBe(1);
      expect(stderr).toMatch(new RegExp(`^PORT ${port}.*in use`, 'm'));
      const metrics = runToEnd({ METRICS_PORT: String(port) });
      expect(metrics.status).toBe(1);
      expect(metrics.stderr).toMatch(new RegExp(`^METRICS_PORT ${port}.*in use: set METRICS_PORT`, 'm'));
    } finally {
      taken.close();
    }
  });

  it('says that the data directory cannot be one', () => {
    const { status, stderr } = runToEnd({ DATA_DIR: '/dev/null/ashlar' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^DATA_DIR \/dev\/null\/ashlar cannot be made/m);
  });

  it('says that the data directory is in use by a running service', () => {
    const { status, stderr } = runToEnd({ DATA_DIR: service.dataDir });
    expect(status).toBe(1);
    expect(stderr).toMatch(/in use by another running service/);
  });

  it('says that the data directory belongs to another kind of chain, though that does not answer', async () => {
    const other = await startService({ CHAIN: 'simulated' });
    try {
      expect(await other.stop()).toBe(0);
      const { status, stderr } = runToEnd({
        DATA_DIR: other.dataDir,
        CHAIN: 'bitcoind',
        BITCOIN_RPC_URL: `http://user:hunter2@127.0.0.1:${await freePort()}`,
      });
      expect(status).toBe(1);
      expect(stderr).toMatch(/first used with the chain source simulated, now it is bitcoind/);
      expect(stderr).not.toContain('hunter2');
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
      const ready = await fetch(`${alone.baseUrl}/readyz`);
      expect(ready.status).toBe(503);
      expect(await ready.json()).toMatchObject({
        status: 'not_ready',
        parts: { chain: { ok: false, source: 'bitcoind' } },
      });
      expect((await alone.call('GET', '/api/v1/blockchain/status')).status).toBe(503);
      expect(await alone.stop()).toBe(0);
      expect(alone.output()).not.toContain('hunter2');
    } finally {
      await alone.dispose();
    }
  });
});

describe('a stop', () => {
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
