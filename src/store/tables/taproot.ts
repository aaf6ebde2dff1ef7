/** Outputs kept for their script trees, and MuSig2 sessions. Nothing here is secret: hex and JSON text. */
export interface TaprootTables {
  taproot_outputs: {
    output_id: string;
    account_id: string;
    name: string | null;
    external_id: string | null;
    network: string;
    /** x-only, as are all keys here but those of participants. */
    internal_key: string;
    /** JSON: a leaf {script, leaf_version}, or a pair of trees. */
    script_tree: string | null;
    leaf_count: bigint;
    merkle_root: string | null;
    output_key: string;
    parity: bigint;
    script_pubkey: string;
    address: string;
    created_at: bigint;
    updated_at: bigint;
  };
  musig_sessions: {
    session_id: string;
    account_id: string;
    name: string | null;
    external_id: string | null;
    state: string;
    message: string;
    sorted: bigint;
    /** JSON: [{tweak, xOnly}], taproot's not among them. */
    tweaks: string;
    /** JSON: {merkleRoot}; null where no taproot tweak is asked for. */
    taproot: string | null;
    /** JSON: [{publicKey, publicNonce, partialSignature}] in the order of aggregation. */
    participants: string;
    aggregate_key: string;
    internal_key: string | null;
    aggregate_nonce: string | null;
    signature: string | null;
    created_at: bigint;
    updated_at: bigint;
  };
  /** Every public nonce that a session or payment of the account was given; used_by: its session's id, or its unsigned txid. */
  musig_nonces: { account_id: string; public_nonce: string; used_by: string };
}
