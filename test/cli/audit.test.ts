/** The audit log from the command line: exported beside a running service, verified without one. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI } from '../builders/built.ts';
import { childEnvironment } from '../builders/child-environment.ts';
import { type ServiceProcess, startService } from '../builders/service-process.ts';

let service: ServiceProcess;
let folder: string;
let file: string;

function ashlar(args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', CLI, 'audit', ...args],
    { env: { ...childEnvironment, DATA_DIR: service.dataDir, ...env }, cwd: folder, encoding: 'utf8' },
  );
  return { status, stderr, json: () => JSON.parse(stdout) };
}
/** As an auditor has it: no database, no service. */
const elsewhere = (args: string[]) => ashlar(args, { DATA_DIR: join(folder, 'nothing') });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ashlar-audit-cli-'));
  file = join(folder, 'export.ndjson');
  service = await startService({ CHAIN: 'simulated' });
  const wallet = { name: 'one', type: 'segwit', backup_type: 'none' };
  const made = await service.call('POST', '/api/v1/wallets', wallet);
  expect(made.status).toBe(201);
  for (const name of ['two', 'three', 4]) {
    await service.call('PATCH', `/api/v1/wallets/${made.body.wallet_id}`, { name });
  }
  await fetch(`${service.baseUrl}/api/v1/wallets`);
  for (;;) {
    const { body } = await service.call('GET', '/api/v1/compliance/audit');
    if (body.data.every((record: { seal: unknown }) => record.seal !== null)) break;
  }
});
afterAll(async () => {
  await service?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

describe('ashlar audit', () => {
  it('exports every log into a new file for its owner alone', () => {
    const made = ashlar(['export', file]);
    expect([made.status, made.json()]).toEqual([0, { file, logs: 2 }]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(ashlar(['export', file]).status).toBe(2);
    const one = join(folder, 'service.ndjson');
    expect(ashlar(['export', one, '--account', 'service']).json().logs).toBe(1);
    expect(elsewhere(['verify', one]).json().logs).toMatchObject([{ log: 'service', records: 1 }]);
  });

  it('verifies an export without service and database', () => {
    const [key] = ashlar(['key']).json().keys;
    for (const given of [[], ['--key', key.public_key], ['--key', key.verifier]]) {
      const answer = elsewhere(['verify', file, ...given]);
      expect(answer.status, answer.stderr).toBe(0);
      expect(answer.json()).toMatchObject({
        verified: true,
        logs: [
          { log: 'service', records: 1, key: given.length > 0 ? 'given' : 'from the file' },
          { records: 6, request_signatures: 3, signatures_without_key: 0 },
        ],
      });
      expect(answer.stderr.includes('compare them')).toBe(given.length === 0);
    }
    expect(existsSync(join(folder, 'nothing'))).toBe(false);
    expect(elsewhere(['verify', file, '--key', Buffer.alloc(32, 1).toString('base64')]).status).toBe(1);
  });

  it('names the first bad record, with exit code 1', () => {
    const changed = join(folder, 'changed.ndjson');
    const text = readFileSync(file, 'utf8');
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.includes('"position":4,'));
    const { id } = JSON.parse(lines[at]!).entry;
    writeFileSync(changed, lines.with(at, lines[at]!.replace('wallet.update', 'wallet.delete')).join('\n'));
    const answer = elsewhere(['verify', changed]);
    expect(answer.status).toBe(1);
    expect(answer.json()).toMatchObject({ verified: false, line: at + 1, position: 4, record_id: id });
    expect(answer.stderr).toContain(`line ${at + 1}, position 4, ${id}: it was changed`);
    writeFileSync(changed, Buffer.concat([Buffer.from(text), Buffer.from([0xff])]));
    expect(elsewhere(['verify', changed]).json().problem).toBe('the line is not UTF-8');
    expect(elsewhere(['verify', join(folder, 'none')]).status).toBe(2);
    expect(elsewhere(['verify']).status).toBe(2);
    expect(elsewhere(['verify', file, '--key', 'x']).status).toBe(2);
  });

  it('rotates the key: new heads are signed by the new one, old ones stay known', async () => {
    const before = ashlar(['key']).json().keys;
    const { keys } = ashlar(['rotate-key']).json();
    expect(keys).toEqual([...before, expect.objectContaining({ verifier: expect.any(String) })]);
    const shown = (await service.call('GET', '/api/v1/compliance/audit/checkpoint?log=service')).body;
    expect(shown.keys.map((key: { key_id: string }) => key.key_id)).toEqual(
      keys.map((key: { key_id: string }) => key.key_id),
    );
    expect(shown.head.key_id).toBe(keys[1].key_id);
    const after = join(folder, 'after.ndjson');
    expect(ashlar(['export', after, '--account', 'service']).status).toBe(0);
    expect(elsewhere(['verify', after, '--key', keys[1].public_key]).status).toBe(0);
    expect(elsewhere(['verify', after, '--key', keys[0].public_key]).status).toBe(1);
    expect(elsewhere(['verify', file, '--key', keys[0].public_key]).status).toBe(0);
  });
});
