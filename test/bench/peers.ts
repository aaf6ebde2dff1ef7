/**
 * Other wallets that benches compare with, each a process of its own whose CPU time is read from the kernel: Bitcoin Core's (the node that
 * the tests use), and bcoin's where BCOIN names a folder with it (`git clone --branch v2.2.0 https://github.com/bcoin-org/bcoin`, then
 * `npm rebuild bcrypto bdb` there), its database in memory.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { startTestNode } from '../builders/regtest-node.ts';

export interface Request {
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Peer {
  readonly name: string;
  readonly origin: string;
  /** User and system time of the process so far. */
  micros(): number;
  mine(): Promise<void>;
  stop(): Promise<void>;
}

const TICKS_PER_SECOND = 100;
export function processMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
}

export interface CorePeer extends Peer {
  readonly address: () => Promise<string>;
  call(method: string, ...params: unknown[]): Request;
}

/** A wallet of `coins` confirmed coins, each on an address of its own. */
export async function startCore(coins: number): Promise<CorePeer> {
  const node = await startTestNode({ extraArgs: ['-fallbackfee=0.00002', '-rpcworkqueue=256', '-rpcthreads=8'] });
  await node.mine(101 + Math.ceil(coins / 200));
  for (let made = 0; made < coins; made += 200) {
    const amounts: Record<string, number> = {};
    for (let i = 0; i < Math.min(200, coins - made); i++) amounts[await node.rpc<string>('getnewaddress')] = 0.01;
    await node.rpc('sendmany', '', amounts);
    await node.mine(1, await node.rpc<string>('getnewaddress'));
  }
  const credential = Buffer.from(readFileSync(node.cookieFile, 'utf8').trim()).toString('base64');
  const headers = { authorization: `Basic ${credential}`, 'content-type': 'application/json' };
  return {
    name: 'Bitcoin Core',
    origin: new URL(node.rpcUrl).origin,
    micros: () => processMicros(node.pid),
    address: () => node.rpc<string>('getnewaddress'),
    call: (method, ...params) => ({
      ...{ path: '/wallet/test', method: 'POST', headers },
      body: JSON.stringify({ id: 0, method, params }),
    }),
    mine: async () => void (await node.mine(1, await node.rpc<string>('getnewaddress'))),
    stop: () => node.stop(),
  };
}

const BCOIN_NODE = `
const { FullNode, wallet } = require(process.env.BCOIN);
const [http, walletHttp, coins] = process.argv.slice(1).map(Number);
const node = new FullNode({
  network: 'regtest', memory: true, workers: false, logLevel: 'none', plugins: [wallet.plugin], listen: false,
  'http-port': http, 'no-auth': true, 'wallet-http-port': walletHttp, 'wallet-no-auth': true, port: http + 1,
});
process.on('message', async (message) => {
  if (message === 'mine') await mine(1);
  process.send('done');
});
let purse;
async function mine(count) {
  const address = await purse.receiveAddress();
  for (let i = 0; i < count; i++) await node.chain.add(await node.miner.mineBlock(node.chain.tip, address));
  while (node.require('walletdb').wdb.state.height < node.chain.height) await new Promise((done) => setTimeout(done, 10));
}
(async () => {
  await node.ensure(); await node.open(); await node.connect();
  purse = await node.require('walletdb').wdb.create({ id: 'purse', witness: true });
  const bench = await node.require('walletdb').wdb.create({ id: 'bench', witness: true });
  await mine(101 + Math.ceil(coins / 200));
  for (let made = 0; made < coins; made += 200) {
    const outputs = [];
    for (let i = 0; i < Math.min(200, coins - made); i++)
      outputs.push({ address: (await bench.createReceive()).getAddress(), value: 1000000 });
    await purse.send({ rate: 10000, outputs });
    await mine(1);
  }
  process.send('ready');
})().catch((error) => { console.error(error); process.exit(1); });
`;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
};

/** The same of bcoin's; null where it is not there. Its wallet is named \`bench\`. */
export async function startBcoin(coins: number): Promise<Peer | null> {
  if (!process.env.BCOIN) {
    console.log('bcoin: left out, BCOIN names no folder with it');
    return null;
  }
  const [http, walletHttp] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, ['-e', BCOIN_NODE, String(http), String(walletHttp), String(coins)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const pid = child.pid as number;
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error('bcoin has ended: it wants its native modules, see above')));
  await once(child, 'message', { signal: ended.signal });
  return {
    name: 'bcoin',
    origin: `http://127.0.0.1:${walletHttp}`,
    micros: () => processMicros(pid),
    async mine() {
      child.send('mine');
      await once(child, 'message');
    },
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Sends requests from a process of its own, so that its time is nobody's. */
export function startCaller() {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ['caller']);
  return {
    /** Seconds from the first request to the last answer. Throws on an answer that is no 2xx. */
    async send(origin: string, requests: readonly Request[], atOnce: number): Promise<number> {
      child.send({ origin, requests, atOnce });
      const [{ seconds, refused }] = await once(child, 'message');
      if (refused) throw new Error(refused);
      return seconds;
    },
    stop: () => child.kill(),
  };
}

if (process.argv[2] === 'caller' && process.send) {
  process.on(
    'message',
    async ({ origin, requests, atOnce }: { origin: string; requests: Request[]; atOnce: number }) => {
      const pool = new Pool(origin, { connections: atOnce, pipelining: 1 });
      let refused: string | null = null;
      const left = [...requests];
      const started = performance.now();
      const sender = async () => {
        for (let next = left.shift(); next !== undefined && refused === null; next = left.shift()) {
          const { statusCode, body } = await pool.request({ ...next, body: next.body ?? null });
          const text = await body.text();
          if (statusCode >= 300) refused = `${next.path}: ${statusCode} ${text}`;
        }
      };
      await Promise.all(Array.from({ length: atOnce }, sender)).catch((error) => {
        refused = String(error);
      });
      const seconds = (performance.now() - started) / 1000;
      await pool.close();
      process.send?.({ seconds, refused });
    },
  );
}
