/**
 * The tables, as Kysely sees them on both databases. Integers are bigint in both directions (SQLite is read with bigints,
 * PostgreSQL's int8 is parsed as bigint), JSON is text, booleans are 0/1, times are epoch milliseconds, bytes are BLOB/BYTEA.
 * Migrations (migrations.ts) are the source of truth; repositories turn rows into the records of records.ts.
 */
import type { Generated } from 'kysely';
import type { AccountTables } from './tables/accounts.ts';
import type { AddressScanTables } from './tables/address-scans.ts';
import type { AuditTables } from './tables/audit.ts';
import type { BlockTables } from './tables/blocks.ts';
import type { ContractTables } from './tables/contracts.ts';
import type { OAuthTables } from './tables/oauth.ts';
import type { PeopleTables } from './tables/people.ts';
import type { SigningKeyTables } from './tables/signing-keys.ts';
import type { TaprootTables } from './tables/taproot.ts';
import type { WalletTables } from './tables/wallets.ts';

type Flag = bigint;

export interface Schema
  extends AccountTables,
    AddressScanTables,
    AuditTables,
    BlockTables,
    ContractTables,
    OAuthTables,
    PeopleTables,
    SigningKeyTables,
    TaprootTables,
    WalletTables {
  settings: { name: string; value: string };
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
}
