import type { Migration } from './dialect.ts';

export const customMetrics: Migration = {
  version: 56,
  name: 'custom metrics',
  statements: ({ text, integer, clustered }) => [
    `CREATE TABLE custom_metrics (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      name ${text} NOT NULL,
      labels ${text} NOT NULL,
      kind ${text} NOT NULL,
      series ${integer} NOT NULL,
      day ${integer} NOT NULL,
      points ${integer} NOT NULL,
      PRIMARY KEY (account_id, name, labels)
    ) ${clustered}`,
    'CREATE INDEX custom_metrics_by_day ON custom_metrics (day)',
    `CREATE INDEX metric_sums_of_accounts ON metric_sums (bucket) WHERE substr(source, 1, 7) = 'custom.'`,
  ],
};
