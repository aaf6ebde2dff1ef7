import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRpcClient } from '../../src/chain/bitcoind/rpc-client.ts';
import { findBitcoind } from '../../src/chain/node-finder/find-bitcoind.ts';
import { startRegtestNode } from '../../src/chain/node-finder/regtest-node.ts';
import { collectedLog } from '../secrets/collected.ts';

export interface TestNode {
  readonly rpcUrl: string;
  readonly cookieFile: string;
  readonly zmqUrls: readonly string[];
  readonly dataDir: string;
  readonly pid: number;
  /** Any RPC of the node; throws RpcError. Amounts in answers are plain numbers: fine for tests that compare text elsewhere. */
  rpc<T = unknown>(method: string, ...params: unknown[]): Promise<T>;
  /** Mines to `address` (default: the node's own wallet where it has one, else an address nobody holds); answers the block hashes. */
  mine(count: number, address?: string): Promise<string[]>;
  /** Pays from the node's wallet, which is funded on first use; answers the txid (unconfirmed). */
  send(address: string, btc: string): Promise<string>;
  /** Ends the process without warning. Its blocks were flushed just before (a node writes them out about hourly); its mempool is lost. */
  kill(): Promise<void>;
  /** Starts it again on the same ports, after `kill`, `stop` or while running. */
  restart(): Promise<void>;
  /** Stops it, keeping its folder for `restart`. */
  halt(): Promise<void>;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
}

/** A regtest address whose key nobody knows (witness program of zeros). */
export const BURN_ADDRESS = 'bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202';

/** A real regtest node in a folder of its own, with a node wallet; the binary is found or fetched once per machine. */
export async function startTestNode(
  options: { extraArgs?: readonly string[]; wallet?: boolean } = {},
): Promise<TestNode> {
  const found = await findBitcoind({ env: process.env });
  if (found.binary === null) throw new Error(found.reason);
  const dataDir = await mkdtemp(join(tmpdir(), 'ashlar-node-'));
  const hasWallet = options.wallet ?? true;
  const node = await startRegtestNode({
    binary: found.binary,
    dataDir,
    log: collectedLog(),
    wallet: hasWallet,
    ...(options.extraArgs && { extraArgs: options.extraArgs }),
  });
  const client = createRpcClient({ url: node.rpcUrl, cookieFile: node.cookieFile });
  const walletClient = createRpcClient({ url: `${node.rpcUrl}/wallet/test`, cookieFile: node.cookieFile });
  const killAtExit = () => {
    try {
      process.kill(node.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  process.once('exit', killAtExit);
  if (hasWallet) await client.call('createwallet', ['test', false, false, '', false, true, true]);

  const mine = async (count: number, address?: string): Promise<string[]> => {
    const target = address ?? (hasWallet ? await walletClient.call<string>('getnewaddress') : BURN_ADDRESS);
    return client.call<string[]>('generatetoaddress', [count, target], { timeoutMs: 60_000 });
  };
  return {
    get rpcUrl() {
      return node.rpcUrl;
    },
    get zmqUrls() {
      return node.zmqUrls;
    },
    get pid() {
      return node.pid;
    },
    cookieFile: node.cookieFile,
    dataDir,
    rpc: <T>(method: string, ...params: unknown[]) =>
      (hasWallet ? walletClient : client).call<T>(method, params, { timeoutMs: 60_000 }),
    mine,
    async send(address, btc) {
      if ((await walletClient.call<number>('getbalance')) < Number(btc) + 1) await mine(101);
      return walletClient.call<string>('sendtoaddress', [address, btc]);
    },
    async kill() {
      await client.call('gettxoutsetinfo', ['none']);
      await node.kill();
    },
    restart: () => node.restart(),
    halt: () => node.stop(),
    async stop() {
      process.removeListener('exit', killAtExit);
      await Promise.all([client.close(), walletClient.close()]);
      await node.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
