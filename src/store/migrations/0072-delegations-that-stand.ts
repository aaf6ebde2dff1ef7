import type { Migration } from './dialect.ts';

/** What was delegated at a snapshot is in its leaves. */
export const delegationsThatStand: Migration = {
  version: 72,
  name: 'governance: delegations that stand',
  statements: () => [
    'DELETE FROM governance_delegations WHERE until_seq IS NOT NULL',
    ...['given', 'received', 'ended'].map((name) => `DROP INDEX governance_delegations_${name}`),
    ...['power', 'until_seq'].map((column) => `ALTER TABLE governance_delegations DROP COLUMN ${column}`),
    'CREATE INDEX governance_delegations_given ON governance_delegations (account_id, holder_id, created_at, delegation_id)',
    'CREATE INDEX governance_delegations_received ON governance_delegations (account_id, delegate_id, created_at, delegation_id)',
  ],
};
