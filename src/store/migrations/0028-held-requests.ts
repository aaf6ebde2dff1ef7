import type { Migration } from './dialect.ts';

export const heldRequests: Migration = {
  version: 28,
  name: 'held-requests',
  statements: ({ text }) => [
    `ALTER TABLE approvals ADD COLUMN request_of ${text}`,
    `ALTER TABLE approvals ADD COLUMN request ${text}`,
    `ALTER TABLE approvals ADD COLUMN result ${text}`,
    // How many of an account wait.
    `CREATE INDEX approvals_held ON approvals (account_id) WHERE status = 'pending' AND request_of IS NOT NULL`,
  ],
};
