import type { Migration } from './dialect.ts';

/** What anybody can recount a proposal from: nothing of it is changed once it is there, but for which record is the last that commits to a subject. */
export const recounts: Migration = {
  version: 68,
  name: 'governance: snapshots, votes as they were cast, and the audit records that commit to them',
  statements: ({ text, integer, bytes, table, clustered }) => [
    `CREATE TABLE governance_snapshots (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      proposal_id ${text} NOT NULL,
      root ${text} NOT NULL,
      holders ${integer} NOT NULL,
      PRIMARY KEY (account_id, proposal_id)
    ) ${clustered}`,
    `CREATE TABLE governance_snapshot_pieces (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      root ${text} NOT NULL,
      first_holder ${text} NOT NULL,
      leaves ${bytes} NOT NULL,
      PRIMARY KEY (account_id, root, first_holder)
    ) ${table}`,
    `CREATE TABLE governance_casts (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      proposal_id ${text} NOT NULL,
      number ${integer} NOT NULL,
      statement ${text} NOT NULL,
      chain ${bytes} NOT NULL,
      PRIMARY KEY (account_id, proposal_id, number)
    ) ${table}`,
    `CREATE TABLE audit_commitments (
      log_id ${text} NOT NULL,
      subject ${text} NOT NULL,
      record_id ${text} NOT NULL,
      PRIMARY KEY (log_id, subject)
    ) ${clustered}`,
  ],
};
