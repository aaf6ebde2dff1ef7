import type { Migration } from './dialect.ts';

/** The status is stored behind the text, which may have a megabyte: pages by status would read past those of all others. */
export const approvalsByStatus: Migration = {
  version: 35,
  name: 'approvals by status',
  statements: () => ['CREATE INDEX approvals_by_status ON approvals (account_id, status, created_at, approval_id)'],
};
