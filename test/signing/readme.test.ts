/** The first five calls of README.md, as they stand there, against a service of its own. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLI } from '../builders/built.ts';
import { childEnvironment } from '../builders/child-environment.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';

const run = promisify(execFile);
const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

let service: ServiceProcess;
beforeAll(async () => {
  service = await startService({ CHAIN: 'simulated' });
});
afterAll(() => service.dispose());

const environment = () => ({
  ...childEnvironment,
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  DATA_DIR: service.dataDir,
  ASHLAR_URL: service.baseUrl,
});
const blocks = [...README.matchAll(/```bash\n([\s\S]*?)\n```/g)].map(([, block = '']) => block);

it('makes a wallet, gets coins, pays and raises the fee', async () => {
  const [block = ''] = blocks;
  const [, built] = /^(ashlar\(\) \{.*\})$/m.exec(block) ?? [];
  expect(built).toBe('ashlar() { npm run -s ashlar -- "$@"; }');
  // The command line from source: the suite has no build.
  const calls = block.replace(
    built as string,
    `ashlar() { node --disable-warning=ExperimentalWarning "${CLI}" "$@"; }`,
  );
  const follower = 'process.exit(JSON.parse(require("fs").readFileSync(0)).follower.height >= 101 ? 0 : 1)';
  const read = `until ashlar request GET /api/v1/blockchain/status | node -e '${follower}'; do sleep 0.1; done`;
  const settled = calls.replace('# 4.', `${read}\n# 4.`);
  await run('bash', ['-eu', '-c', settled], { env: environment() });
  await eventually('two transactions, one replaced', async () => {
    const { body } = await service.call('GET', '/api/v1/transactions?direction=outgoing');
    return (
      body.data
        ?.map(({ status }: { status: string }) => status)
        .sort()
        .join() === 'broadcast,replaced'
    );
  });
});

it('reads with the API key alone', async () => {
  const [, block = ''] = blocks;
  const here = block.replace('http://127.0.0.1:3000', service.baseUrl);
  const { stdout } = await run('bash', ['-eu', '-c', here], { env: environment() });
  expect(JSON.parse(stdout)).toMatchObject({ pagination: { limit: 20 } });
});
