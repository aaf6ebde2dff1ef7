/**
 * How long a contract's CETs must be open before its refund is. dlcspecs (Protocol.md) wants the refund's locktime "sufficiently long after"
 * the oracle's signatures; by twenty blocks before it a CET that does not confirm is in danger (Non-Interactive-Protocol.md), and a day leaves
 * time to get there. rust-dlc and dlcdevkit, and dlcspecs' vectors, have seven days.
 */

/** Below it a locktime is a height, from it on a time (BIP65). */
export const MIN_TIME = 500_000_000;

const MIN_SECONDS = 86_400;
const MIN_BLOCKS = 144;

/** Between a CET locktime and the refund's, both of the kind that `locktime` is: seconds or blocks. */
export const leastGap = (locktime: number): number => (locktime >= MIN_TIME ? MIN_SECONDS : MIN_BLOCKS);

/** In words. */
export const leastGapText = (locktime: number): string =>
  locktime >= MIN_TIME ? `a day (${MIN_SECONDS} seconds)` : `${MIN_BLOCKS} blocks`;
