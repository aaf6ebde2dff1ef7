/** The steps of docs/operating.md for a master key that is mounted, in mount namespaces laid out as Docker and Kubernetes do. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLI } from '../builders/built.ts';
import { childEnvironment } from '../builders/child-environment.ts';
import { type ServiceProcess, startService } from '../builders/service-process.ts';

const GUIDE = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
/** In the guide's order. */
const documented = [...GUIDE.matchAll(/node dist\/cli\.js (master-key rotate --to (\S+))$/gm)].map(
  ([, command, to]) => ({
    command: command!.split(' '),
    to: to!,
  }),
);
const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0;

const folder = mkdtempSync(join(tmpdir(), 'ashlar-mounted-'));
const files = ['1', '2', '3'].map((name) => join(folder, name));
let service: ServiceProcess;
beforeAll(async () => {
  for (const file of files) writeFileSync(file, randomBytes(32), { mode: 0o600 });
  service = await start(files[0]!);
});
afterAll(async () => {
  await service?.dispose();
  rmSync(folder, { recursive: true, force: true });
});
const start = (key: string, dataDir?: string) =>
  startService({ CHAIN: 'simulated', MASTER_KEY_FILE: key }, dataDir === undefined ? {} : { dataDir });

/** Runs `ashlar ...args` where /run/secrets is as `layout`, shell commands over $PRESENT and $NEXT, makes it. */
function ashlar(layout: string, env: Record<string, string>, args: readonly string[]) {
  const script = `mount -t tmpfs none /run && mkdir -p /run/secrets && ${layout} && exec "$@"`;
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', CLI, ...args];
  const { status, stdout, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', script, 'sh', ...command], {
    env: { ...childEnvironment, DATA_DIR: service.dataDir, ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** A file bound to a file, each by itself. */
const DOCKER = `touch /run/secrets/master_key /run/secrets/next &&
  mount --bind "$PRESENT" /run/secrets/master_key && mount --bind "$NEXT" /run/secrets/next`;
/** A read-only folder each, in which the file is a link into a dated folder. */
const secret = (mount: string, key: string) =>
  `mkdir ${mount} && mount -t tmpfs none ${mount} && mkdir ${mount}/..2026 && ln -s ..2026 ${mount}/..data &&
  install -m 0400 "$${key}" ${mount}/..2026/master.key && ln -s ..data/master.key ${mount}/master.key && mount -o remount,ro ${mount}`;
const KUBERNETES = `${secret('/run/secrets/ashlar', 'PRESENT')} && ${secret('/run/secrets/next', 'NEXT')}`;

// Skipped where this user may make no mount namespaces.
it.skipIf(!mayMount).each([
  ['Docker', DOCKER, '/run/secrets/master_key', 0],
  ['Kubernetes', KUBERNETES, '/run/secrets/ashlar/master.key', 1],
] as const)('%s', async (_, layout, mounted, at) => {
  const { command, to } = documented[at]!;
  const [present, next] = [files[at]!, files[at + 1]!];
  const env = { MASTER_KEY_FILE: mounted, PRESENT: present, NEXT: next };
  const wallet = await service.call('POST', '/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' });
  await service.stop();

  const refused = ashlar(layout, env, ['master-key', 'rotate']);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('rotate --to')]);

  const done = ashlar(layout, env, command);
  expect(done.status, done.stderr).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ master_key_file: to, former_key_file: mounted });
  expect(ashlar(layout, env, command).stderr).toContain("is this database's already");

  service = await start(next, service.dataDir);
  const backup = await service.call('POST', `/api/v1/wallets/${wallet.body.wallet_id}/backup`, {});
  expect(backup.status, JSON.stringify(backup.body)).toBe(200);
});
