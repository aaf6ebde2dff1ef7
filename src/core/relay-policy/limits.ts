/** Relay limits of Bitcoin Core that plans keep to (policy/policy.h, policy/truc_policy.h). */

/** Weight units of the heaviest standard transaction. */
export const MAX_STANDARD_WEIGHT = 400_000;
/** Bytes without witness of the smallest relayed transaction (CVE-2017-12842). */
export const MIN_STANDARD_NON_WITNESS_SIZE = 65;
/** Confirmations after which a coinbase output may be spent in the next block. */
export const COINBASE_MATURITY = 100;
/** Unconfirmed ancestors or descendants a transaction may have, itself included. */
export const DEFAULT_MAX_ANCESTORS = 25;
/** Virtual bytes of a transaction with all its unconfirmed ancestors, or descendants. */
export const MAX_FAMILY_VSIZE = 101_000;
export const WITNESS_SCALE = 4;
