import { type FeeRate, feeFor, feeRateOf, formatFeeRate } from '../fee-rate.ts';

/** Most transactions one replacement may evict, the original included (rule 5). */
export const MAX_REPLACED_TRANSACTIONS = 100;

/** What is replaced: all evicted fees, and the feerates of the transactions whose coins are spent again. */
export interface Replaced {
  /** The directly conflicting transactions and all their descendants. */
  readonly feesSats: bigint;
  /** The part of it that descendants pay which are not ours. */
  readonly foreignFeesSats: bigint;
  readonly count: number;
  readonly conflicts: readonly { readonly feeSats: bigint; readonly vsize: number }[];
}

export interface ReplacementFloors {
  readonly incrementalRelayFeeRate: FeeRate;
  readonly minFeeRate: FeeRate;
}

export interface ReplacementFloor {
  /** The least fee that satisfies every rule. */
  readonly feeSats: bigint;
  /** The least feerate that pays it, of a transaction of this size. */
  readonly feeRate: FeeRate;
  /** The rule that asks for the most, in words. */
  readonly rule: string;
}

/**
 * The least fee of a replacement of `vsize` virtual bytes after Bitcoin Core's doc/policy/mempool-replacements.md. The signal of
 * rule 1 is no longer asked for (full RBF); rule 2 is kept by adding confirmed coins only, since nodes before 31 still ask for it.
 */
export function replacementFloor(replaced: Replaced, vsize: number, floors: ReplacementFloors): ReplacementFloor {
  const rules: { feeSats: bigint; rule: string }[] = [
    {
      feeSats: replaced.feesSats + feeFor(floors.incrementalRelayFeeRate, vsize),
      rule:
        `rules 3 and 4: it must pay the ${replaced.feesSats} sat of what it replaces${ofOthers(replaced)}, plus ` +
        `${formatFeeRate(floors.incrementalRelayFeeRate)} sat/vB for its own ${vsize} vB`,
    },
    {
      feeSats: feeFor(floors.minFeeRate, vsize),
      rule: `the node takes nothing below ${formatFeeRate(floors.minFeeRate)} sat/vB now`,
    },
    ...replaced.conflicts.map((conflict) => {
      const rate = feeRateOf(conflict.feeSats, conflict.vsize);
      return {
        feeSats: feeFor((rate + 1n) as FeeRate, vsize),
        rule: `rule 6: its feerate must be above the replaced transaction's ${formatFeeRate(rate)} sat/vB`,
      };
    }),
  ];
  const most = rules.reduce((a, b) => (b.feeSats > a.feeSats ? b : a));
  return { ...most, feeRate: leastFeeRate(most.feeSats, vsize) };
}

const ofOthers = ({ foreignFeesSats }: Replaced): string =>
  foreignFeesSats === 0n ? '' : ` (${foreignFeesSats} sat of it by others' transactions that spend it)`;

/** The least feerate, in steps of 1 sat/kvB, at which `vsize` virtual bytes pay `feeSats`: fees are rounded up to whole satoshis. */
export function leastFeeRate(feeSats: bigint, vsize: number): FeeRate {
  return (feeSats === 0n ? 0n : ((feeSats - 1n) * 1000n) / BigInt(vsize) + 1n) as FeeRate;
}
