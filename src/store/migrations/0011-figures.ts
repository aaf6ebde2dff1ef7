import type { Migration } from './dialect.ts';

/** What is counted for metrics is counted along an index: most contracts are over, and events are large. */
export const figures: Migration = {
  version: 11,
  name: 'figures',
  statements: () => [
    // Written in the questions (repositories/metrics.ts) in the same words: only then is it taken.
    `CREATE INDEX contracts_unfinished ON contracts (status, refund_locktime)
      WHERE status in ('offered', 'accepted', 'signed', 'funded', 'confirmed', 'executed', 'refunded')`,
    'CREATE INDEX oracles_equivocated ON oracles (equivocated_at) WHERE equivocated_at IS NOT NULL',
    'CREATE INDEX oracle_events_frozen ON oracle_events (frozen_at) WHERE frozen_at IS NOT NULL',
  ],
};
