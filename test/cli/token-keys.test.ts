/** `ashlar token-keys` beside a running service, which goes by what it did. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI } from '../builders/built.ts';
import { childEnvironment } from '../builders/child-environment.ts';
import { type ServiceProcess, startService } from '../builders/service-process.ts';

let service: ServiceProcess;

beforeAll(async () => {
  service = await startService({ CHAIN: 'simulated' });
});
afterAll(() => service?.dispose());

function tokenKeys(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', CLI, 'token-keys', ...args],
    { env: { ...childEnvironment, DATA_DIR: service.dataDir }, cwd: service.dataDir, encoding: 'utf8' },
  );
  return { status, stderr, data: () => JSON.parse(stdout).data };
}
async function published(): Promise<string[]> {
  const response = await fetch(`${service.baseUrl}/.well-known/jwks.json`);
  const { keys } = (await response.json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
}

describe('ashlar token-keys', () => {
  it('shows, rotates and revokes, and the service publishes what it made', async () => {
    const [first] = await published();
    expect(tokenKeys('list').data()).toMatchObject([{ kid: first, signing: true, published: true, signs_until: null }]);

    const [next, present] = tokenKeys('rotate').data();
    expect(next).toMatchObject({ signing: false, published: true });
    expect(present).toMatchObject({ kid: first, signing: true, signs_until: next.signs_from });
    expect(await published()).toEqual([first, next.kid]);

    expect(tokenKeys('revoke', first ?? '').status).toBe(0);
    expect(await published()).toEqual([next.kid]);
    const again = tokenKeys('revoke', first ?? '');
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('no token key')]);
  });

  it('says what is wrong with a command line', () => {
    for (const args of [[], ['revoke'], ['rotate', 'x'], ['frobnicate'], ['list', 'a', 'b']]) {
      const { status, stderr } = tokenKeys(...args);
      expect([status, stderr]).toEqual([2, expect.stringContaining('token-keys list')]);
    }
  });
});
