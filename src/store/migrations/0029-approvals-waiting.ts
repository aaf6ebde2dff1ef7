import type { Migration } from './dialect.ts';

/** How many wait, of an account and in all, is counted within the index (repositories/approvals.ts, metrics.ts). */
export const approvalsWaiting: Migration = {
  version: 29,
  name: 'approvals waiting',
  statements: () => [`CREATE INDEX approvals_waiting ON approvals (account_id, created_at) WHERE status = 'pending'`],
};
