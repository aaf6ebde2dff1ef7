import type { ColumnTypes, Migration } from './dialect.ts';

export const taproot: Migration = {
  version: 7,
  name: 'taproot outputs and MuSig2 sessions',
  statements: (types) => [...outputs(types), ...sessions(types)],
};

const hex32 = (name: string): string => `CHECK (length(${name}) = 64)`;

const outputs = ({ text, integer, table }: ColumnTypes): string[] => [
  `CREATE TABLE taproot_outputs (
    output_id ${text} NOT NULL PRIMARY KEY,
    account_id ${text} NOT NULL REFERENCES accounts (account_id),
    name ${text},
    external_id ${text},
    network ${text} NOT NULL,
    internal_key ${text} NOT NULL ${hex32('internal_key')},
    script_tree ${text},
    leaf_count ${integer} NOT NULL CHECK (leaf_count >= 0),
    merkle_root ${text} ${hex32('merkle_root')},
    output_key ${text} NOT NULL ${hex32('output_key')},
    parity ${integer} NOT NULL CHECK (parity IN (0, 1)),
    script_pubkey ${text} NOT NULL,
    address ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    CHECK ((script_tree IS NULL) = (merkle_root IS NULL))
  ) ${table}`,
  'CREATE INDEX taproot_outputs_by_account ON taproot_outputs (account_id, created_at, output_id)',
];

const sessions = ({ text, integer, table, clustered }: ColumnTypes): string[] => [
  `CREATE TABLE musig_sessions (
    session_id ${text} NOT NULL PRIMARY KEY,
    account_id ${text} NOT NULL REFERENCES accounts (account_id),
    name ${text},
    external_id ${text},
    state ${text} NOT NULL CHECK (state IN ('awaiting_nonces', 'awaiting_signatures', 'complete', 'cancelled')),
    message ${text} NOT NULL,
    sorted ${integer} NOT NULL CHECK (sorted IN (0, 1)),
    tweaks ${text} NOT NULL,
    taproot ${text},
    participants ${text} NOT NULL,
    aggregate_key ${text} NOT NULL ${hex32('aggregate_key')},
    internal_key ${text} ${hex32('internal_key')},
    aggregate_nonce ${text},
    signature ${text},
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    CHECK ((state = 'complete') = (signature IS NOT NULL)),
    UNIQUE (session_id, account_id)
  ) ${table}`,
  'CREATE INDEX musig_sessions_by_account ON musig_sessions (account_id, created_at, session_id)',
  // A public nonce belongs to one session of its account for ever: also when that is cancelled.
  `CREATE TABLE musig_nonces (
    account_id ${text} NOT NULL,
    public_nonce ${text} NOT NULL CHECK (length(public_nonce) = 132),
    session_id ${text} NOT NULL,
    PRIMARY KEY (account_id, public_nonce),
    FOREIGN KEY (session_id, account_id) REFERENCES musig_sessions (session_id, account_id)
  ) ${clustered}`,
];
