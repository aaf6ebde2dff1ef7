import type { FeeEstimates } from '../../chain/chain-source.ts';

/** Targets answered when none are asked for: from the next block to a week. */
export const DEFAULT_TARGETS: readonly number[] = [1, 2, 3, 6, 12, 24, 144, 504, 1008];

export interface FeeService {
  /** What the chain source thinks confirms within each target (blocks), in ascending order. Throws `node_unavailable`. */
  estimates(targets: readonly number[]): Promise<FeeEstimates>;
}
