/** Scans of the chain for one address, and the outputs that they found. */
export interface AddressScanTables {
  address_scans: {
    scan_id: string;
    account_id: string;
    address: string;
    script_pubkey: string;
    state: string;
    from_height: bigint;
    /** The last block that was looked at; null before the first. */
    at_height: bigint | null;
    at_hash: string | null;
    to_height: bigint | null;
    error: string | null;
    /** How often a block that had been looked at left the chain. */
    restarts: bigint;
    created_at: bigint;
    finished_at: bigint | null;
  };
  address_scan_coins: {
    scan_id: string;
    account_id: string;
    txid: string;
    vout: bigint;
    amount_sats: bigint;
    height: bigint;
    block_hash: string;
    coinbase: bigint;
    spent_by: string | null;
    spent_height: bigint | null;
    spent_block_hash: string | null;
  };
}
