/**
 * One adaptor signature of a contract: which payout its CET makes, and what the oracles must have attested for it to open. Cases stand in
 * the order in which dlcspecs orders adaptor signatures in messages. Several cases may share one CET (one payout).
 */
export interface AdaptorCase {
  readonly offerPayoutSats: bigint;
  /** By position in the contract's announcements; as many oracles as decide (the threshold). */
  readonly attested: readonly {
    readonly oracle: number;
    /** The outcome; or the leading digits (the sign first where there is one), as many as matter. */
    readonly outcomes: readonly string[];
  }[];
}
