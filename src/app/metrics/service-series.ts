import { Gauge } from 'prom-client';
import {
  type AddSeries,
  ageSeconds,
  gauge as collectedGauge,
  counted,
  labelledGauge,
  SCRAPE_WAITS_MS,
  type Value,
} from '../../metrics/series.ts';
import { cachedProbe } from '../../services/cached-probe.ts';
import type { Readiness } from '../../services/readiness.ts';
import type { Backlog } from '../../store/repositories/metrics.ts';
import { EXCLUSIVE_WORK, type ExclusiveWork, type PoolUse } from '../../store/store.ts';
import type { DiskSpace } from '../disk-space.ts';

export interface ServiceSources {
  version: string;
  queueDepth(): number;
  /** The followed height and its distance from the tip; null where unknown. */
  follower(): Promise<{ height: number | null; lag: number | null }>;
  readiness(): Promise<Readiness>;
  /** What this process is the only one to do now. */
  leads(): ReadonlySet<ExclusiveWork>;
  pool(): PoolUse;
  /** What is written and waits to be sealed, or numbered. Throws where the database does not answer. */
  backlog(): Promise<{ unsealed: Backlog; unnumbered: Backlog }>;
  watchedScripts(): Promise<{ all: number; ofOneAccount: number }>;
  disk(): Promise<DiskSpace | null>;
  computing(): { running: number; waiting: number };
  /** Background work of this process, by name. */
  workers(): ReadonlyMap<string, { rounds: number; failures: number }>;
  clock: () => number;
}

/** The process and what it stands on. */
export const serviceSeries =
  (sources: ServiceSources): AddSeries =>
  (registry) => {
    const gauge = (name: string, help: string, value: () => Value | Promise<Value>): void =>
      collectedGauge(registry, { name, help, value });
    const labelled = (name: string, help: string, label: string, values: () => Promise<Record<string, Value>>): void =>
      labelledGauge(registry, { name, help, label, values: async () => Object.entries(await values()) });
    const whether = (fact: boolean): number => (fact ? 1 : 0);

    new Gauge({
      name: 'ashlar_build_info',
      help: '1, labelled by the version of the program and of Node',
      labelNames: ['version', 'node'],
      registers: [registry],
    }).set({ version: sources.version, node: process.versions.node }, 1);
    gauge('ashlar_writer_queue_depth', 'Jobs that wait for the database writer', () => sources.queueDepth());
    labelled('ashlar_ready', 'Whether /readyz answers 200, by what is asked for', 'for', async () => {
      const { ready } = await sources.readiness();
      return { reads: whether(ready.reads), writes: whether(ready.writes) };
    });
    gauge('ashlar_database_writable', 'Whether the database takes writes', async () =>
      whether((await sources.readiness()).database.writable),
    );
    gauge('ashlar_node_reachable', 'Whether the chain source answers', async () =>
      whether((await sources.readiness()).chain.height !== null),
    );
    gauge(
      'ashlar_spending_halted',
      'Whether spending is halted: the chain turned back further than the node can show',
      async () => whether((await sources.readiness()).follower.halted !== null),
    );
    // While the chain does not answer, the last known values stand.
    let followed: Awaited<ReturnType<ServiceSources['follower']>> = { height: null, lag: null };
    const knownFollower = cachedProbe(() => sources.follower().catch(() => followed), sources.clock, followed);
    const follower = async () => {
      const { height, lag } = await knownFollower(SCRAPE_WAITS_MS);
      followed = { height: height ?? followed.height, lag: lag ?? followed.lag };
      return followed;
    };
    gauge(
      'ashlar_follower_height',
      'Last block whose effects are in the database',
      async () => (await follower()).height,
    );
    gauge(
      'ashlar_follower_lag_blocks',
      'Blocks between the follower and the tip of its source',
      async () => (await follower()).lag,
    );
    labelled('ashlar_leader', 'Whether this process does the work that one at a time does', 'work', async () =>
      Object.fromEntries(EXCLUSIVE_WORK.map((work) => [work, whether(sources.leads().has(work))])),
    );

    for (const [what, help] of [
      ['rounds', 'Rounds of background work that this process has finished, by worker'],
      ['failures', 'Rounds of background work that failed and were tried again, by worker'],
    ] as const) {
      const values = () => [...sources.workers()].map(([worker, counts]) => [worker, counts[what]] as const);
      counted(registry, { name: `ashlar_worker_${what}_total`, help, label: 'worker', values });
    }

    const seconds = ({ oldestAt }: Backlog): number => ageSeconds(oldestAt, sources.clock());
    const unsealed = async () => (await sources.backlog()).unsealed;
    const unnumbered = async () => (await sources.backlog()).unnumbered;
    gauge(
      'ashlar_audit_unsealed_records',
      'Records of the audit log that are not sealed yet, 10,000 at most',
      async () => (await unsealed()).count,
    );
    gauge('ashlar_audit_seal_lag_seconds', 'Age of the oldest of them', async () => seconds(await unsealed()));
    gauge(
      'ashlar_events_unnumbered',
      'Events that are not numbered, and so not delivered, yet, 10,000 at most',
      async () => (await unnumbered()).count,
    );
    gauge('ashlar_sequencer_lag_seconds', 'Age of the oldest of them', async () => seconds(await unnumbered()));

    const watched = () => sources.watchedScripts();
    gauge(
      'ashlar_watched_scripts',
      'Scripts of all wallets, which every block is matched against',
      async () => (await watched()).all,
    );
    gauge(
      'ashlar_watched_scripts_of_one_account',
      'Of the account that has most: MAX_WATCHED_SCRIPTS is its bound',
      async () => (await watched()).ofOneAccount,
    );

    labelled(
      'ashlar_database_connections',
      "Connections of this process's PostgreSQL pool; SQLite: 0",
      'state',
      async () => {
        const { inUse, idle } = sources.pool();
        return { in_use: inUse, idle };
      },
    );
    gauge('ashlar_database_connections_max', 'The most that it opens; SQLite: 0', () => sources.pool().most);
    gauge('ashlar_database_waiting', 'Statements and jobs that wait for one of them', () => sources.pool().waiting);
    labelled('ashlar_computing_jobs', 'Jobs of the worker threads', 'state', async () => ({ ...sources.computing() }));

    gauge('ashlar_data_dir_free_bytes', 'Room left where DATA_DIR is', async () => (await sources.disk())?.freeBytes);
    gauge('ashlar_data_dir_size_bytes', 'Size of that file system', async () => (await sources.disk())?.sizeBytes);
    gauge('ashlar_data_dir_free_ratio', 'Its free share, 0 to 1', async () => {
      const disk = await sources.disk();
      return disk && disk.freeBytes / disk.sizeBytes;
    });
    return undefined;
  };
