/** The programs of docs/signing that sign in other languages, each where its tool is installed. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { thumbprintOf } from '../../src/core/request-signatures/signing-algorithm.ts';
import { startTestApp, type TestApp } from '../builders/app.ts';

const run = promisify(execFile);
const pathOf = (file: string) => fileURLToPath(new URL(`../../docs/signing/${file}`, import.meta.url));
const LANGUAGES: { tool: string; probe: string[]; command: string[] }[] = [
  { tool: 'python3', probe: ['-c', 'import cryptography'], command: [pathOf('ashlar_request.py')] },
  { tool: 'go', probe: ['version'], command: ['run', pathOf('ashlar_request.go')] },
  { tool: 'java', probe: ['--version'], command: [pathOf('AshlarRequest.java')] },
];
/** Of Java's launcher, where the locale says nothing of UTF-8. */
const UTF8 = { LC_ALL: 'C.UTF-8' };

let service: TestApp;
let origin: string;
let folder: string;
beforeAll(async () => {
  service = await startTestApp();
  origin = (await service.listen()).replace('[::1]', 'localhost');
  folder = mkdtempSync(join(tmpdir(), 'ashlar-languages-'));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

function credentialsOf(apiKey: string, pairOf = apiKey): string {
  const private_key = service.pairOf(pairOf);
  const key_id = thumbprintOf(private_key);
  const file = join(folder, `${apiKey}.json`);
  writeFileSync(file, JSON.stringify({ api_key: apiKey, key_id, private_key }, null, 2), { mode: 0o600 });
  return file;
}

describe.each(LANGUAGES)('$tool', ({ tool, probe, command }) => {
  const missing = spawnSync(tool, probe).status !== 0;
  const name = (of: string) => (missing ? `skipped: no ${tool}` : of);
  const request = async (credentials: string, args: string[], env: Record<string, string> = {}) => {
    const { PATH = '', HOME = folder } = process.env;
    const variables = { PATH, HOME, ...UTF8, ASHLAR_CREDENTIALS: credentials, ...env };
    const { stdout } = await run(tool, [...command, ...args], { env: variables });
    return JSON.parse(stdout);
  };
  const wallet = (named: string) => JSON.stringify({ name: named, type: 'segwit', backup_type: 'none' });

  it.skipIf(missing)(name('signs with body and query and without, and repeats safely'), async () => {
    const odd = `Käse & "Brot" 100% $(x) ${tool}`;
    const credentials = credentialsOf(service.adminKey);
    const once = () =>
      request(credentials, ['POST', `${origin}/api/v1/wallets`, wallet(odd)], { IDEMPOTENCY_KEY: `${tool}-1` });
    const made = await once();
    expect(made.name).toBe(odd);
    expect(await once()).toEqual(made);
    const address = await request(credentials, ['POST', `${origin}/api/v1/wallets/${made.wallet_id}/addresses`]);
    expect(address.address).toMatch(/^bcrt1/);
    const query = `limit=1&name=${encodeURIComponent(odd)}`;
    expect((await request(credentials, ['GET', `${origin}/api/v1/wallets?${query}`])).data).toHaveLength(1);
    const asked = await request(credentials, ['POST', `${origin}/api/v1/transactions?dry_run=false`, '{}']);
    expect(asked.error.code).toBe('invalid_request');
  });

  it.skipIf(missing)(name('is refused with the key of another'), async () => {
    const credentials = credentialsOf(await service.key(), service.adminKey);
    const refused = await request(credentials, ['POST', `${origin}/api/v1/wallets`, wallet('x')]);
    expect(refused.error.details.code).toBe('signature_invalid');
  });
});
