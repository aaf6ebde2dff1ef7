/** `ashlar master-key rotate` between two runs of a service that has wallets and kept answers. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI } from '../builders/built.ts';
import { childEnvironment } from '../builders/child-environment.ts';
import { type ServiceProcess, startService } from '../builders/service-process.ts';

let service: ServiceProcess;
beforeAll(async () => {
  service = await startService({ CHAIN: 'simulated' });
});
afterAll(() => service?.dispose());

const rotate = () => {
  const args = ['--disable-warning=ExperimentalWarning', CLI, 'master-key', 'rotate'];
  const env = { ...childEnvironment, DATA_DIR: service.dataDir };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  return { status, stdout, stderr };
};

describe('ashlar master-key rotate', () => {
  it('is refused while a service runs; then the service goes on with the new key, its wallets and kept answers whole', async () => {
    const body = { name: 'w', type: 'segwit', backup_type: 'mnemonic' };
    const once = { 'idempotency-key': 'wallet-once' };
    const wallet = await service.call('POST', '/api/v1/wallets', body, once);
    expect(wallet.status).toBe(201);
    const file = join(service.dataDir, 'master.key');
    const old = readFileSync(file);

    const refused = rotate();
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('stop the service first')]);
    expect(readFileSync(file).equals(old)).toBe(true);

    await service.stop();
    const done = rotate();
    expect(done.status, done.stderr).toBe(0);
    const told = JSON.parse(done.stdout);
    expect(readFileSync(told.former_key_file).equals(old)).toBe(true);
    expect(readFileSync(file).equals(old)).toBe(false);
    const shown = done.stdout + done.stderr;
    for (const key of [old, readFileSync(file)]) expect(shown).not.toContain(key.toString('hex'));

    await service.start();
    const again = await service.call('POST', '/api/v1/wallets', body, once);
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', wallet.body]);
    // The seed opens: a backup is made of it.
    const backup = await service.call('POST', `/api/v1/wallets/${wallet.body.wallet_id}/backup`, {});
    expect(backup.status, JSON.stringify(backup.body)).toBe(200);

    await service.stop();
    const fresh = readFileSync(file);
    writeFileSync(file, old);
    expect(rotate().stderr).toContain('not the one this database was made with');
    writeFileSync(file, fresh);
    await service.start();
  });
});
