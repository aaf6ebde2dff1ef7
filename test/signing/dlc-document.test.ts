/** docs/dlc.md, as it stands there: from the first call to the payout, and a contract between two services. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLI } from '../builders/built.ts';
import { childEnvironment } from '../builders/child-environment.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';

const run = promisify(execFile);
const DOCUMENT = readFileSync(new URL('../../docs/dlc.md', import.meta.url), 'utf8');
const [ALONE = '', TOGETHER = ''] = [...DOCUMENT.matchAll(/```bash\n([\s\S]*?)\n```/g)].map(([, block]) => block);
const BUILT = 'ashlar() { npm run -s ashlar -- "$@"; }';
// The command line from source: the suite has no build.
const SOURCE = `ashlar() { node --disable-warning=ExperimentalWarning "${CLI}" "$@"; }`;

let node: TestNode;
let services: ServiceProcess[];
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ashlar-dlc-'));
  node = await startTestNode();
  await node.mine(101);
  const env = { CHAIN: 'bitcoind', BITCOIN_RPC_URL: node.rpcUrl, BITCOIN_RPC_COOKIE_FILE: node.cookieFile };
  services = [await startService(env), await startService(env)];
});
afterAll(async () => {
  for (const service of services ?? []) await service.dispose();
  await node?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const bash = async (script: string, env: Record<string, string> = {}): Promise<string[]> => {
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { ...childEnvironment, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...env },
  });
  return stdout.trim().split('\n');
};
const reachedBy = ({ baseUrl, dataDir }: ServiceProcess) => ({ ASHLAR_URL: baseUrl, DATA_DIR: dataDir });

it('goes from the first call to the payout', async () => {
  const [service] = services as [ServiceProcess];
  expect(ALONE).toContain(BUILT);
  const lines = await bash(ALONE.replace(BUILT, SOURCE), reachedBy(service));
  expect(lines.slice(-3)).toEqual(['confirmed', expect.stringMatching(/^[0-9a-f]{64}$/), 'closed']);
});

it('has two services make a contract by messages', async () => {
  const [offerer, accepter] = services as [ServiceProcess, ServiceProcess];
  // The first service has the wallet of the calls before.
  const { body } = await accepter.call('POST', '/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' });
  const { body: reserved } = await accepter.call('POST', `/api/v1/wallets/${body.wallet_id}/addresses`);
  await node.send(reserved.address, '1');
  await node.mine(1);
  const followed = async () => (await accepter.call('GET', '/api/v1/blockchain/status')).body.follower.lag === 0;
  await eventually('the coin is followed', followed);
  const as = (name: string, { baseUrl, dataDir }: ServiceProcess) =>
    `${name}() { ASHLAR_URL=${baseUrl} DATA_DIR=${dataDir} ashlar "$@"; }`;
  const field = /^field\(\) .*$/m.exec(ALONE)?.[0] ?? '';
  const script = [SOURCE, field, as('offerer', offerer), as('accepter', accepter), TOGETHER].join('\n');
  const lines = await bash(script);
  expect(lines).toEqual([expect.stringMatching(/^\d{10}$/), 'true', 'funded', 'executed']);
  expect(JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8'))).toMatchObject({ version: 1, role: 'accepter' });
});
