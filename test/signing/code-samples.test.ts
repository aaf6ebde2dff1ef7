/** The samples of /openapi.json, which /docs shows, as they stand there, against a service of their own. */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLI } from '../builders/built.ts';
import { childEnvironment } from '../builders/child-environment.ts';
import { type ServiceProcess, startService } from '../builders/service-process.ts';

const run = promisify(execFile);

/** What modifies, reads, computes, and is public; each without an id that only its own service knows. */
const RUN = [
  ...['wallet.create', 'blocks.mine', 'api-key.create', 'taproot-output.create', 'account.create'],
  ...['wallet.list', 'blockchain-status.get', 'oracle.list', 'audit.list'],
  ...['psbt.create', 'descriptor.checksum', 'script.assemble', 'message.verify', 'address.validate'],
  ...['liveness.get', 'readiness.get', 'oauth-metadata.get', 'key-set.get'],
];

interface Described {
  operationId: string;
  security: Record<string, unknown>[];
  'x-codeSamples': { lang: string; label: string; source: string }[];
}

let service: ServiceProcess;
let operations: Described[];
beforeAll(async () => {
  service = await startService({ CHAIN: 'simulated' });
  const document = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
  const { paths } = document as { paths: Record<string, Record<string, Described>> };
  operations = Object.values(paths).flatMap((methods) => Object.values(methods));
});
afterAll(() => service.dispose());

it('are there for every operation, signed where that is needed', () => {
  for (const { operationId, security, 'x-codeSamples': samples } of operations) {
    const labels = samples.map(({ label }) => label);
    expect(labels.length, operationId).toBeGreaterThan(0);
    const signed = security.length > 0 && security.every(({ requestSignature }) => requestSignature !== undefined);
    if (signed) expect(labels, operationId).toEqual(['ashlar']);
    for (const { source } of samples) expect(source, operationId).not.toMatch(/\/\{\w+\}/);
  }
});

it.each(RUN)('work as they stand: %s', async (id) => {
  const samples = operations.find(({ operationId }) => operationId === id)?.['x-codeSamples'] ?? [];
  expect(samples.length).toBeGreaterThan(0);
  const env = {
    ...childEnvironment,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    DATA_DIR: service.dataDir,
    ASHLAR_URL: service.baseUrl,
    KEY: service.apiKey,
  };
  // The command line from source: the suite has no build. curl says by its exit code what was refused.
  const functions = `ashlar() { node --disable-warning=ExperimentalWarning "${CLI}" "$@"; }\ncurl() { command curl -sS --fail-with-body "$@"; }`;
  for (const { source } of samples) {
    const { stdout } = await run('bash', ['-eu', '-c', `${functions}\n${source}`], { env });
    expect(JSON.parse(stdout)).toEqual(expect.any(Object));
  }
});
