/** What commands change is on the record, as changed by whoever ran them. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountId } from '../../src/core/ids.ts';
import { CLI } from '../builders/built.ts';
import { childEnvironment } from '../builders/child-environment.ts';
import { type ServiceProcess, startService } from '../builders/service-process.ts';

const WHO = { kind: 'command', id: userInfo().username };
const AUDIT = '/api/v1/compliance/audit?limit=100';
let service: ServiceProcess;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ashlar-recorded-'));
  service = await startService({ CHAIN: 'simulated' });
});
afterAll(async () => {
  await service?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

interface Shown {
  operation: string;
  target: string;
  outcome: string;
  account_id: AccountId | null;
  credential: object;
  entry: string;
  seal: object | null;
}

function ashlar(args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', CLI, ...args],
    {
      env: { ...childEnvironment, DATA_DIR: service.dataDir, ASHLAR_URL: service.baseUrl, ...env },
      cwd: folder,
      encoding: 'utf8',
    },
  );
  return { status, stderr, json: () => JSON.parse(stdout) };
}
const done = (...args: string[]) => {
  const { status, stderr, json } = ashlar(args);
  expect(status, stderr).toBe(0);
  return json();
};
const oldestFirst = ({ data }: { data: Shown[] }) => data.reverse();
const records = async (log = 'account') => oldestFirst((await service.call('GET', `${AUDIT}&log=${log}`)).body);
const told = (all: Shown[]) => all.map(({ operation, target, credential }) => ({ operation, target, credential }));

describe('the record', () => {
  it('begins with what the first start made', async () => {
    const all = await records();
    const credential = { kind: 'service', id: 'first-start' };
    expect(all).toMatchObject([
      { operation: 'account.create', outcome: 'done', target: all[0]?.account_id, credential },
      { operation: 'api-key.create', outcome: 'done', credential },
    ]);
    expect(done('keys', 'list').data[0].api_key_id).toBe(all[1]?.target);
  });

  it("has the keys that commands make, rotate and revoke, in their account's log; of what was refused nothing", async () => {
    const before = (await records()).length;
    const made = done('keys', 'create', '--name', 'k').api_key_id;
    const next = done('keys', 'rotate', made).api_key_id;
    done('keys', 'revoke', next);
    for (const refused of [
      ['revoke', next],
      ['rotate', made],
      ['create', '--name', 'k', '--account', 'nobody'],
    ]) {
      expect(ashlar(['keys', ...refused]).status, refused.join(' ')).toBe(1);
    }
    done('keys', 'list');
    const all = (await records()).slice(before);
    expect(told(all)).toEqual([
      { operation: 'api-key.create', target: made, credential: WHO },
      { operation: 'api-key.rotate', target: next, credential: WHO },
      { operation: 'api-key.revoke', target: next, credential: WHO },
    ]);
    const nothing = { method: null, path: null, remote_address: null, request_id: null, digest: null, signature: null };
    const unsigned = { outcome: 'done', credential: { kind: 'command', signature_required: false } };
    for (const { entry } of all) expect(JSON.parse(entry)).toMatchObject({ ...nothing, ...unsigned });
  });

  it('has accounts, frozen and unfrozen, each in its own log', async () => {
    const before = [(await records()).length, (await records('service')).length];
    const out = join(folder, 'tenant.json');
    const target = done('accounts', 'create', 'Tenant', '--out', out).account_id;
    done('accounts', 'freeze', 'Tenant', '--reason', 'ordered');
    done('accounts', 'unfreeze', 'Tenant');
    expect(ashlar(['accounts', 'create', 'Tenant']).status).toBe(1);
    expect(ashlar(['accounts', 'freeze', 'default']).status).toBe(1);
    const all = oldestFirst(ashlar(['request', 'GET', AUDIT], { ASHLAR_CREDENTIALS: out }).json());
    expect(told(all)).toEqual(
      ['account.create', 'account.freeze', 'account.unfreeze'].map((operation) => ({
        ...{ operation, target, credential: WHO },
      })),
    );
    expect([(await records()).length, (await records('service')).length]).toEqual(before);
  });

  it("has the service's keys in the log of the service, once each, and all of it verifies", async () => {
    const before = (await records('service')).length;
    const [waiting, first] = done('token-keys', 'rotate').data;
    // One waits for its turn already: nothing is changed.
    done('token-keys', 'rotate');
    done('token-keys', 'revoke', first.kid);
    done('audit', 'rotate-key');
    await service.stop();
    const { key_id: masterKey } = done('master-key', 'rotate');
    await service.start();
    const all = (await records('service')).slice(before);
    expect(told(all)).toEqual([
      { operation: 'token-key.rotate', target: waiting.kid, credential: WHO },
      { operation: 'token-key.revoke', target: first.kid, credential: WHO },
      { operation: 'audit-key.rotate', target: 'audit heads 2', credential: WHO },
      { operation: 'master-key.rotate', target: masterKey, credential: WHO },
    ]);
    while ((await records('service')).some(({ seal }) => seal === null)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const file = join(folder, 'all.ndjson');
    done('audit', 'export', file);
    expect(done('audit', 'verify', file)).toMatchObject({ verified: true, logs: [{ log: 'service' }, {}, {}] });
  });
});
