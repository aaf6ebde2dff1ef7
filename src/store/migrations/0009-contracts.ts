import type { ColumnTypes, Migration } from './dialect.ts';

const MAX_SATS = 2_100_000_000_000_000n;

export const contracts: Migration = {
  version: 9,
  name: 'oracles and contracts',
  statements: (types) => [...oracles(types), ...contractTables(types), ...transactions(types)],
};

const oracles = ({ text, integer, table }: ColumnTypes): string[] => [
  `CREATE TABLE oracles (
    oracle_id ${text} NOT NULL PRIMARY KEY,
    account_id ${text} NOT NULL REFERENCES accounts (account_id),
    name ${text} NOT NULL,
    external_id ${text},
    kind ${text} NOT NULL CHECK (kind IN ('local', 'external')),
    public_key ${text} NOT NULL CHECK (length(public_key) = 64),
    url ${text},
    secret ${text},
    is_default ${integer} NOT NULL CHECK (is_default IN (0, 1)),
    equivocated_at ${integer},
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    UNIQUE (oracle_id, account_id),
    UNIQUE (account_id, public_key),
    CHECK ((kind = 'local') = (secret IS NOT NULL)),
    CHECK (is_default = 0 OR kind = 'local')
  ) ${table}`,
  'CREATE INDEX oracles_by_account ON oracles (account_id, created_at, oracle_id)',
  'CREATE UNIQUE INDEX oracles_default ON oracles (account_id) WHERE is_default = 1',
  // Others name events and choose outcomes: an event's id is short enough for an index, an outcome has a digest there.
  `CREATE TABLE oracle_events (
    oracle_id ${text} NOT NULL,
    event_id ${text} NOT NULL CHECK (length(event_id) BETWEEN 1 AND 500),
    account_id ${text} NOT NULL,
    announcement ${text} NOT NULL,
    maturity_epoch ${integer} NOT NULL CHECK (maturity_epoch BETWEEN 0 AND 4294967295),
    descriptor ${text} NOT NULL,
    nonces ${text},
    committed_outcome ${text},
    committed_at ${integer},
    frozen_at ${integer},
    polled_at ${integer},
    created_at ${integer} NOT NULL,
    PRIMARY KEY (oracle_id, event_id),
    UNIQUE (oracle_id, event_id, account_id),
    FOREIGN KEY (oracle_id, account_id) REFERENCES oracles (oracle_id, account_id),
    CHECK ((committed_outcome IS NULL) = (committed_at IS NULL))
  ) ${table}`,
  'CREATE INDEX oracle_events_by_account ON oracle_events (account_id, created_at, oracle_id, event_id)',
  'CREATE INDEX oracle_events_by_name ON oracle_events (account_id, event_id)',
  `CREATE TABLE attestations (
    attestation_id ${text} NOT NULL PRIMARY KEY,
    account_id ${text} NOT NULL,
    oracle_id ${text} NOT NULL,
    event_id ${text} NOT NULL,
    outcomes ${text} NOT NULL,
    outcomes_digest ${text} NOT NULL CHECK (length(outcomes_digest) = 64),
    attestation ${text} NOT NULL,
    source ${text} NOT NULL CHECK (source IN ('local', 'posted', 'fetched', 'chain')),
    created_at ${integer} NOT NULL,
    UNIQUE (oracle_id, event_id, outcomes_digest),
    FOREIGN KEY (oracle_id, event_id, account_id) REFERENCES oracle_events (oracle_id, event_id, account_id)
  ) ${table}`,
  'CREATE INDEX attestations_by_account ON attestations (account_id, created_at, attestation_id)',
];

