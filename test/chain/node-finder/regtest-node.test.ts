import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRpcClient } from '../../../src/chain/bitcoind/rpc-client.ts';
import { findBitcoind } from '../../../src/chain/node-finder/find-bitcoind.ts';
import { type RegtestNode, startRegtestNode } from '../../../src/chain/node-finder/regtest-node.ts';
import { collectedLog } from '../../secrets/collected.ts';

const log = collectedLog();
const NOBODY = `raw(0014${'00'.repeat(20)})`;

describe('a regtest node of our own', () => {
  let binary: string;
  let dataDir: string;
  const nodes: RegtestNode[] = [];

  beforeAll(async () => {
    const found = await findBitcoind({ env: process.env });
    if (found.binary === null) throw new Error(found.reason);
    binary = found.binary;
    dataDir = await mkdtemp(join(tmpdir(), 'ashlar-regtest-'));
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  const start = async (): Promise<RegtestNode> => {
    const node = await startRegtestNode({ binary, dataDir, log });
    nodes.push(node);
    return node;
  };
  async function ask<T>(node: RegtestNode, method: string, ...params: unknown[]): Promise<T> {
    const client = createRpcClient({ url: node.rpcUrl, cookieFile: node.cookieFile });
    try {
      return await client.call<T>(method, params);
    } finally {
      await client.close();
    }
  }
  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('listens on loopback only, with both indexes, ZMQ and no peers', async () => {
    const node = await start();
    expect(node.rpcUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const indexes = await ask<object>(node, 'getindexinfo');
    expect(Object.keys(indexes).toSorted()).toEqual(['basic block filter index', 'txindex']);
    const zmq = await ask<{ type: string; address: string }[]>(node, 'getzmqnotifications');
    expect(zmq.map(({ type, address }) => [type, address]).toSorted()).toEqual([
      ['pubhashblock', node.zmqUrls[0]],
      ['pubrawtx', node.zmqUrls[0]],
    ]);
    expect(await ask<object>(node, 'getnetworkinfo')).toMatchObject({ connections: 0, localaddresses: [] });
  });

  it('keeps its chain over a stop, and ends when told', async () => {
    const first = await start();
    await ask(first, 'generatetodescriptor', 3, NOBODY);
    const height = await ask<number>(first, 'getblockcount');
    await first.stop();
    // A moment may pass until its parent, this process, has taken note of its end.
    await expect.poll(() => isRunning(first.pid)).toBe(false);
    const second = await start();
    expect(second.adopted).toBe(false);
    expect(await ask(second, 'getblockcount')).toBe(height);
  });

  it('takes over the node that a killed service left running, without losing a block', async () => {
    const service = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { startRegtestNode } from ${JSON.stringify(new URL('../../../src/chain/node-finder/regtest-node.ts', import.meta.url).href)};
         const quiet = { info() {}, warn() {} };
         const node = await startRegtestNode({ binary: ${JSON.stringify(binary)}, dataDir: ${JSON.stringify(dataDir)}, log: quiet });
         process.stdout.write(String(node.pid));
         setInterval(() => {}, 1000);`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [output] = (await once(service.stdout, 'data')) as [Buffer];
    service.kill('SIGKILL');
    await once(service, 'exit');
    const node = await start();
    expect(node).toMatchObject({ adopted: true, pid: Number(output.toString()) });
    await ask(node, 'generatetodescriptor', 1, NOBODY);
    const ended = new Promise<void>((resolve) => node.onExit(resolve));
    await node.kill();
    await ended;
    await node.restart();
    expect(await ask(node, 'getblockchaininfo')).toMatchObject({ chain: 'regtest' });
  });

  it('does not mistake another program for its node', async () => {
    const state = { pid: process.pid, rpcPort: 9, zmqPort: 10 };
    await writeFile(join(dataDir, 'ashlar-node.json'), JSON.stringify(state));
    const node = await start();
    expect(node.adopted).toBe(false);
    expect(JSON.parse(await readFile(join(dataDir, 'ashlar-node.json'), 'utf8'))).toMatchObject({ pid: node.pid });
  });

  it('tells of its end, and starts again at the same address', async () => {
    const node = await start();
    const { rpcUrl, pid } = node;
    let ends = 0;
    const ended = new Promise<void>((resolve) =>
      node.onExit(() => {
        ends += 1;
        resolve();
      }),
    );
    await node.kill();
    await ended;
    await node.restart();
    expect(node.rpcUrl).toBe(rpcUrl);
    expect(node.pid).not.toBe(pid);
    expect(await ask(node, 'getblockchaininfo')).toMatchObject({ chain: 'regtest' });
    await node.restart();
    expect(ends).toBe(1);
  });

  it('says what the node said when it cannot start', async () => {
    const node = startRegtestNode({ binary, dataDir, log, extraArgs: ['-nosuchoption'] });
    await expect(node).rejects.toThrow(/nosuchoption/);
  });
});
