/** The parts of Esplora's JSON that are used here. Satoshi amounts are JSON integers there (all below 2^53). */

export interface EsploraStatus {
  confirmed: boolean;
  block_height?: number | null;
  block_hash?: string | null;
}

export interface EsploraOutput {
  scriptpubkey: string;
  value: number;
}

export interface EsploraTransaction {
  txid: string;
  weight: number;
  fee: number;
  /** `prevout` is null for a coinbase. */
  vin: { txid: string; vout: number; is_coinbase: boolean; prevout?: EsploraOutput | null }[];
  vout: EsploraOutput[];
  status: EsploraStatus;
}

/** `txid` and `status` describe the spending transaction, from the chain or the mempool. */
export interface EsploraOutspend {
  spent: boolean;
  txid?: string;
  status?: EsploraStatus;
}

export interface EsploraBlock {
  id: string;
  height: number;
  timestamp: number;
  mediantime?: number;
  previousblockhash?: string | null;
  version: number;
  merkle_root: string;
  bits: number;
  nonce: number;
  tx_count: number;
}

export interface EsploraMempool {
  count: number;
  vsize: number;
  total_fee?: number;
  /** [sat/vB, vsize], by descending feerate: what pays at least that, but less than the one before. */
  fee_histogram?: [number | string, number][];
}
