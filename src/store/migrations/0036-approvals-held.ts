import type { Migration } from './dialect.ts';

/** Held requests that wait, by what they are about: a contract that moves on ends those that it no longer takes. */
export const approvalsHeld: Migration = {
  version: 36,
  name: 'held requests by subject',
  statements: () => [
    `CREATE INDEX approvals_held ON approvals (account_id, subject) WHERE status = 'pending' AND request_of IS NOT NULL`,
  ],
};
