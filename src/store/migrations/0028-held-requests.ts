import type { Migration } from './dialect.ts';

export const heldRequests: Migration = {
  version: 28,
  name: 'held-requests',
  statements: ({ text }) => [
    `ALTER TABLE approvals ADD COLUMN request_of ${text}`,
    `ALTER TABLE approvals ADD COLUMN request ${text}`,
    `ALTER TABLE approvals ADD COLUMN result ${text}`,
  ],
};
