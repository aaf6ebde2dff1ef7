/** What Prometheus is shown: of requests, the service, contracts and oracles. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMetrics as bareMetrics } from '../../src/app/metrics/metrics.ts';
import { type ServiceSources, serviceSeries } from '../../src/app/metrics/service-series.ts';
import { countedFetching } from '../../src/engines/fetching/counted-fetching.ts';
import { FetchFailed } from '../../src/engines/fetching/fetching.ts';
import { socketSeries } from '../../src/families/sockets/socket-series.ts';
import { approvalSeries } from '../../src/services/approvals/approval-series.ts';
import { connectionSeries } from '../../src/services/connections/connection-series.ts';
import { createContractMetrics } from '../../src/services/contracts/contract-metrics.ts';
import { contractSeries } from '../../src/services/contracts/contract-series.ts';
import type { AdaptorWork } from '../../src/services/contracts/signing/adaptor-work.ts';
import { countedAdaptorWork } from '../../src/services/contracts/signing/counted-adaptor-work.ts';
import { sumSeries } from '../../src/services/ledger/sum-series.ts';
import { oracleSeries } from '../../src/services/oracles/oracle-series.ts';
import { replaySeries } from '../../src/services/policies/replay/replay-series.ts';
import type { Readiness } from '../../src/services/readiness.ts';
import { reportSeries } from '../../src/services/reports/report-series.ts';
import { startTestApp } from '../builders/app.ts';
import { foreignOracle } from '../builders/foreign-oracle.ts';
import { freePort } from '../builders/service-process.ts';

type Sources = ServiceSources &
  Parameters<typeof contractSeries>[0] &
  Parameters<typeof oracleSeries>[0] &
  Parameters<typeof connectionSeries>[0] &
  Parameters<typeof approvalSeries>[0] &
  Parameters<typeof replaySeries>[0] &
  Parameters<typeof reportSeries>[0] & {
    walletSums: Parameters<typeof sumSeries>[0];
    sockets: Parameters<typeof socketSeries>[0];
  };

const SOURCES: Sources = {
  version: '1.2.3',
  readiness: async () =>
    ({
      ready: { reads: true, writes: false },
      database: { writable: false },
      chain: { height: 110 },
      follower: { halted: 'a deep reorg' },
    }) as Readiness,
  leads: () => new Set(['sealer']),
  pool: () => ({ inUse: 3, idle: 1, waiting: 2, most: 16 }),
  walletSums: () => ({ checked: 3, wrong: 1 }),
  backlog: async () => ({ unsealed: { count: 5, oldestAt: 90_000 }, unnumbered: { count: 0, oldestAt: null } }),
  connections: async () => [
    { state: 'failing', count: 2, events: 30, oldestAt: 40_000 },
    { state: 'stopped', count: 1, events: 99, oldestAt: 1_000 },
  ],
  replays: async () => ({ count: 3, oldestAt: 80_000 }),
  openReports: async () => ({ count: 4, oldestAt: 70_000 }),
  approvals: async () => ({ waiting: { count: 2, oldestAt: 40_000 }, approved: { count: 0, oldestAt: null } }),
  deliveries: () => ({ delivered: 6, failed: 4 }),
  watchedScripts: async () => ({ all: 12, ofOneAccount: 11 }),
  disk: async () => ({ freeBytes: 25, sizeBytes: 100 }),
  computing: () => ({ running: 1, waiting: 4 }),
  workers: () => new Map([['sealer', { rounds: 3, failures: 1 }]]),
  sockets: { open: 2, received: 3, sent: 4 },
  clock: () => 100_000,
  queueDepth: () => 3,
  follower: async () => ({ height: 110, lag: 2 }),
  contractMetrics: async () => ({
    open: new Map([['confirmed', 4]]),
    overdue: 1,
    unsent: new Map([['cet', 2]]),
    equivocatedOracles: 5,
    frozenEvents: 6,
  }),
  adaptorCounts: () => ({ signatures: { made: 7, verified: 8 }, running: { signing: 1, verifying: 0 } }),
  oracleQuestions: () => new Map([['timed_out', 9]]),
  onContractMoves: () => () => {},
};

/** With all that services and families add. */
function createMetrics(sources: Sources) {
  const metrics = bareMetrics();
  metrics.add(serviceSeries(sources), contractSeries(sources), oracleSeries(sources), connectionSeries(sources));
  metrics.add(
    approvalSeries(sources),
    replaySeries(sources),
    reportSeries(sources),
    sumSeries(sources.walletSums),
    socketSeries(sources.sockets),
  );
  return metrics;
}

