/** A key that is given to sign is nowhere afterwards: not in the log, an error, a metric or the database. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { hash160 } from '../../../src/core/hashes.ts';
import { networkParameters } from '../../../src/core/network.ts';
import { bip32 } from '../../../src/core/wallets/hd-key.ts';
import { startTestApp, type TestApp } from '../../builders/app.ts';
import { freePort } from '../../builders/service-process.ts';
import { noteSecret } from '../../secrets/collected.ts';
import { ELSEWHERE, psbtHttp } from './psbt-http.ts';

const logged: string[] = [];
let service: TestApp;
let metricsPort: number;
const { ask, ok } = psbtHttp(() => service);

const root = bip32.fromSeed(Buffer.alloc(32, 77), networkParameters('regtest'));
const fingerprint = Buffer.from(root.fingerprint).toString('hex');
const child = root.derivePath("m/84'/1'/0'/0/9");
const account = root.derivePath("m/84'/1'/0'");
const hex = Buffer.from(child.privateKey as Uint8Array).toString('hex');
/** The same key in every form that is taken. */
const FORMS: readonly [string, string][] = [
  ['WIF', child.toWIF()],
  ['64 hex digits', hex],
  ['a master key', root.toBase58()],
  ['an account key with its origin', `[${fingerprint}/84h/1h/0h]${account.toBase58()}`],
  ['an account key alone', account.toBase58()],
];
const SECRETS = [...new Set(FORMS.map(([, key]) => key.replace(/^\[.*\]/, '')))];

beforeAll(async () => {
  for (const secret of SECRETS) noteSecret('key', secret);
  metricsPort = await freePort();
  service = await startTestApp({
    log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
    env: { METRICS_PORT: String(metricsPort) },
  });
  await service.listen();
});
afterAll(() => service.close());

const unsigned = async (derivation = true) =>
  (
    await ok('create', {
      inputs: [
        {
          txid: 'ab'.repeat(32),
          vout: 0,
          witness_utxo: { script: `0014${hash160(child.publicKey).toString('hex')}`, amount: '1' },
          ...(derivation
            ? {
                bip32_derivation: [
                  { pubkey: Buffer.from(child.publicKey).toString('hex'), fingerprint, path: 'm/84h/1h/0h/0/9' },
                ],
              }
            : {}),
        },
      ],
      outputs: [{ address: ELSEWHERE, amount: '0.9' }],
    })
  ).psbt as string;

/** Everything that the service has written. */
function everything(): string {
  const files = readdirSync(service.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'admin-credentials.json')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  return [...files, ...logged].join('\n');
}

describe('a key to sign with', () => {
  it.each(FORMS)('as %s signs, and is in no answer', async (_, key) => {
    const answer = await ask('sign', { psbt: await unsigned(), key });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.signed_inputs).toEqual([0]);
    for (const secret of SECRETS) expect(answer.text).not.toContain(secret);
  });

  it('is in no refusal, whatever is wrong', async () => {
    const psbt = await unsigned(false);
    for (const [, key] of FORMS) {
      const wrong: unknown[] = [
        { psbt: 'x', key },
        { psbt: key, key: psbt },
        { psbt, key: `${key}x` },
        { psbt, key: key.slice(1) },
        { psbt, key: [key] },
        { psbt, key, sighash_types_allowed: [key] },
        { psbt, key, surprise: key },
        { key },
        key,
        `{"psbt":"${psbt}","key":"${key}"`,
      ];
      for (const body of wrong) {
        const answer = await ask('sign', body);
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
        for (const secret of SECRETS) expect(answer.text).not.toContain(secret);
      }
    }
    for (const apiKey of [null, await service.key({ role: 'viewer' })])
      expect((await ask('sign', { psbt, key: hex }, { apiKey })).text).not.toContain(hex);
  });

  it('is in no log, no file and no metric', async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(metrics).toContain('operation="psbt.sign"');
    const written = everything() + metrics;
    expect(logged.length).toBeGreaterThan(50);
    expect(written.length).toBeGreaterThan(10_000);
    for (const secret of SECRETS) expect(written.includes(secret), secret.slice(0, 4)).toBe(false);
    const bytes = Buffer.from(hex, 'hex');
    expect(written.includes(bytes.toString('latin1'))).toBe(false);
    expect(written.includes(bytes.toString('base64'))).toBe(false);
  });

  it('leaves no digest of its body, from which it could be guessed', () => {
    const declaration = service.app.operations.find(({ id }) => id === 'psbt.sign');
    expect(declaration?.secretBody).toBe(true);
  });
});
