import type { SpendableCoin } from '../transactions/signing-input.ts';

/** An unconfirmed transaction. */
export interface AncestorTransaction {
  readonly txid: string;
  /** Virtual bytes. */
  readonly vsize: number;
  readonly feeSats: bigint;
  readonly parents: readonly string[];
}

/** Mempool ancestry of the transaction that made an unconfirmed coin; counts and sums include that transaction (getmempoolentry). */
export interface CoinAncestry {
  readonly ancestorCount: number;
  readonly ancestorVsize: number;
  readonly ancestorFeesSats: bigint;
  readonly descendantCount: number;
  readonly descendantVsize: number;
  /** Each of the ancestors, itself included, where they are known one by one. */
  readonly transactions?: readonly AncestorTransaction[];
  /** What else is built on them, as far as it is known with all its own ancestors: it may pay for them already. */
  readonly relatives?: readonly AncestorTransaction[];
}

/** A coin that selection may look at, with what decides whether and how gladly it is spent. */
export interface CandidateCoin extends SpendableCoin {
  /** 0 while unconfirmed. */
  readonly confirmations: number;
  /** Made by a payment of ours: its change may be spent unconfirmed. */
  readonly own: boolean;
  readonly coinbase: boolean;
  /** Version of the transaction that made it (3: TRUC). */
  readonly txVersion: number;
  /** Locked or frozen by its owner, or claimed by another payment: never spent, but named when funds are short. */
  readonly locked?: boolean;
  /** Of an unconfirmed coin, where the chain source knows it; without it the coin counts as having one ancestor and one descendant. */
  readonly ancestry?: CoinAncestry | null;
  /** Confirmations that its script waits for (BIP68); its input's sequence says so. */
  readonly olderBlocks?: number;
  /** Most weight units one input takes, for script types without a fixed one (p2wsh). */
  readonly inputWeight?: number;
}
