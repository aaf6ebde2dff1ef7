/** Whether requests would be served now, part by part. */
import type { ChainSource } from '../chain/chain-source.ts';
import { DomainError } from '../core/errors.ts';
import type { Network } from '../core/network.ts';
import type { CounterStatus, CounterStore } from '../counters/counter-store.ts';
import type { Store } from '../store/store.ts';
import type { BlockchainStatusService } from './blockchain/blockchain-status.ts';
import { firstKeyStands } from './credentials/first-start.ts';

export interface Readiness {
  ready: boolean;
  stopping: boolean;
  database: { ok: boolean; kind: Store['kind'] };
  chain: {
    ok: boolean;
    source: ChainSource['kind'];
    network: Network;
    height: number | null;
    syncing: boolean | null;
    problem: string | null;
  };
  follower: { ok: boolean; height: number | null; lag: number | null; halted: string | null };
  /** Where limits are counted. Degraded is still ready: each process then limits for itself. */
  limits: CounterStatus;
  warnings: string[];
}

export interface ReadinessService {
  check(): Promise<Readiness>;
  /** From now on not ready: load balancers look elsewhere before the sockets close. */
  stop(): void;
}

/** A follower further behind than this answers balances of another time. */
const MOST_LAG = 6;
const PATIENCE_MS = 3_000;

export function createReadiness(deps: {
  store: Store;
  blockchain: Pick<BlockchainStatusService, 'info' | 'follower'>;
  source: ChainSource['kind'];
  network: Network;
  counters: Pick<CounterStore, 'status'>;
  /** False once the master key was changed: wallets open in no process that started before. */
  masterKeyStands: () => Promise<boolean>;
  /** Why spending is halted, or null. */
  halted: () => string | null;
  clock: () => number;
}): ReadinessService {
  const { store, blockchain, source, network, counters, masterKeyStands, halted, clock } = deps;
  let stopping = false;

  async function warnings(masterKey: boolean): Promise<string[]> {
    const said: string[] = [];
    if (!masterKey) said.push('the master key was changed: restart this process with the new one');
    if (counters.status().degraded) said.push('Redis is away: limits hold per process, not for all replicas together');
    if (source === 'simulated')
      said.push('the chain is simulated: nothing here is real bitcoin, and no node checks it');
    if (network !== 'regtest' && (await firstKeyStands(store, clock()))) {
      said.push('the administrator key of the first start still stands: rotate it');
    }
    return said;
  }

  async function chainPart(): Promise<Readiness['chain']> {
    try {
      const { height, syncing } = await inTime(blockchain.info());
      const held = syncing && network !== 'regtest';
      const problem = held ? 'the node is still catching up with its network' : null;
      return { ok: !held, source, network, height, syncing, problem };
    } catch (error) {
      return { ok: false, source, network, height: null, syncing: null, problem: problemOf(error) };
    }
  }

  async function followerPart(): Promise<Readiness['follower']> {
    const { height, lag } = await inTime(blockchain.follower()).catch(() => ({ height: null, lag: null }));
    return { ok: lag !== null && lag <= MOST_LAG && halted() === null, height, lag, halted: halted() };
  }

  return {
    stop() {
      stopping = true;
    },
    async check() {
      const databaseAnswers = await inTime(store.ping()).then(
        () => true,
        () => false,
      );
      // Who cannot ask learns nothing against it.
      const masterKey = !databaseAnswers || (await inTime(masterKeyStands()).catch(() => true));
      const [chain, follower, said] = await Promise.all([
        chainPart(),
        databaseAnswers ? followerPart() : { ok: false, height: null, lag: null, halted: halted() },
        databaseAnswers ? warnings(masterKey).catch(() => []) : [],
      ]);
      return {
        ready: !stopping && databaseAnswers && masterKey && chain.ok && follower.ok,
        stopping,
        database: { ok: databaseAnswers, kind: store.kind },
        chain,
        follower,
        limits: counters.status(),
        warnings: said,
      };
    },
  };
}

const problemOf = (error: unknown): string =>
  error instanceof DomainError ? error.message : 'the chain source does not answer';

function inTime<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MS);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
