/**
 * The tables, as Kysely sees them on both databases. Integers are bigint in both directions (SQLite is read with bigints,
 * PostgreSQL's int8 is parsed as bigint), JSON is text, booleans are 0/1, times are epoch milliseconds, bytes are BLOB/BYTEA.
 * Migrations (migrations/) are the source of truth; a table's declaration (tables/) says how its rows become records.
 */
import type { Generated } from 'kysely';
import type { AccountTables } from './tables/accounts.ts';
import type { AddressScanTables } from './tables/address-scans.ts';
import type { AuditTables } from './tables/audit.ts';
import type { BlockTables } from './tables/blocks.ts';
import type { ContractTables } from './tables/contracts.ts';
import type { OAuthTables } from './tables/oauth.ts';
import type { SigningKeyTables } from './tables/signing-keys.ts';
import type { TaprootTables } from './tables/taproot.ts';
import type { TransactionTables } from './tables/transactions.ts';
import type { UserTables } from './tables/users.ts';
import type { WalletTables } from './tables/wallets.ts';

export interface Schema
  extends AccountTables,
    AddressScanTables,
    AuditTables,
    BlockTables,
    ContractTables,
    OAuthTables,
    UserTables,
    SigningKeyTables,
    TaprootTables,
    TransactionTables,
    WalletTables {
  settings: { name: string; value: string };
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
