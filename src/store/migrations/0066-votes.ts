import type { Migration } from './dialect.ts';

/** Power is in whole tokens: the largest supply has 2^53 − 1. What holders have had before was delegated to nobody. */
export const votes: Migration = {
  version: 66,
  name: 'governance: delegations and votes',
  statements: ({ kind, text, integer, table, clustered }) => [
    ...['governance_holders', 'governance_entries'].flatMap((name) => [
      `ALTER TABLE ${name} ADD COLUMN delegated ${text} NOT NULL DEFAULT '0'`,
      `ALTER TABLE ${name} ADD COLUMN power_out ${integer} NOT NULL DEFAULT 0`,
      `ALTER TABLE ${name} ADD COLUMN power_in ${integer} NOT NULL DEFAULT 0`,
    ]),
    `ALTER TABLE governance_daos ADD COLUMN total_power ${integer} NOT NULL DEFAULT 0`,
    // Without the 8 digits behind the point.
    `UPDATE governance_daos SET total_power = coalesce((
      SELECT ${kind === 'postgres' ? 'sum(whole)::bigint' : 'sum(whole)'} FROM (
        SELECT account_id, CAST(substr(balance, 1, length(balance) - 8) AS BIGINT) AS whole
        FROM governance_holders WHERE length(balance) > 8) AS held
      WHERE held.account_id = governance_daos.account_id), 0)`,
    `CREATE TABLE governance_delegations (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      delegation_id ${text} NOT NULL,
      holder_id ${text} NOT NULL,
      delegate_id ${text} NOT NULL,
      amount ${text} NOT NULL,
      power ${integer} NOT NULL,
      from_seq ${integer} NOT NULL,
      until_seq ${integer},
      created_at ${integer} NOT NULL,
      PRIMARY KEY (account_id, delegation_id)
    ) ${clustered}`,
    `CREATE INDEX governance_delegations_given ON governance_delegations (account_id, holder_id, created_at, delegation_id)
      WHERE until_seq IS NULL`,
    `CREATE INDEX governance_delegations_received ON governance_delegations (account_id, delegate_id, created_at, delegation_id)
      WHERE until_seq IS NULL`,
    `CREATE INDEX governance_delegations_ended ON governance_delegations (account_id, holder_id, until_seq)
      WHERE until_seq IS NOT NULL`,
    `CREATE TABLE governance_votes (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      proposal_id ${text} NOT NULL,
      holder_id ${text} NOT NULL,
      vote ${text} NOT NULL,
      power ${integer} NOT NULL,
      own ${integer} NOT NULL,
      taken_back ${integer} NOT NULL,
      received ${integer} NOT NULL,
      power_in ${integer} NOT NULL,
      revision ${integer} NOT NULL,
      proof ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      PRIMARY KEY (account_id, proposal_id, holder_id)
    ) ${table}`,
    'CREATE INDEX governance_votes_by_time ON governance_votes (account_id, proposal_id, created_at, holder_id)',
    'CREATE INDEX governance_votes_by_holder ON governance_votes (account_id, holder_id, created_at, proposal_id)',
    `CREATE TABLE governance_taken (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      proposal_id ${text} NOT NULL,
      delegate_id ${text} NOT NULL,
      taken ${integer} NOT NULL,
      PRIMARY KEY (account_id, proposal_id, delegate_id)
    ) ${clustered}`,
  ],
};
