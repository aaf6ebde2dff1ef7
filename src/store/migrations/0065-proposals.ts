import type { Migration } from './dialect.ts';

/** Powers and votes are decimal texts of whole tokens. */
export const proposals: Migration = {
  version: 65,
  name: 'proposals of DAOs',
  statements: ({ text, integer, table }) => [
    `ALTER TABLE governance_daos ADD COLUMN seen_at ${integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE governance_daos ADD COLUMN active_proposals ${integer} NOT NULL DEFAULT 0`,
    'CREATE INDEX governance_daos_by_time_seen ON governance_daos (seen_at, account_id)',
    `CREATE TABLE governance_proposals (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      proposal_id ${text} NOT NULL,
      proposer_id ${text} NOT NULL,
      initiator ${text} NOT NULL,
      title ${text} NOT NULL,
      description ${text} NOT NULL,
      type ${text} NOT NULL,
      parameters ${text} NOT NULL,
      settings ${text} NOT NULL,
      snapshot_seq ${integer} NOT NULL,
      total_power ${text} NOT NULL,
      status ${text} NOT NULL,
      votes_for ${text} NOT NULL,
      votes_against ${text} NOT NULL,
      voters ${integer} NOT NULL,
      created_at ${integer} NOT NULL,
      expires_at ${integer} NOT NULL,
      ended_at ${integer},
      cancelled_at ${integer},
      cancel_reason ${text},
      PRIMARY KEY (account_id, proposal_id)
    ) ${table}`,
    'CREATE INDEX governance_proposals_by_time ON governance_proposals (account_id, created_at, proposal_id)',
    'CREATE INDEX governance_proposals_by_status ON governance_proposals (account_id, status, created_at, proposal_id)',
    'CREATE INDEX governance_proposals_by_proposer ON governance_proposals (account_id, proposer_id, created_at)',
    `CREATE INDEX governance_proposals_due ON governance_proposals (expires_at, account_id) WHERE status = 'active'`,
    `CREATE INDEX governance_proposals_active ON governance_proposals (account_id, expires_at, proposal_id)
      WHERE status = 'active'`,
  ],
};
