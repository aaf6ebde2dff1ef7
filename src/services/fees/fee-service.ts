/** Targets answered when none are asked for: from the next block to a week. */
export const DEFAULT_TARGETS: readonly number[] = [1, 2, 3, 6, 12, 24, 144, 504, 1008];