const contractTables = ({ text, integer, bytes, table, clustered, id }: ColumnTypes): string[] => [
  `CREATE TABLE contracts (
    contract_id ${text} NOT NULL PRIMARY KEY,
    account_id ${text} NOT NULL REFERENCES accounts (account_id),
    external_id ${text},
    status ${text} NOT NULL CHECK (status IN ('offered', 'accepted', 'signed', 'funded', 'confirmed', 'executed', 'refunded',
      'closed', 'cancelled', 'failed')),
    role ${text} NOT NULL CHECK (role IN ('both', 'offerer', 'accepter')),
    dialect ${text} NOT NULL CHECK (dialect IN ('tagged', 'dlcspecs-vectors')),
    oracle_ids ${text} NOT NULL,
    event_ids ${text} NOT NULL,
    threshold ${integer} NOT NULL CHECK (threshold > 0),
    payouts ${text} NOT NULL,
    descriptor ${text},
    collateral_sats ${integer} NOT NULL CHECK (collateral_sats BETWEEN 0 AND ${MAX_SATS}),
    offer_collateral_sats ${integer} NOT NULL CHECK (offer_collateral_sats >= 0),
    fee_rate_sat_vb ${integer} NOT NULL CHECK (fee_rate_sat_vb >= 0),
    cet_locktime ${integer} NOT NULL CHECK (cet_locktime BETWEEN 0 AND 4294967295),
    refund_locktime ${integer} NOT NULL CHECK (refund_locktime BETWEEN 0 AND 4294967295),
    offer_side ${text},
    accept_side ${text},
    temporary_contract_id ${text} NOT NULL CHECK (length(temporary_contract_id) = 64),
    coin_hold ${text} NOT NULL CHECK (length(coin_hold) = 64),
    dlc_contract_id ${text} CHECK (length(dlc_contract_id) = 64),
    funding_txid ${text} CHECK (length(funding_txid) = 64),
    funding_vout ${integer} CHECK (funding_vout >= 0),
    funding_height ${integer} CHECK (funding_height >= 0),
    closing_txid ${text} CHECK (length(closing_txid) = 64),
    closing_kind ${text} CHECK (closing_kind IN ('cet', 'refund', 'cooperative', 'unknown')),
    closing_height ${integer} CHECK (closing_height >= 0),
    closing_block_hash ${text} CHECK (length(closing_block_hash) = 64),
    outcome ${text},
    progress ${text},
    expires_at ${integer},
    reason ${text},
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    UNIQUE (contract_id, account_id),
    UNIQUE (account_id, temporary_contract_id, role),
    UNIQUE (account_id, coin_hold),
    CHECK (offer_collateral_sats <= collateral_sats),
    CHECK ((funding_txid IS NULL) = (funding_vout IS NULL)),
    CHECK (funding_height IS NULL OR funding_txid IS NOT NULL),
    CHECK ((closing_height IS NULL) = (closing_block_hash IS NULL)),
    CHECK (closing_txid IS NOT NULL OR closing_height IS NULL)
  ) ${table}`,
  'CREATE INDEX contracts_by_account ON contracts (account_id, created_at, contract_id)',
  'CREATE INDEX contracts_by_status ON contracts (account_id, status, created_at, contract_id)',
  'CREATE UNIQUE INDEX contracts_by_external_id ON contracts (account_id, external_id) WHERE external_id IS NOT NULL',
  `CREATE INDEX contracts_open ON contracts (created_at, contract_id)
    WHERE (status in ('offered', 'accepted', 'signed', 'funded', 'confirmed', 'executed', 'refunded')
      or (status = 'closed' and closing_kind = 'cet' and outcome is null))`,
  'CREATE INDEX contracts_by_funding ON contracts (funding_txid) WHERE funding_txid IS NOT NULL',
  'CREATE INDEX contracts_by_closing ON contracts (closing_txid) WHERE closing_txid IS NOT NULL',
  'CREATE INDEX contracts_by_closing_block ON contracts (closing_block_hash) WHERE closing_block_hash IS NOT NULL',
  // Rows of a contract's announcements, in order of preference.
  `CREATE TABLE contract_oracles (
    contract_id ${text} NOT NULL,
    position ${integer} NOT NULL CHECK (position >= 0),
    account_id ${text} NOT NULL,
    oracle_id ${text} NOT NULL,
    event_id ${text},
    PRIMARY KEY (contract_id, position),
    FOREIGN KEY (contract_id, account_id) REFERENCES contracts (contract_id, account_id),
    FOREIGN KEY (oracle_id, account_id) REFERENCES oracles (oracle_id, account_id),
    FOREIGN KEY (oracle_id, event_id, account_id) REFERENCES oracle_events (oracle_id, event_id, account_id)
  ) ${clustered}`,
  'CREATE INDEX contract_oracles_by_event ON contract_oracles (oracle_id, event_id, contract_id)',
  // Megabytes each: read only where they are asked for.
  `CREATE TABLE contract_messages (
    contract_id ${text} NOT NULL,
    type ${text} NOT NULL CHECK (type IN ('offer', 'accept', 'sign', 'close')),
    account_id ${text} NOT NULL,
    message ${bytes} NOT NULL,
    PRIMARY KEY (contract_id, type),
    FOREIGN KEY (contract_id, account_id) REFERENCES contracts (contract_id, account_id)
  ) ${table}`,
  // Outpoints that are watched beside the wallets' coins; ids grow, as the follower reads what was added since.
  `CREATE TABLE contract_fundings (
    funding_id ${id},
    contract_id ${text} NOT NULL UNIQUE,
    account_id ${text} NOT NULL,
    txid ${text} NOT NULL CHECK (length(txid) = 64),
    vout ${integer} NOT NULL CHECK (vout >= 0),
    FOREIGN KEY (contract_id, account_id) REFERENCES contracts (contract_id, account_id)
  ) ${table}`,
  'CREATE INDEX contract_fundings_by_outpoint ON contract_fundings (txid, vout)',
];

/** A column of its own: SQLite cannot widen the check on `kind` without writing every transaction anew. */
const transactions = ({ text }: ColumnTypes): string[] => [
  `ALTER TABLE transactions ADD COLUMN contract_kind ${text}
    CHECK (contract_kind IN ('funding', 'cet', 'refund', 'cooperative_close'))`,
];
