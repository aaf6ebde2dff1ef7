import type { Registry } from 'prom-client';
import type { FetchResult } from '../../engines/fetching/counted-fetching.ts';
import { FETCH_FAILURES } from '../../engines/fetching/fetching.ts';
import type { ContractMetrics } from '../../services/contracts/contract-metrics.ts';
import { counted, databaseGauge } from './collected.ts';

export interface OracleSources {
  contractMetrics(): Promise<ContractMetrics>;
  oracleQuestions(): ReadonlyMap<FetchResult, number>;
}

const RESULTS: readonly FetchResult[] = ['answered', 'not_found', ...FETCH_FAILURES];

export function oracleSeries(registry: Registry, { contractMetrics, oracleQuestions }: OracleSources): void {
  counted(registry, {
    name: 'ashlar_oracle_questions_total',
    help: "Questions under oracles' URLs that this process asked, by how they ended",
    label: 'result',
    values: () => {
      const counts = oracleQuestions();
      return RESULTS.map((result) => [result, counts.get(result) ?? 0]);
    },
  });
  databaseGauge(registry, contractMetrics, {
    name: 'ashlar_oracles_equivocated',
    help: 'Oracles of every account that attested two outcomes of one event',
    value: ({ equivocatedOracles }) => equivocatedOracles,
  });
  databaseGauge(registry, contractMetrics, {
    name: 'ashlar_oracle_events_frozen',
    help: 'Events of local oracles that are attested no more, because the database was restored',
    value: ({ frozenEvents }) => frozenEvents,
  });
}
