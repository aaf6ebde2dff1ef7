import { FETCH_FAILURES, type FetchResult } from '../../engines/fetching/fetching.ts';
import { type AddSeries, counted, databaseGauge } from '../../metrics/series.ts';

interface OracleSources {
  /** Throws where the database does not answer. */
  contractMetrics(): Promise<{ readonly equivocatedOracles: number; readonly frozenEvents: number }>;
  oracleQuestions(): ReadonlyMap<FetchResult, number>;
}

const RESULTS: readonly FetchResult[] = ['answered', 'not_found', ...FETCH_FAILURES];

export const oracleSeries =
  ({ contractMetrics, oracleQuestions }: OracleSources): AddSeries =>
  (registry) => {
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
    return undefined;
  };
