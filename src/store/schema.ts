/**
 * The tables, as Kysely sees them on both databases. Integers are bigint in both directions (SQLite is read with bigints,
 * PostgreSQL's int8 is parsed as bigint), JSON is text, booleans are 0/1, times are epoch milliseconds, bytes are BLOB/BYTEA.
 * Migrations (migrations.ts) are the source of truth; repositories turn rows into the records of records.ts.
 */
import type { Generated } from 'kysely';
import type { AddressScanTables } from './tables/address-scans.ts';
import type { AuditTables } from './tables/audit.ts';
import type { ContractTables } from './tables/contracts.ts';
import type { OAuthTables } from './tables/oauth.ts';
import type { PeopleTables } from './tables/people.ts';
import type { SigningKeyTables } from './tables/signing-keys.ts';
import type { TaprootTables } from './tables/taproot.ts';

type Flag = bigint;

export interface Schema
  extends AddressScanTables,
    AuditTables,
    ContractTables,
    OAuthTables,
    PeopleTables,
    SigningKeyTables,
    TaprootTables {
  settings: { name: string; value: string };
  accounts: {
    account_id: string;
    name: string;
    created_at: bigint;
    frozen_at: bigint | null;
    platform: Generated<Flag>;
    tier: Generated<string>;
    frozen_reason: string | null;
    transaction_count: Generated<bigint>;
    script_count: Generated<bigint>;
  };
  api_keys: {
    key_id: string;
    account_id: string;
    name: string;
    /** The 8 public characters in the middle of `ak_<8>_<43>`: what the lookup goes by. */
    prefix: string;
    /** SHA-256 of the whole key, hex. */
    secret_hash: string;
    role: string;
    scopes: string;
    tier: string;
    limits: string | null;
    allowed_ips: string | null;
    require_signature: Generated<Flag>;
    may_grant: Flag;
    created_by: string | null;
    rotated_to: string | null;
    overlap_ends_at: bigint | null;
    expires_at: bigint | null;
    revoked_at: bigint | null;
    last_used_at: bigint | null;
    created_at: bigint;
  };
  wallets: {
    wallet_id: string;
    account_id: string;
    name: string;
    external_id: string | null;
    type: string;
    backup_type: string;
    network: string;
    fingerprint: string | null;
    external_descriptor: string;
    internal_descriptor: string | null;
    /** The encrypted secret (EncryptedSecret as JSON), null for wallets without keys here. */
    secret: string | null;
    is_default: Flag;
    birthday_height: bigint;
    next_external_index: bigint;
    next_internal_index: bigint;
    scan_state: string;
    scan_from: bigint | null;
    scan_at: bigint | null;
    scan_to: bigint | null;
    scan_error: string | null;
    transaction_count: Generated<bigint>;
    archived_at: bigint | null;
    created_at: bigint;
  };
  /** Every script a wallet watches: one row per derived address. */
  scripts: {
    script_id: Generated<bigint>;
    wallet_id: string;
    account_id: string;
    script_pubkey: string;
    change: Flag;
    derivation_index: bigint;
    address: string;
    label: string | null;
    reserved_at: bigint | null;
    used_at: bigint | null;
  };
  coins: {
    coin_id: Generated<bigint>;
    wallet_id: string;
    account_id: string;
    txid: string;
    vout: bigint;
    amount_sats: bigint;
    script_pubkey: string;
    change: Flag;
    derivation_index: bigint;
    coinbase: Flag;
    /** 1 while the creating transaction can still be or is in the chain; 0 once it is replaced, conflicted, abandoned or failed. */
    live: Flag;
    /** 1 when the creating transaction is our own payment (its change may be spent unconfirmed). */
    own: Flag;
    /** The creating transaction's version, for TRUC (3). */
    tx_version: bigint;
    height: bigint | null;
    spent_by: string | null;
    spent_height: bigint | null;
    locked: Flag;
    frozen: Flag;
    label: string | null;
    created_at: bigint;
  };
  transactions: {
    account_id: string;
    txid: string;
    unsigned_txid: string;
    wallet_id: string;
    /** Dense position within the account, from 1: what pages are cut by. */
    ordinal: bigint;
    kind: string;
    status: string;
    direction: string;
    raw: Uint8Array | null;
    psbt: string | null;
    recipients: string;
    amount_sats: bigint;
    fee_sats: bigint | null;
    vsize: bigint | null;
    version: bigint;
    locktime: bigint;
    input_count: bigint | null;
    ancestor_fee_sats: bigint;
    rbf: Flag;
    block_height: bigint | null;
    block_hash: string | null;
    replaces: string | null;
    replaced_by: string | null;
    label: string | null;
    external_id: string | null;
    reason: string | null;
    /** What it is to a contract (`kind` is then `payment`), or null. */
    contract_kind: string | null;
    created_at: bigint;
    updated_at: bigint;
  };
  /** What a transaction spends, ours or not: how conflicts and replacements are found. */
  transaction_inputs: { account_id: string; txid: string; vin: bigint; prev_txid: string; prev_vout: bigint };
  /** Which wallets a transaction touches, by how much, and its dense position in each wallet's history. */
  wallet_transactions: {
    wallet_id: string;
    account_id: string;
    txid: string;
    ordinal: bigint;
    received_sats: bigint;
    sent_sats: bigint;
  };
  /** The followed chain, from the first followed block to the tip. */
  blocks: { height: bigint; hash: string; prev_hash: string; time: bigint; median_time: bigint };
  events: {
    event_id: Generated<bigint>;
    /** Given by the sequencer after commit; null until then. */
    seq: bigint | null;
    /** null: for every account (blocks). */
    account_id: string | null;
    channel: string;
    /** What it is about: a txid, a block hash, a contract_id. */
    ref: string;
    data: string;
    /** The event_id this one takes back (a block that left the chain); the reader sees its seq. */
    retracts_event_id: bigint | null;
    created_at: bigint;
  };
  idempotency_keys: {
    account_id: string;
    key: string;
    fingerprint: string;
    operation: string;
    target: string | null;
    status: bigint;
    body: string;
    created_at: bigint;
    expires_at: bigint;
  };
  labels: { account_id: string; wallet_id: string; type: string; ref: string; label: string; extra: string | null };
}
