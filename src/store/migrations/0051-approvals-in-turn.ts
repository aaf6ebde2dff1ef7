import type { Migration } from './dialect.ts';

/** With the account, since the first of each are read, and all else that is read of them. */
export const approvalsInTurn: Migration = {
  version: 51,
  name: 'approvals in turn of accounts',
  statements: () => [
    'DROP INDEX approvals_pending',
    'DROP INDEX approvals_to_do',
    `CREATE INDEX approvals_pending ON approvals (expires_at, approval_id, account_id, operation, status) WHERE status = 'pending'`,
    `CREATE INDEX approvals_to_do ON approvals (account_id, closed_at, approval_id, operation, status, done_at)
      WHERE status = 'approved' AND done_at IS NULL`,
  ],
};
