import type { Migration } from './dialect.ts';

export const networks: Migration = {
  version: 54,
  name: 'networks and what their nodes answer',
  statements: ({ text, integer, table, clustered }) => [
    `CREATE TABLE networks (
      network_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      name ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE INDEX networks_by_account ON networks (account_id, created_at, network_id)',
    `CREATE TABLE network_nodes (
      account_id ${text} NOT NULL,
      network_id ${text} NOT NULL REFERENCES networks (network_id),
      position ${integer} NOT NULL,
      node ${text} NOT NULL,
      target ${text},
      added_at ${integer} NOT NULL,
      PRIMARY KEY (account_id, network_id, position)
    ) ${clustered}`,
    'CREATE INDEX network_nodes_by_target ON network_nodes (target, account_id)',
    `CREATE TABLE node_probes (
      target ${text} NOT NULL PRIMARY KEY,
      problem ${text},
      protocol_version ${integer},
      user_agent ${text},
      claimed_height ${integer},
      lag ${integer},
      probed_at ${integer},
      failures ${integer} NOT NULL,
      next_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE INDEX node_probes_due ON node_probes (next_at, target)',
  ],
};
