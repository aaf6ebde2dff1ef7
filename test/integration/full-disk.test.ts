/** A disk that fills up under the running service: a small file system in memory, which only root can mount. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually, startService } from '../builders/service-process.ts';

/** Null where no file system can be mounted. */
function mountSmall(megabytes: number): { folder: string } | null {
  const folder = mkdtempSync(join(tmpdir(), 'ashlar-small-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'ashlar-test', folder]);
  onTestFinished(() => {
    if (mounted.status === 0) spawnSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  if (mounted.status !== 0) return null;
  return { folder };
}

it('what modifies is refused with 503 while the disk is full, reads go on, and all is well again once there is room', async (test) => {
  const small = mountSmall(24);
  if (small === null) return test.skip('mounting a file system needs root');
  const service = await startService({ CHAIN: 'simulated' }, { dataDir: small.folder });
  onTestFinished(() => service.kill());
  const wallet = { name: 'w', type: 'segwit', backup_type: 'none' };
  const made = await service.call('POST', '/api/v1/wallets', wallet);
  expect(made.status).toBe(201);
  const readiness = async (query = '') => (await fetch(`${service.baseUrl}/readyz${query}`)).status;

  const ballast = join(small.folder, 'ballast');
  const fill = () => {
    for (const size of [1 << 20, 4096]) {
      try {
        for (;;) writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
      } catch {}
    }
  };
  fill();
  const refused = await eventually('a write finds no room', async () => {
    // What the write-ahead log has room for is written.
    fill();
    const answer = await service.call('POST', '/api/v1/wallets', wallet);
    return answer.status === 201 ? null : answer;
  });
  expect(refused.status).toBe(503);
  expect(refused.body.error).toMatchObject({ code: 'internal_error', details: { code: 'unavailable' } });
  expect(refused.body.error.message).toMatch(/no room is left on the database's disk/);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await eventually('readiness for writes ends', async () => (await readiness('?for=writes')) === 503);
  // What the last pages of files have room for is written, too.
  await eventually('a block finds no room', async () => {
    fill();
    const mined = await service.call('POST', '/api/v1/bitcoin/blocks', { count: 1 });
    expect([201, 503]).toContain(mined.status);
    return mined.status === 503;
  });
  expect(await readiness()).toBe(200);
  expect((await service.call('GET', `/api/v1/wallets/${made.body.wallet_id}`)).status).toBe(200);
  expect((await service.call('GET', '/api/v1/nothing')).status).toBe(404);

  rmSync(ballast);
  await eventually('readiness for writes is back', async () => (await readiness('?for=writes')) === 200);
  expect((await service.call('POST', '/api/v1/wallets', wallet)).status).toBe(201);
  expect((await service.call('POST', '/api/v1/bitcoin/blocks', { count: 1 })).status).toBe(201);
  const told = service
    .output()
    .split('\n')
    .filter((line) => /"part":"(database|disk)"/.test(line));
  const [warned, ...turns] = told.map((line) => JSON.parse(line).msg);
  expect(warned).toMatch(/little room is left/);
  // Told at change: where a small write still found room in between, more than once.
  const pair = ['the database takes no writes; reads are served', 'the database takes writes again'];
  expect(turns).toEqual(Array.from({ length: turns.length / 2 }, () => pair).flat());
  expect(turns.length).toBeGreaterThan(0);
  expect(service.output()).not.toContain('internal error');

  // What was there before, and was acknowledged, is there after a crash.
  await service.kill();
  await service.start();
  expect((await service.call('GET', `/api/v1/wallets/${made.body.wallet_id}`)).status).toBe(200);
});