/** The values by name and labels. */
function valuesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line.startsWith('ashlar_'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

describe('metrics', () => {
  it('count by operation and status, and show the follower, the writer and the process', async () => {
    const port = await freePort();
    const metrics = createMetrics(SOURCES);
    await metrics.listen('127.0.0.1', port);
    try {
      metrics.observe('transaction.create', 201, 0.02);
      metrics.observe('transaction.create', 201, 0.2);
      metrics.observe('transaction.create', 422, 0.001);
      const response = await fetch(`http://127.0.0.1:${port}/metrics`);
      expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/);
      const text = await response.text();
      expect(text).toContain('ashlar_request_seconds_count{operation="transaction.create",status="201"} 2');
      expect(text).toContain('ashlar_request_seconds_bucket{le="0.025",operation="transaction.create",status="201"} 1');
      expect(text).toContain('ashlar_follower_height 110');
      expect(text).toContain('ashlar_follower_lag_blocks 2');
      expect(text).toContain('ashlar_writer_queue_depth 3');
      expect(text).toMatch(/nodejs_eventloop_lag_seconds \d/);
      expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    } finally {
      await metrics.close();
    }
  });

  it('are unknown where the database or the node hangs, a second later', async () => {
    const hangs = () => new Promise<never>(() => {});
    const metrics = createMetrics({
      ...SOURCES,
      ...{ readiness: hangs, backlog: hangs, watchedScripts: hangs, disk: hangs, contractMetrics: hangs },
    });
    onTestFinished(() => metrics.close());
    expect(Object.fromEntries(valuesOf(await metrics.text()))).toMatchObject({
      ashlar_watched_scripts: Number.NaN,
      ashlar_contracts_overdue: Number.NaN,
      'ashlar_contracts_open{status="confirmed"}': Number.NaN,
      ashlar_follower_height: 110,
      ashlar_writer_queue_depth: 3,
    });
  });

  it('show no label as it was before, where it cannot be asked any more', async () => {
    let readiness = SOURCES.readiness;
    const metrics = createMetrics({ ...SOURCES, readiness: () => readiness() });
    onTestFinished(() => metrics.close());
    expect(await metrics.text()).toContain('ashlar_ready{for="reads"} 1');
    readiness = () => Promise.reject(new Error('the database is away'));
    expect(await metrics.text()).not.toContain('ashlar_ready{');
  });

  it('have names that promtool takes: _total for counters alone, _sum, _count and _bucket for none of ours', async () => {
    const metrics = createMetrics(SOURCES);
    onTestFinished(() => metrics.close());
    const text = await metrics.text();
    const series = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => ({ name, type }));
    expect(series.length).toBeGreaterThan(50);
    expect(series.filter(({ name, type }) => name.endsWith('_total') !== (type === 'counter'))).toEqual([]);
    expect(series.filter(({ name }) => /_(sum|count|bucket)$/.test(name))).toEqual([]);
    expect(series.filter(({ name }) => !text.includes(`# HELP ${name} `))).toEqual([]);
  });

  it('show contracts and oracles, the same however often they are asked', async () => {
    const metrics = createMetrics(SOURCES);
    onTestFinished(() => metrics.close());
    await metrics.text();
    const values = valuesOf(await metrics.text());
    expect(Object.fromEntries(values)).toMatchObject({
      'ashlar_contracts_open{status="confirmed"}': 4,
      'ashlar_contracts_open{status="offered"}': 0,
      ashlar_contracts_overdue: 1,
      'ashlar_contract_transactions_unsent{kind="cet"}': 2,
      'ashlar_contract_transactions_unsent{kind="refund"}': 0,
      'ashlar_adaptor_signatures_total{work="made"}': 7,
      'ashlar_adaptor_signatures_total{work="verified"}': 8,
      'ashlar_adaptor_jobs{stage="signing"}': 1,
      'ashlar_adaptor_jobs{stage="verifying"}': 0,
      'ashlar_oracle_questions_total{result="timed_out"}': 9,
      'ashlar_oracle_questions_total{result="answered"}': 0,
      ashlar_oracles_equivocated: 5,
      ashlar_oracle_events_frozen: 6,
    });
    expect(Object.fromEntries(values)).toMatchObject({
      [`ashlar_build_info{version="1.2.3",node="${process.versions.node}"}`]: 1,
      'ashlar_ready{for="reads"}': 1,
      'ashlar_ready{for="writes"}': 0,
      ashlar_database_writable: 0,
      ashlar_node_reachable: 1,
      ashlar_spending_halted: 1,
      'ashlar_leader{work="sealer"}': 1,
      'ashlar_leader{work="follower"}': 0,
      'ashlar_worker_rounds_total{worker="sealer"}': 3,
      'ashlar_worker_failures_total{worker="sealer"}': 1,
      'ashlar_connections{state="failing"}': 2,
      'ashlar_connections{state="active"}': 0,
      ashlar_connections_lag_events: 30,
      ashlar_connections_lag_seconds: 60,
      'ashlar_approvals_open{state="waiting"}': 2,
      'ashlar_approvals_oldest_seconds{state="waiting"}': 60,
      'ashlar_approvals_oldest_seconds{state="approved"}': 0,
      ashlar_replays_running: 3,
      ashlar_replays_stalled_seconds: 20,
      ashlar_reports_waiting_accounts: 4,
      ashlar_reports_stalled_seconds: 30,
      'ashlar_connection_deliveries_total{result="failed"}': 4,
      ashlar_watched_scripts: 12,
      ashlar_watched_scripts_of_one_account: 11,
      ashlar_audit_unsealed_records: 5,
      ashlar_audit_seal_lag_seconds: 10,
      ashlar_sequencer_lag_seconds: 0,
      'ashlar_database_connections{state="in_use"}': 3,
      ashlar_database_connections_max: 16,
      ashlar_database_waiting: 2,
      'ashlar_computing_jobs{state="waiting"}': 4,
      ashlar_data_dir_free_bytes: 25,
      ashlar_data_dir_free_ratio: 0.25,
      ashlar_websocket_connections: 2,
      'ashlar_websocket_messages_total{direction="sent"}': 4,
      'ashlar_rate_limited_total{class="bulk"}': 0,
    });
    expect(values.size).toBeLessThan(130);
  });

  it('say nothing of what is not known', async () => {
    const away = () => Promise.reject(new Error('away'));
    const metrics = createMetrics({ ...SOURCES, follower: away, contractMetrics: away });
    onTestFinished(() => metrics.close());
    const text = await metrics.text();
    expect(text).toContain('ashlar_follower_height Nan');
    for (const series of ['contracts_open{status="funded"}', 'contracts_overdue', 'oracle_events_frozen']) {
      expect(text).toContain(`ashlar_${series} Nan`);
    }
  });
});

