import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open, readFile } from 'node:fs/promises';
import { resolve as absolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createRpcClient } from '../bitcoind/rpc-client.ts';
import { freePorts } from './free-ports.ts';
import { nodeArguments } from './node-arguments.ts';
import { hasExited, isAlive, isOurs, kill, untilGone } from './node-process.ts';
import { type NodePorts, type NodeState, readState, saveState } from './node-state.ts';
import { runCommand } from './run-command.ts';

export interface RegtestNodeOptions {
  binary: string;
  /** The node's own folder, made when missing. */
  dataDir: string;
  log: Pick<Logger, 'info' | 'warn'>;
  /** bitcoind's own wallet: off by default, Ashlar has its own. */
  wallet?: boolean;
  extraArgs?: readonly string[];
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 50;
const WATCH_MS = 1_000;
const VERSION_TIMEOUT_MS = 20_000;

/**
 * Runs a regtest bitcoind of its own: free ports on loopback, cookie authentication, both indexes, ZMQ for blocks and transactions, no
 * peers. A process of the same folder that outlived its service is taken over, so that a killed service finds its chain as it was.
 */
export async function startRegtestNode(options: RegtestNodeOptions) {
  const { binary, log } = options;
  const dataDir = absolute(options.dataDir);
  await mkdir(dataDir, { recursive: true });
  const version = await runCommand(binary, ['--version'], { timeoutMs: VERSION_TIMEOUT_MS });
  const launchOptions = {
    dataDir,
    isKnots: /knots/i.test(version),
    wallet: options.wallet ?? false,
    extraArgs: options.extraArgs ?? [],
  };
  const stateFile = join(dataDir, 'ashlar-node.json');
  const cookieFile = join(dataDir, 'regtest', '.cookie');
  const listeners = new Set<() => void>();
  let expectedEnd = false;
  let child: ChildProcess | null = null;
  let watch: NodeJS.Timeout | null = null;
  let state: NodeState;
  let adopted = false;

  const rpc = (ports: NodePorts) =>
    createRpcClient({ url: `http://127.0.0.1:${ports.rpcPort}`, cookieFile, connections: 1 });

  function unwatch(): void {
    expectedEnd = true;
    if (watch) clearInterval(watch);
    watch = null;
  }

  function ended(pid: number): void {
    if (pid !== state.pid || expectedEnd) return;
    unwatch();
    log.warn({ pid }, 'the regtest node has ended');
    for (const listener of [...listeners]) listener();
  }

  /** An adopted process is not our child: its end shows only in the process table. */
  function watchProcess(pid: number): void {
    if (child) {
      child.once('exit', () => ended(pid));
      if (hasExited(child)) ended(pid);
    } else {
      watch = setInterval(() => {
        if (!isAlive(pid)) ended(pid);
      }, WATCH_MS);
      watch.unref();
    }
  }

  async function launch(ports: NodePorts): Promise<void> {
    const stderr = await open(join(dataDir, 'stderr.log'), 'w');
    let started: ChildProcess;
    try {
      started = spawn(binary, nodeArguments({ ...launchOptions, ports }), {
        // Its own process group: an interrupt from the terminal reaches the service only, which then stops the node in order.
        detached: true,
        stdio: ['ignore', 'ignore', stderr.fd],
      });
    } finally {
      await stderr.close();
    }
    const failure = new Promise<never>((_resolve, reject) => {
      started.once('error', reject);
      started.once('exit', async () => {
        const said = await readFile(join(dataDir, 'stderr.log'), 'utf8').catch(() => '');
        reject(new Error(`bitcoind ended while starting: ${said.trim().split('\n').at(-1) || 'it said nothing'}`));
      });
    });
    failure.catch(() => {});
    started.unref();
    const pid = started.pid;
    if (pid === undefined) return failure;
    // Before it answers, so that it is found again even if the service is killed right here.
    state = { pid, ...ports };
    await saveState(stateFile, state);
    try {
      await Promise.race([untilAnswering(rpc(ports), () => !hasExited(started), START_TIMEOUT_MS), failure]);
    } catch (error) {
      // What it said before it ended tells more than that it does not answer.
      if (hasExited(started)) await failure;
      started.kill('SIGKILL');
      throw error;
    }
    child = started;
    expectedEnd = false;
    watchProcess(pid);
  }

  async function start(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const [rpcPort, zmqPort] = await freePorts(2);
        return await launch({ rpcPort: rpcPort!, zmqPort: zmqPort! });
      } catch (error) {
        // Between finding a port and the node's taking it, someone else may have.
        if (attempt === 3 || !/bind|address|port/i.test((error as Error).message)) throw error;
      }
    }
  }

  async function end(how: 'stop' | 'kill'): Promise<void> {
    if (!isAlive(state.pid)) return;
    if (how === 'kill') kill(state.pid, 'SIGKILL');
    else {
      const client = rpc(state);
      await client.call('stop').catch(() => kill(state.pid, 'SIGTERM'));
      await client.close();
    }
    if (await untilGone(state.pid, STOP_TIMEOUT_MS)) return;
    log.warn({ pid: state.pid }, 'the regtest node did not stop in time and is killed');
    kill(state.pid, 'SIGKILL');
    await untilGone(state.pid, STOP_TIMEOUT_MS);
  }

  const earlier = await readState(stateFile);
  if (earlier && (await isOurs(earlier.pid, dataDir))) {
    const client = rpc(earlier);
    const answers = await untilAnswering(client, () => isAlive(earlier.pid), START_TIMEOUT_MS).then(
      () => true,
      () => false,
    );
    if (answers) {
      state = earlier;
      adopted = true;
      watchProcess(earlier.pid);
      log.info({ pid: earlier.pid }, 'took over the regtest node that was still running');
    } else {
      state = earlier;
      await end('kill');
    }
  }
  if (!adopted) await start();

  return {
    get rpcUrl() {
      return `http://127.0.0.1:${state.rpcPort}`;
    },
    get zmqUrls() {
      return [`tcp://127.0.0.1:${state.zmqPort}`];
    },
    get pid() {
      return state.pid;
    },
    /** Whether the process of an earlier run was found running and taken over. */
    adopted,
    cookieFile,
    /** Calls back when the process ends without `stop` or `restart` being asked. */
    onExit(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Starts it again on the same ports, after its end or instead of the running one. */
    async restart() {
      unwatch();
      await end('stop');
      child = null;
      await launch({ rpcPort: state.rpcPort, zmqPort: state.zmqPort });
    },
    /** Asks the node to stop and waits; after 20 s it is killed. */
    async stop() {
      unwatch();
      await end('stop');
    },
    /** Ends the process at once, as a crash does; `onExit` is told. */
    kill: () => end('kill'),
  };
}

export type RegtestNode = Awaited<ReturnType<typeof startRegtestNode>>;

/** Waits until the node answers a call; it warms up for a second or two. */
async function untilAnswering(
  client: ReturnType<typeof createRpcClient>,
  alive: () => boolean,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  try {
    for (;;) {
      try {
        const { chain } = await client.call<{ chain: string }>('getblockchaininfo');
        if (chain !== 'regtest') throw new Error(`the node is on chain ${chain}, not regtest`);
        return;
      } catch (error) {
        if (!alive()) throw new Error('the node has ended', { cause: error });
        if (Date.now() > deadline) throw new Error('the node did not answer in time', { cause: error });
        await sleep(POLL_MS);
      }
    }
  } finally {
    await client.close();
  }
}
