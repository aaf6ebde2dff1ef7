/** A disk that fills up under the running service: a small file system in memory, which only root can mount. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually, startService } from '../builders/service-process.ts';

const ROOM_FOR_A_FEW = 3 * 1024 ** 2;

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
  // Its end writes the log to the database's file, which else grows by the whole schema at the first checkpoint.
  await service.stop();
  const toldBefore = service.output().length;
  await service.start();
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
  // Room for a few small writes and no more, for longer than an outage needs to end.
  truncateSync(ballast, statSync(ballast).size - ROOM_FOR_A_FEW);
  let failedAt = Date.now();
  await eventually('small writes find a place', async () => {
    const named = await service.call('PATCH', `/api/v1/wallets/${made.body.wallet_id}`, { name: 'x' });
    if (named.status !== 200) failedAt = Date.now();
    return Date.now() - failedAt > 2_500;
  });
  await eventually('a write finds no room again', async () => {
    fill();
    return (await service.call('POST', '/api/v1/wallets', wallet)).status === 503;
  });
  expect(await readiness()).toBe(200);
  expect((await service.call('GET', `/api/v1/wallets/${made.body.wallet_id}`)).status).toBe(200);
  expect((await service.call('GET', '/api/v1/nothing')).status).toBe(404);

  rmSync(ballast);
  await eventually('readiness for writes is back', async () => (await readiness('?for=writes')) === 200);
  expect((await service.call('POST', '/api/v1/wallets', wallet)).status).toBe(201);
  expect((await service.call('POST', '/api/v1/bitcoin/blocks', { count: 1 })).status).toBe(201);
  await eventually('its end is told of', async () => {
    await readiness('?for=writes');
    return service.output().includes('the database takes writes again');
  });
  const told = service
    .output()
    .slice(toldBefore)
    .split('\n')
    .filter((line) => /"part":"(database|disk)"/.test(line));
  // Small writes that still found a place in between are no end of it.
  expect(told.map((line) => JSON.parse(line).msg)).toEqual([
    expect.stringMatching(/little room is left/),
    'the database takes no writes; reads are served',
    'the database takes writes again',
  ]);
  expect(service.output()).not.toContain('internal error');

  // What was there before, and was acknowledged, is there after a crash.
  await service.kill();
  await service.start();
  expect((await service.call('GET', `/api/v1/wallets/${made.body.wallet_id}`)).status).toBe(200);
});