describe('metrics', () => {
  it('are counted every ten seconds at most, by the followed block and what is ten minutes old', async () => {
    let now = 1_000_000;
    let tip: { height: number; medianTime: number } | null = null;
    const asked: unknown[] = [];
    const read = {
      ledger: { tip: async () => tip },
      metrics: {
        openContracts: async () => new Map(),
        overdueContracts: async (at: unknown) => {
          asked.push(at);
          return 3;
        },
        unsentOfContracts: async (time: number) => {
          asked.push(time);
          return new Map();
        },
        oracles: async () => ({ equivocated: 0, frozenEvents: 0 }),
      },
    };
    const metrics = createContractMetrics({ store: { read } as never, clock: () => now });
    expect((await metrics()).overdue).toBeNull();
    tip = { height: 7, medianTime: 8 };
    now += 9_999;
    expect((await metrics()).overdue).toBeNull();
    now += 1;
    expect((await metrics()).overdue).toBe(3);
    expect(asked).toEqual([400_000, tip, 410_000]);
  });
});

describe('what is counted', () => {
  it('of adaptor signatures: each once, also of work that is given up, and what is under way', async () => {
    let give = (_: Error) => {};
    const work = countedAdaptorWork({
      async signAllCets({ onProgress }: Parameters<AdaptorWork['signAllCets']>[0]) {
        for (const done of [64, 100]) onProgress?.(done, 100);
        return new Uint8Array(0);
      },
      verifyAllCets: ({ onProgress }: Parameters<AdaptorWork['verifyAllCets']>[0]) =>
        new Promise((_, reject) => {
          onProgress?.(10, 100);
          give = reject;
        }),
    } as AdaptorWork);
    const told: number[] = [];
    const messages = { onProgress: (done: number) => told.push(done) } as never;
    await work.signAllCets(messages);
    expect(told).toEqual([64, 100]);
    const given = work.verifyAllCets(messages);
    expect(work.counts()).toEqual({
      signatures: { made: 100, verified: 10 },
      running: { signing: 0, verifying: 1 },
    });
    give(new Error('given up'));
    await expect(given).rejects.toThrow('given up');
    expect(work.counts().running.verifying).toBe(0);
  });

  it('of questions to oracles: how each ended', async () => {
    const ends = [{ kind: 'text' as const, body: new Uint8Array(0) }, null, new FetchFailed('timed_out'), null];
    const fetching = countedFetching({
      problem: () => null,
      async get() {
        const end = ends.shift() ?? null;
        if (end instanceof Error) throw end;
        return end;
      },
    });
    for (let asked = 0; asked < 4; asked++) await fetching.get('https://oracle.example').catch(() => null);
    expect(Object.fromEntries(fetching.counts())).toEqual({ answered: 1, not_found: 2, timed_out: 1 });
  });
});

