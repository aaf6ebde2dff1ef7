/** The parts of Esplora's JSON that are used here. Satoshi amounts are JSON integers there (all below 2^53). */

export interface EsploraStatus {
  confirmed: boolean;
  block_height?: number | null;
  block_hash?: string | null;
}

export interface EsploraTransaction {
  txid: string;
  weight: number;
  fee: number;
  vin: { txid: string; vout: number; is_coinbase: boolean }[];
  vout: { scriptpubkey: string; value: number }[];
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
}
