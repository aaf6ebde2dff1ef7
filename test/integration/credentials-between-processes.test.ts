/** Two processes on one PostgreSQL: what one takes back, the other refuses in the very next request. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServiceProcess, startService } from '../builders/service-process.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

describe('two processes on one PostgreSQL', () => {
  let postgres: TemporaryPostgres;
  let first: ServiceProcess;
  let second: ServiceProcess;
  let secrets: string;

  beforeAll(async () => {
    postgres = await withPostgres();
    secrets = mkdtempSync(join(tmpdir(), 'ashlar-secrets-'));
    const masterKey = join(secrets, 'master.key');
    writeFileSync(masterKey, crypto.getRandomValues(Buffer.alloc(32)), { mode: 0o600 });
    const env = { DATABASE_URL: await postgres.newDatabase(), MASTER_KEY_FILE: masterKey, CHAIN: 'simulated' };
    first = await startService(env);
    second = await startService(env, { untilReady: false });
  });
  afterAll(async () => {
    await Promise.all([first?.dispose(), second?.dispose()]);
    await postgres?.stop();
    rmSync(secrets, { recursive: true, force: true });
  });

  /** What the second process answers to a key; it has it in its cache afterwards. */
  const statusAtSecond = async (apiKey: string): Promise<number> => {
    for (let i = 0; ; i++) {
      try {
        const headers = { authorization: `Bearer ${apiKey}` };
        return (await fetch(`${second.baseUrl}/api/v1/wallets`, { headers })).status;
      } catch (error) {
        // Only until it listens.
        if (i > 600) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  };

  it('a key revoked at one is refused by the other in the next request, every time', async () => {
    for (let i = 0; i < 20; i++) {
      const made = await first.call('POST', '/api/v1/api-keys', { name: `k${i}`, scopes: ['wallets:read'] });
      expect(made.status).toBe(201);
      expect(await statusAtSecond(made.body.api_key)).toBe(200);
      expect(await statusAtSecond(made.body.api_key)).toBe(200);
      const revoked = await first.call('DELETE', `/api/v1/api-keys/${made.body.api_key_id}`);
      expect(revoked.status).toBe(204);
      expect(await statusAtSecond(made.body.api_key)).toBe(401);
    }
  });

  it('a key rotated without overlap, too', async () => {
    const made = await first.call('POST', '/api/v1/api-keys', { name: 'k', scopes: ['wallets:read'] });
    expect(await statusAtSecond(made.body.api_key)).toBe(200);
    const path = `/api/v1/api-keys/${made.body.api_key_id}/rotate`;
    const successor = await first.call('POST', path, { overlap_seconds: 0 });
    expect(await statusAtSecond(made.body.api_key)).toBe(401);
    expect(await statusAtSecond(successor.body.api_key)).toBe(200);
  });

  it('goes on when the other is killed without a word', async () => {
    await second.kill();
    const made = await first.call('POST', '/api/v1/api-keys', { name: 'k', scopes: ['wallets:read'] });
    expect((await first.call('DELETE', `/api/v1/api-keys/${made.body.api_key_id}`)).status).toBe(204);
  });
});