it('the whole service shows a contract from offer to its end, and oracles that fail or contradict themselves', async () => {
  // Figures are kept for ten seconds of this clock.
  let later = 0;
  const port = await freePort();
  const service = await startTestApp({
    clock: () => Date.now() + later,
    env: { METRICS_PORT: String(port), ORACLE_ALLOWED_HOSTS: '127.0.0.1' },
  });
  onTestFinished(() => service.close());
  await service.listen();
  const shown = async () => {
    later += 11_000;
    return valuesOf(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  };
  const mine = async (count: number, address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080') => {
    await service.post('/api/v1/bitcoin/blocks', { count, address });
    await service.synced();
  };
  const made = async (path: string, body: object) => {
    const answer = await service.post(path, body);
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };

  const { wallet_id } = await made('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' });
  await mine(1, (await service.post(`/api/v1/wallets/${wallet_id}/addresses`)).body.address);
  await mine(100);
  const before = await shown();
  for (const series of ['contracts_open{status="funded"}', 'contracts_overdue', 'oracles_equivocated']) {
    expect(before.get(`ashlar_${series}`), series).toBe(0);
  }

  const outcomes = ['win', 'draw', 'lose'];
  const terms = { type: 'dlc', oracle: 'local', outcomes, collateral: '0.1' };
  const { contract_id } = await made('/api/v1/contracts', terms);
  const funded = await shown();
  expect(Object.fromEntries(funded)).toMatchObject({
    'ashlar_contracts_open{status="funded"}': 1,
    'ashlar_adaptor_signatures_total{work="made"}': 2 * outcomes.length,
    'ashlar_adaptor_signatures_total{work="verified"}': 2 * outcomes.length,
    'ashlar_contract_moves_total{to="offered"}': 1,
    'ashlar_contract_moves_total{to="funded"}': 1,
    'ashlar_contract_moves_total{to="failed"}': 0,
    'ashlar_contract_transactions_unsent{kind="funding"}': 0,
  });
  await mine(1);
  expect((await shown()).get('ashlar_contracts_open{status="confirmed"}')).toBe(1);
  await service.call('PUT', `/api/v1/contracts/${contract_id}/execute`, { outcome: 'win' });
  expect((await shown()).get('ashlar_contracts_open{status="executed"}')).toBe(1);
  await mine(1);
  const over = await shown();
  expect(over.get('ashlar_contracts_open{status="executed"}')).toBe(0);
  expect(over.get('ashlar_contract_moves_total{to="closed"}')).toBe(1);

  const liar = foreignOracle();
  const event = liar.announce({ kind: 'enum', outcomes });
  const url = `http://127.0.0.1:${await freePort()}`;
  const { oracle_id } = await made('/api/v1/dlc/oracles', { name: 'liar', public_key: liar.publicKey, url });
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  await service.post('/api/v1/contracts', { ...terms, oracle: oracle_id, event_id: 'not announced' });
  expect((await shown()).get('ashlar_oracle_questions_total{result="no_connection"}')).toBeGreaterThan(0);
  await made('/api/v1/dlc/announcements', { announcement: hex(event.announcement) });
  for (const outcome of ['win', 'lose'])
    await made('/api/v1/dlc/attestations', { attestation: hex(event.attest(outcome)) });
  expect((await shown()).get('ashlar_oracles_equivocated')).toBe(1);
});
