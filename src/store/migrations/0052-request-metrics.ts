import type { Migration } from './dialect.ts';

/** By which sums of requests are deleted when they are old. */
export const requestMetrics: Migration = {
  version: 52,
  name: 'request metrics',
  statements: () => [`CREATE INDEX metric_sums_of_requests ON metric_sums (bucket) WHERE source = 'request'`],
};
