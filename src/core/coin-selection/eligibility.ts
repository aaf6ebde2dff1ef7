import type { OutputGroup } from './output-group.ts';

/** Which groups one attempt may spend. */
export interface EligibilityFilter {
  /** Confirmations of groups that are all our own change. */
  readonly ownConfirmations: number;
  readonly foreignConfirmations: number;
  readonly maxAncestors: number;
  readonly maxDescendants: number;
  /** Whether the last, smaller group of a script with more than 100 coins may be spent without the others. */
  readonly partialGroups: boolean;
  /** Whether coins of different script types may be spent together. */
  readonly mixedTypes: boolean;
}

export function isEligible(group: OutputGroup, filter: EligibilityFilter): boolean {
  return (
    group.confirmations >= (group.own ? filter.ownConfirmations : filter.foreignConfirmations) &&
    group.ancestors <= filter.maxAncestors &&
    group.descendants <= filter.maxDescendants
  );
}

/**
 * Core's ladder, from the safest coins to those with ever longer unconfirmed chains; the first rung that pays is taken.
 * `minConf` 1 is Core's default; 0 adds a last rung with unconfirmed deposits; above 1 it holds for every coin.
 */
export function eligibilityLadder(minConf: number, maxAncestors: number): EligibilityFilter[] {
  const rung = (own: number, foreign: number, chainLength: number, loose = false): EligibilityFilter => ({
    ownConfirmations: minConf > 1 ? Math.max(own, minConf) : own,
    foreignConfirmations: Math.max(foreign, minConf),
    maxAncestors: chainLength,
    maxDescendants: chainLength,
    partialGroups: loose,
    mixedTypes: true,
  });
  const chain = Math.max(1, maxAncestors);
  const ladder = [
    { ...rung(1, 6, 0), mixedTypes: false },
    rung(1, 1, 0),
    rung(0, 1, Math.min(2, chain - 1)),
    rung(0, 1, Math.min(4, Math.floor(chain / 3))),
    rung(0, 1, Math.floor(chain / 2)),
    rung(0, 1, chain - 1, true),
  ];
  return minConf === 0 ? [...ladder, rung(0, 0, chain - 1, true)] : ladder;
}
