/** Whether requests would be served now, part by part. */
import type { ChainSource } from '../chain/chain-source.ts';
import { DomainError } from '../core/errors.ts';
import type { Network } from '../core/network.ts';
import type { CounterStatus, CounterStore } from '../counters/counter-store.ts';
import type { Store } from '../store/store.ts';
import type { BlockchainStatusService } from './blockchain/blockchain-status.ts';
import { cachedProbe } from './cached-probe.ts';
import { firstKeyStands } from './credentials/first-start.ts';
import { createWriteProbe } from './write-probe.ts';

/** Reads need the database alone; what modifies needs every part. */
export type ReadyFor = 'reads' | 'writes';

export interface Readiness {
  ready: Record<ReadyFor, boolean>;
  stopping: boolean;
  /** `ok`: it answers. `problem`: why it takes no writes, or does not answer. */
  database: { ok: boolean; kind: Store['kind']; writable: boolean; problem: string | null };
  chain: {
    ok: boolean;
    source: ChainSource['kind'];
    network: Network;
    height: number | null;
    syncing: boolean | null;
    problem: string | null;
  };
  follower: { ok: boolean; height: number | null; lag: number | null; halted: string | null };
  /** Whether the master key that this process started with still opens wallets. */
  masterKey: { ok: boolean };
  /** Where limits are counted. Degraded is still ready: each process then limits for itself. */
  limits: CounterStatus;
  warnings: string[];
}

/** A follower further behind than this would pay with coins of another time. */
const MAX_LAG = 6;
const PATIENCE_MS = 3_000;
/** For what is asked besides; then what was last found out is told. */
const WAITS_MS: Record<ReadyFor, number> = { reads: 50, writes: 1_000 };

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
  /** What a look at the disk found, to be told beside the parts. */
  diskWarnings: () => string[];
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
}) {
  const { store, blockchain, source, network, counters, masterKeyStands, halted, clock } = deps;
  let stopping = false;

  async function warnings(masterKey: boolean): Promise<string[]> {
    const said = deps.diskWarnings();
    if (!masterKey) said.push('the master key was changed: restart this process with the new one');
    if (counters.status().degraded) said.push('Redis is away: limits hold per process, not for all replicas together');
    if (source === 'simulated')
      said.push('the chain is simulated: nothing here is real bitcoin, and no node checks it');
    const wrong = (await store.read.auditWalks.wrong()).length;
    if (wrong > 0) said.push(`${wrong} audit logs do not hold: GET /api/v1/compliance/status says where`);
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

  const followed = () => inTime(blockchain.follower()).catch(() => ({ height: null, lag: null }));

  const chainKnown = cachedProbe(chainPart, clock, {
    ...{ ok: false, source, network, height: null, syncing: null },
    problem: 'the chain source has not answered yet',
  });
  const followedKnown = cachedProbe(followed, clock, { height: null, lag: null });
  const probeWrite = createWriteProbe({ ...deps, inTime });
  const writableKnown = cachedProbe(probeWrite, clock, 'whether it takes writes is not known yet');

  async function followerPart(waitMs: number): Promise<Readiness['follower']> {
    const { height, lag } = await followedKnown(waitMs);
    return { ok: lag !== null && lag <= MAX_LAG && halted() === null, height, lag, halted: halted() };
  }

  async function databasePart(waitMs: number): Promise<Readiness['database']> {
    const { kind } = store;
    const answers = await inTime(store.ping()).then(
      () => null,
      (error: Error) => error.message,
    );
    if (answers !== null) return { ok: false, kind, writable: false, problem: answers };
    const problem = await writableKnown(waitMs);
    return { ok: true, kind, writable: problem === null, problem };
  }

  return {
    /** From now on not ready: load balancers look elsewhere before the sockets close. */
    stop() {
      stopping = true;
    },
    /**
     * `asked`: who asks for reads does not wait for the node or for a write, and is told what is known of them; who asks for writes waits
     * for a second at most.
     */
    async check(asked: ReadyFor = 'writes') {
      const waitMs = WAITS_MS[asked];
      const database = await databasePart(waitMs);
      // Who cannot ask learns nothing against it.
      const masterKey = { ok: !database.ok || (await inTime(masterKeyStands()).catch(() => true)) };
      const [chain, follower, said] = await Promise.all([
        chainKnown(waitMs),
        database.ok ? followerPart(waitMs) : { ok: false, height: null, lag: null, halted: halted() },
        database.ok ? warnings(masterKey.ok).catch(() => []) : deps.diskWarnings(),
      ]);
      const reads = !stopping && database.ok;
      const writes = reads && database.writable && masterKey.ok && chain.ok && follower.ok;
      return {
        ready: { reads, writes },
        ...{ stopping, database, chain, follower, masterKey },
        limits: counters.status(),
        warnings: said,
      };
    },
  };
}

export type ReadinessService = ReturnType<typeof createReadiness>;

const problemOf = (error: unknown): string =>
  error instanceof DomainError ? error.message : 'the chain source does not answer';

function inTime<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not answer in time')), PATIENCE_MS);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
