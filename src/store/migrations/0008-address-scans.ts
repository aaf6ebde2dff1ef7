import type { Migration } from './dialect.ts';

export const addressScans: Migration = {
  version: 8,
  name: 'scans of the chain for one address',
  statements: ({ text, integer, table, clustered }) => [
    `CREATE TABLE address_scans (
      scan_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      address ${text} NOT NULL,
      script_pubkey ${text} NOT NULL,
      state ${text} NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed')),
      from_height ${integer} NOT NULL CHECK (from_height >= 0),
      at_height ${integer} CHECK (at_height >= 0),
      at_hash ${text} CHECK (length(at_hash) = 64),
      to_height ${integer} CHECK (to_height >= 0),
      error ${text},
      restarts ${integer} NOT NULL CHECK (restarts >= 0),
      created_at ${integer} NOT NULL,
      finished_at ${integer},
      UNIQUE (scan_id, account_id),
      CHECK ((at_height IS NULL) = (at_hash IS NULL))
    ) ${table}`,
    'CREATE INDEX address_scans_by_account ON address_scans (account_id, created_at, scan_id)',
    'CREATE INDEX address_scans_by_script ON address_scans (account_id, script_pubkey, finished_at)',
    "CREATE INDEX address_scans_open ON address_scans (created_at, scan_id) WHERE state IN ('queued', 'running')",
    "CREATE INDEX address_scans_done ON address_scans (at_height) WHERE state = 'done'",
    `CREATE TABLE address_scan_coins (
      scan_id ${text} NOT NULL,
      account_id ${text} NOT NULL,
      txid ${text} NOT NULL CHECK (length(txid) = 64),
      vout ${integer} NOT NULL CHECK (vout >= 0),
      amount_sats ${integer} NOT NULL CHECK (amount_sats BETWEEN 0 AND 2100000000000000),
      height ${integer} NOT NULL CHECK (height >= 0),
      block_hash ${text} NOT NULL CHECK (length(block_hash) = 64),
      coinbase ${integer} NOT NULL CHECK (coinbase IN (0, 1)),
      spent_by ${text} CHECK (length(spent_by) = 64),
      spent_height ${integer} CHECK (spent_height >= 0),
      spent_block_hash ${text} CHECK (length(spent_block_hash) = 64),
      PRIMARY KEY (scan_id, txid, vout),
      FOREIGN KEY (scan_id, account_id) REFERENCES address_scans (scan_id, account_id)
    ) ${clustered}`,
    'CREATE INDEX address_scan_coins_unspent ON address_scan_coins (scan_id, height, txid, vout) WHERE spent_by IS NULL',
    // What an account's wallets know of one address.
    'CREATE INDEX coins_by_script ON coins (script_pubkey, wallet_id)',
  ],
};
