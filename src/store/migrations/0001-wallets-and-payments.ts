import type { ColumnTypes, Migration } from './dialect.ts';

const MAX_SATS = 2_100_000_000_000_000n;

export const walletsAndPayments: Migration = {
  version: 1,
  name: 'wallets and payments',
  statements: (types) => [
    ...accounts(types),
    ...wallets(types),
    ...transactions(types),
    ...chain(types),
    ...rest(types),
  ],
};

const flag = (types: ColumnTypes, name: string): string =>
  `${name} ${types.integer} NOT NULL CHECK (${name} IN (0, 1))`;
const sats = (types: ColumnTypes, name: string): string =>
  `${name} ${types.integer} NOT NULL CHECK (${name} BETWEEN 0 AND ${MAX_SATS})`;

function accounts(types: ColumnTypes): string[] {
  const { text, integer, table, clustered } = types;
  return [
    `CREATE TABLE settings (
      name ${text} NOT NULL PRIMARY KEY,
      value ${text} NOT NULL
    ) ${clustered}`,
    `CREATE TABLE accounts (
      account_id ${text} NOT NULL PRIMARY KEY,
      name ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      frozen_at ${integer},
      transaction_count ${integer} NOT NULL DEFAULT 0 CHECK (transaction_count >= 0)
    ) ${table}`,
    'CREATE INDEX accounts_by_name ON accounts (name)',
    `CREATE TABLE api_keys (
      key_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      name ${text} NOT NULL,
      prefix ${text} NOT NULL CHECK (length(prefix) = 8),
      secret_hash ${text} NOT NULL,
      role ${text} NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
      scopes ${text} NOT NULL,
      tier ${text} NOT NULL CHECK (tier IN ('free', 'standard', 'pro', 'enterprise', 'custom')),
      limits ${text},
      public_jwk ${text},
      jwk_thumbprint ${text},
      allowed_ips ${text},
      expires_at ${integer},
      revoked_at ${integer},
      last_used_at ${integer},
      created_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE UNIQUE INDEX api_keys_by_prefix ON api_keys (prefix)',
    'CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at, key_id)',
  ];
}

function wallets(types: ColumnTypes): string[] {
  const { text, integer, table, id } = types;
  return [
    `CREATE TABLE wallets (
      wallet_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      name ${text} NOT NULL,
      external_id ${text},
      type ${text} NOT NULL CHECK (type IN ('segwit', 'taproot', 'nested-segwit', 'legacy', 'multisig', 'watch-only')),
      backup_type ${text} NOT NULL CHECK (backup_type IN ('encrypted', 'mnemonic', 'none')),
      network ${text} NOT NULL CHECK (network IN ('mainnet', 'testnet4', 'signet', 'regtest')),
      fingerprint ${text},
      external_descriptor ${text} NOT NULL,
      internal_descriptor ${text},
      secret ${text},
      ${flag(types, 'is_default')},
      birthday_height ${integer} NOT NULL CHECK (birthday_height >= 0),
      next_external_index ${integer} NOT NULL CHECK (next_external_index >= 0),
      next_internal_index ${integer} NOT NULL CHECK (next_internal_index >= 0),
      scan_state ${text} NOT NULL CHECK (scan_state IN ('idle', 'queued', 'scanning', 'failed')),
      scan_from ${integer},
      scan_at ${integer},
      scan_to ${integer},
      scan_error ${text},
      transaction_count ${integer} NOT NULL DEFAULT 0 CHECK (transaction_count >= 0),
      archived_at ${integer},
      created_at ${integer} NOT NULL,
      UNIQUE (wallet_id, account_id)
    ) ${table}`,
    'CREATE INDEX wallets_by_account ON wallets (account_id, created_at, wallet_id)',
    'CREATE INDEX wallets_by_external_id ON wallets (account_id, external_id) WHERE external_id IS NOT NULL',
    'CREATE UNIQUE INDEX wallets_default ON wallets (account_id) WHERE is_default = 1',
    "CREATE INDEX wallets_to_scan ON wallets (created_at, wallet_id) WHERE scan_state IN ('queued', 'scanning')",
    `CREATE TABLE scripts (
      script_id ${id},
      wallet_id ${text} NOT NULL,
      account_id ${text} NOT NULL,
      script_pubkey ${text} NOT NULL,
      ${flag(types, 'change')},
      derivation_index ${integer} NOT NULL CHECK (derivation_index >= 0),
      address ${text} NOT NULL,
      label ${text},
      reserved_at ${integer},
      used_at ${integer},
      UNIQUE (wallet_id, change, derivation_index),
      UNIQUE (script_pubkey, wallet_id),
      FOREIGN KEY (wallet_id, account_id) REFERENCES wallets (wallet_id, account_id)
    ) ${table}`,
    'CREATE INDEX scripts_by_address ON scripts (wallet_id, address)',
    'CREATE INDEX scripts_used ON scripts (wallet_id, change, derivation_index) WHERE used_at IS NOT NULL',
    `CREATE TABLE coins (
      coin_id ${id},
      wallet_id ${text} NOT NULL,
      account_id ${text} NOT NULL,
      txid ${text} NOT NULL CHECK (length(txid) = 64),
      vout ${integer} NOT NULL CHECK (vout >= 0),
      ${sats(types, 'amount_sats')},
      script_pubkey ${text} NOT NULL,
      ${flag(types, 'change')},
      derivation_index ${integer} NOT NULL CHECK (derivation_index >= 0),
      ${flag(types, 'coinbase')},
      ${flag(types, 'live')},
      ${flag(types, 'own')},
      tx_version ${integer} NOT NULL,
      height ${integer} CHECK (height >= 0),
      spent_by ${text} CHECK (length(spent_by) = 64),
      spent_height ${integer} CHECK (spent_height >= 0),
      ${flag(types, 'locked')},
      ${flag(types, 'frozen')},
      label ${text},
      created_at ${integer} NOT NULL,
      UNIQUE (txid, vout, wallet_id),
      CHECK (spent_height IS NULL OR spent_by IS NOT NULL),
      FOREIGN KEY (wallet_id, account_id) REFERENCES wallets (wallet_id, account_id)
    ) ${table}`,
    'CREATE INDEX coins_unspent ON coins (wallet_id, coin_id) WHERE live = 1 AND spent_by IS NULL',
    'CREATE INDEX coins_by_spender ON coins (spent_by) WHERE spent_by IS NOT NULL',
    'CREATE INDEX coins_watched ON coins (coin_id) WHERE live = 1 AND spent_height IS NULL',
    'CREATE INDEX coins_by_height ON coins (wallet_id, height) WHERE live = 1 AND height IS NOT NULL',
  ];
}

function transactions(types: ColumnTypes): string[] {
  const { text, integer, bytes, table, clustered } = types;
  return [
    `CREATE TABLE transactions (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      txid ${text} NOT NULL CHECK (length(txid) = 64),
      unsigned_txid ${text} NOT NULL CHECK (length(unsigned_txid) = 64),
      wallet_id ${text} NOT NULL,
      ordinal ${integer} NOT NULL CHECK (ordinal > 0),
      kind ${text} NOT NULL CHECK (kind IN ('payment', 'deposit', 'bump', 'cpfp', 'cancel')),
      status ${text} NOT NULL CHECK (status IN ('awaiting_approval', 'awaiting_signature', 'signed', 'broadcast',
        'confirmed', 'replaced', 'conflicted', 'abandoned', 'failed')),
      direction ${text} NOT NULL CHECK (direction IN ('outgoing', 'incoming', 'internal')),
      raw ${bytes},
      psbt ${text},
      recipients ${text} NOT NULL,
      ${sats(types, 'amount_sats')},
      fee_sats ${integer} CHECK (fee_sats BETWEEN 0 AND ${MAX_SATS}),
      vsize ${integer} CHECK (vsize > 0),
      version ${integer} NOT NULL,
      locktime ${integer} NOT NULL CHECK (locktime BETWEEN 0 AND 4294967295),
      ${flag(types, 'rbf')},
      block_height ${integer} CHECK (block_height >= 0),
      block_hash ${text} CHECK (length(block_hash) = 64),
      replaces ${text},
      replaced_by ${text},
      label ${text},
      external_id ${text},
      reason ${text},
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL,
      PRIMARY KEY (txid, account_id),
      UNIQUE (account_id, ordinal),
      FOREIGN KEY (wallet_id, account_id) REFERENCES wallets (wallet_id, account_id)
    ) ${table}`,
    'CREATE INDEX transactions_by_unsigned_txid ON transactions (unsigned_txid, account_id, ordinal)',
    'CREATE INDEX transactions_by_status ON transactions (account_id, status, ordinal)',
    `CREATE INDEX transactions_by_external_id ON transactions (account_id, external_id, ordinal)
      WHERE external_id IS NOT NULL`,
    'CREATE INDEX transactions_by_label ON transactions (account_id, label, ordinal) WHERE label IS NOT NULL',
    'CREATE INDEX transactions_by_block ON transactions (block_hash) WHERE block_hash IS NOT NULL',
    `CREATE INDEX transactions_unsettled ON transactions (status, created_at)
      WHERE status NOT IN ('confirmed', 'conflicted', 'failed')`,
    `CREATE TABLE transaction_inputs (
      account_id ${text} NOT NULL,
      txid ${text} NOT NULL,
      vin ${integer} NOT NULL CHECK (vin >= 0),
      prev_txid ${text} NOT NULL CHECK (length(prev_txid) = 64),
      prev_vout ${integer} NOT NULL CHECK (prev_vout >= 0),
      PRIMARY KEY (txid, account_id, vin),
      FOREIGN KEY (txid, account_id) REFERENCES transactions (txid, account_id)
    ) ${clustered}`,
    'CREATE INDEX transaction_inputs_by_outpoint ON transaction_inputs (prev_txid, prev_vout)',
    `CREATE TABLE wallet_transactions (
      wallet_id ${text} NOT NULL,
      account_id ${text} NOT NULL,
      txid ${text} NOT NULL,
      ordinal ${integer} NOT NULL CHECK (ordinal > 0),
      ${sats(types, 'received_sats')},
      ${sats(types, 'sent_sats')},
      PRIMARY KEY (wallet_id, ordinal),
      UNIQUE (txid, wallet_id),
      FOREIGN KEY (wallet_id, account_id) REFERENCES wallets (wallet_id, account_id),
      FOREIGN KEY (txid, account_id) REFERENCES transactions (txid, account_id)
    ) ${clustered}`,
  ];
}

function chain(types: ColumnTypes): string[] {
  const { text, integer, table, id } = types;
  return [
    `CREATE TABLE blocks (
      height ${integer} NOT NULL PRIMARY KEY CHECK (height >= 0),
      hash ${text} NOT NULL UNIQUE CHECK (length(hash) = 64),
      prev_hash ${text} NOT NULL,
      time ${integer} NOT NULL,
      median_time ${integer} NOT NULL
    ) ${table}`,
    `CREATE TABLE events (
      event_id ${id},
      seq ${integer} UNIQUE CHECK (seq > 0),
      account_id ${text},
      channel ${text} NOT NULL CHECK (channel IN ('transactions', 'blocks', 'contracts')),
      ref ${text} NOT NULL,
      data ${text} NOT NULL,
      retracts_event_id ${integer},
      created_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE INDEX events_by_reader ON events (channel, account_id, seq) WHERE seq IS NOT NULL',
    'CREATE INDEX events_by_subject ON events (channel, ref, event_id)',
    'CREATE INDEX events_by_age ON events (created_at) WHERE seq IS NOT NULL',
  ];
}

function rest(types: ColumnTypes): string[] {
  const { text, integer, table, clustered } = types;
  return [
    `CREATE TABLE idempotency_keys (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      key ${text} NOT NULL,
      fingerprint ${text} NOT NULL,
      operation ${text} NOT NULL,
      target ${text},
      status ${integer} NOT NULL CHECK (status BETWEEN 100 AND 599),
      body ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      expires_at ${integer} NOT NULL,
      PRIMARY KEY (account_id, key)
    ) ${table}`,
    'CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at)',
    `CREATE TABLE labels (
      account_id ${text} NOT NULL,
      wallet_id ${text} NOT NULL,
      type ${text} NOT NULL CHECK (type IN ('tx', 'addr', 'pubkey', 'input', 'output', 'xpub')),
      ref ${text} NOT NULL,
      label ${text} NOT NULL,
      extra ${text},
      PRIMARY KEY (wallet_id, type, ref),
      FOREIGN KEY (wallet_id, account_id) REFERENCES wallets (wallet_id, account_id)
    ) ${clustered}`,
  ];
}
