/** Oracles and what they announced and attested; Discreet Log Contracts. Bytes are hex, but for the contracts' messages. */
import type { Generated } from 'kysely';

export interface ContractTables {
  oracles: {
    oracle_id: string;
    account_id: string;
    name: string;
    external_id: string | null;
    kind: string;
    public_key: string;
    url: string | null;
    /** EncryptedSecret as JSON, of local ones. */
    secret: string | null;
    is_default: bigint;
    equivocated_at: bigint | null;
    created_at: bigint;
    updated_at: bigint;
  };
  oracle_events: {
    oracle_id: string;
    event_id: string;
    account_id: string;
    announcement: string;
    /** Unix seconds. */
    maturity_epoch: bigint;
    descriptor: string;
    /** EncryptedSecret as JSON, of local oracles. */
    nonces: string | null;
    committed_outcome: string | null;
    committed_at: bigint | null;
    frozen_at: bigint | null;
    /** Record of its nonces' proofs. */
    proof: Generated<string | null>;
    known_at: Generated<bigint | null>;
    /** When the oracle's URL was asked last. */
    polled_at: bigint | null;
    /** When it is asked next; null: it is attested, a local oracle's, or no contract waits for it. */
    poll_at: Generated<bigint | null>;
    created_at: bigint;
  };
  oracle_nonces: { public_key: string; nonce: string; event_digest: string; reused_at: bigint | null };
  attestations: {
    attestation_id: string;
    account_id: string;
    oracle_id: string;
    event_id: string;
    outcomes: string;
    /** SHA-256 of `outcomes`, hex: an index takes no text of any length. */
    outcomes_digest: string;
    attestation: string;
    source: string;
    created_at: bigint;
  };
  contracts: {
    contract_id: string;
    account_id: string;
    external_id: string | null;
    status: string;
    role: string;
    dialect: string;
    /** JSON lists of texts. */
    oracle_ids: string;
    event_ids: string;
    threshold: bigint;
    /** JSON: [{outcome, offerSats}]. */
    payouts: string;
    descriptor: string | null;
    collateral_sats: bigint;
    offer_collateral_sats: bigint;
    fee_rate_sat_vb: bigint;
    cet_locktime: bigint;
    refund_locktime: bigint;
    /** JSON of a ContractSide. */
    offer_side: string | null;
    accept_side: string | null;
    /** What tells its offer apart (core/dlc/messages/offer-id.ts); of offers before that, their temporary id. */
    offer_id: string;
    temporary_contract_id: Generated<string>;
    /** What coins are claimed by until the funding transaction is known. */
    coin_hold: string;
    dlc_contract_id: string | null;
    funding_txid: string | null;
    funding_vout: bigint | null;
    funding_height: bigint | null;
    closing_txid: string | null;
    closing_kind: string | null;
    closing_height: bigint | null;
    closing_block_hash: string | null;
    /** JSON: counterparties choose its characters, and PostgreSQL's text has no zero among them. */
    outcome: string | null;
    /** JSON: {stage, done, total}. */
    progress: string | null;
    expires_at: bigint | null;
    reason: string | null;
    created_at: bigint;
    updated_at: bigint;
    oracle_proof: Generated<string | null>;
    /** Of how many of its events an attestation is kept. */
    attested: Generated<bigint>;
  };
  contract_oracles: {
    contract_id: string;
    position: bigint;
    account_id: string;
    oracle_id: string;
    event_id: string | null;
  };
  contract_messages: { contract_id: string; type: string; account_id: string; message: Uint8Array };
  contract_fundings: {
    funding_id: Generated<bigint>;
    contract_id: string;
    account_id: string;
    txid: string;
    vout: bigint;
  };
}
