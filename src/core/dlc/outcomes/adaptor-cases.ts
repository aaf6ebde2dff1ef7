import { DomainError } from '../../errors.ts';
import type { AdaptorCase } from '../adaptor-case.ts';
import type { ContractCase, EnumeratedDescriptor, NumericDescriptor, OracleInfo } from '../contract-info.ts';
import type { Dialect } from '../dialect.ts';
import { coarserRounding } from './coarser-rounding.ts';
import { combinations, countCombinations } from './combinations.ts';
import { coverDiffering } from './cover-differing.ts';
import { type Ties, tiesOf } from './curve-segment.ts';
import { coveringPrefixes, type DigitPrefix, digitsOf } from './digit-prefixes.ts';
import { payoutRuns } from './payout-runs.ts';

/** Adaptor signatures that a contract may have here: some 16 MB of each side, and half a minute of one processor. */
export const MAX_ADAPTOR_CASES = 100_000;
/** Attestations that all cases together may name: the threshold times the cases. */
const MAX_ATTESTED = 500_000;

const oracleCountOf = (info: OracleInfo): number => (info.kind === 'single' ? 1 : info.announcements.length);

export const thresholdOf = (info: OracleInfo): number => (info.kind === 'single' ? 1 : info.threshold);

/**
 * The adaptor signatures of one (of a disjoint contract's) case, in the order of the messages: outcomes as the descriptor has them or
 * digit prefixes ascending, and for each the combinations of oracles, preferred oracles first; where oracles may differ, for each
 * combination what the others may say, ascending. The dialects agree in this: dlcspecs' vectors, rust-dlc and dlcdevkit; not in what
 * is paid next to a tie of the rounding (tiesOf). The case must be sound (validateContractInfo). Throws `contract_refused` where there
 * would be more than `atMost`: what a contract's other cases leave of MAX_ADAPTOR_CASES.
 */
export function adaptorCases(
  { descriptor, oracleInfo }: ContractCase,
  totalCollateralSats: bigint,
  dialect: Dialect,
  atMost = MAX_ADAPTOR_CASES,
): AdaptorCase[] {
  const oracles = oraclesOf(oracleInfo, atMost);
  return descriptor.kind === 'enumerated'
    ? enumeratedCases(descriptor, oracles)
    : numericCases(numericPlan(descriptor, oracles, oracleInfo, totalCollateralSats, tiesOf(dialect)));
}

/** How many adaptorCases there would be, without making them. Throws as it does. */
export function countAdaptorCases(
  { descriptor, oracleInfo }: ContractCase,
  totalCollateralSats: bigint,
  dialect: Dialect,
  atMost = MAX_ADAPTOR_CASES,
): number {
  const oracles = oraclesOf(oracleInfo, atMost);
  if (descriptor.kind === 'enumerated')
    return descriptor.payouts.length * enumeratedTogether(descriptor, oracles).length;
  const plan = numericPlan(descriptor, oracles, oracleInfo, totalCollateralSats, tiesOf(dialect));
  let count = 0;
  for (const { sayings } of boundedSayings(plan)) count += sayings.length * plan.together.length;
  return count;
}

function oraclesOf(info: OracleInfo, atMost: number) {
  const [count, threshold] = [oracleCountOf(info), thresholdOf(info)];
  const most = Math.min(atMost, Math.floor(MAX_ATTESTED / threshold));
  return {
    count,
    threshold,
    /** Ways to choose so many of them, counted up to one more than may be. */
    choices: countCombinations(count, threshold, most + 1),
    /** Adaptor cases that there may be. */
    most,
  };
}

type Oracles = ReturnType<typeof oraclesOf>;

function enumeratedTogether({ payouts }: EnumeratedDescriptor, oracles: Oracles): number[][] {
  if (payouts.length * oracles.choices > oracles.most) {
    throw tooManyCases(oracles, 'use fewer outcomes or fewer oracles');
  }
  return combinations(oracles.count, oracles.threshold);
}

function enumeratedCases(descriptor: EnumeratedDescriptor, oracles: Oracles): AdaptorCase[] {
  const together = enumeratedTogether(descriptor, oracles);
  return descriptor.payouts.flatMap(({ outcome, offerPayoutSats }) => {
    const outcomes = [outcome];
    return together.map((chosen) => ({ offerPayoutSats, attested: chosen.map((oracle) => ({ oracle, outcomes })) }));
  });
}

function numericCases(plan: NumericPlan): AdaptorCase[] {
  const cases: AdaptorCase[] = [];
  for (const { offerPayoutSats, sayings } of boundedSayings(plan)) {
    const texts = sayings.map((saying) => textsOf(saying, plan.descriptor.digits));
    for (const chosen of plan.together) {
      for (const text of texts) {
        cases.push({ offerPayoutSats, attested: chosen.map((oracle, i) => ({ oracle, outcomes: text[i]! })) });
      }
    }
  }
  return cases;
}

function numericPlan(descriptor: NumericDescriptor, oracles: Oracles, info: OracleInfo, totalSats: bigint, ties: Ties) {
  const { count, threshold } = oracles;
  const params = info.kind === 'multi' && threshold > 1 ? info.params : null;
  // Where values may differ, there are two prefixes for each but the primary: 2^(threshold - 1) cases at one go.
  if (oracles.choices > oracles.most || (params && threshold > 17)) throw tooManyCases(oracles, 'use fewer oracles');
  const bounds = params && { ...params, digits: descriptor.digits };
  return {
    descriptor,
    totalSats,
    oracles,
    /** The oracles that may decide together. */
    together: combinations(count, threshold),
    /** null where they must say the same. */
    bounds,
    ties,
  };
}

type NumericPlan = ReturnType<typeof numericPlan>;

interface Sayings {
  readonly offerPayoutSats: bigint;
  /** By oracle, the primary's first. */
  readonly sayings: readonly (readonly DigitPrefix[])[];
}

/** numericSayings as long as there are not too many, for all that may decide together. */
function* boundedSayings(plan: NumericPlan): Generator<Sayings> {
  const { descriptor, totalSats, oracles, together } = plan;
  const { most } = oracles;
  let count = 0;
  for (const said of numericSayings(plan)) {
    count += said.sayings.length * together.length;
    if (count > most) {
      const advice = coarserRounding(descriptor, totalSats, most / together.length, (roundingMod) =>
        countUpTo(
          { ...plan, descriptor: { ...descriptor, roundingIntervals: [{ beginInterval: 0n, roundingMod }] } },
          most,
        ),
      );
      throw tooManyCases(oracles, advice);
    }
    yield said;
  }
}

function countUpTo(plan: NumericPlan, most: number): number | null {
  let count = 0;
  for (const { sayings } of numericSayings(plan)) {
    count += sayings.length * plan.together.length;
    if (count > most) return null;
  }
  return count;
}

/** What oracles that decide together may say, the first of them being the primary, and what is paid then. */
function* numericSayings({ descriptor, totalSats, oracles, bounds, ties }: NumericPlan): Generator<Sayings> {
  const { threshold } = oracles;
  for (const { start, end, offerPayoutSats } of payoutRuns(descriptor, totalSats, ties)) {
    for (const prefix of coveringPrefixes(start, end)) {
      if (prefix.ignored >= descriptor.digits) {
        throw new DomainError(
          'contract_refused',
          'every outcome pays the same: no oracle would have to attest anything for the one CET there is, which could be broadcast at once',
          {
            field: 'descriptor.payout_function',
          },
        );
      }
      const sayings = bounds
        ? coverDiffering(prefix, threshold, bounds)
        : [new Array<DigitPrefix>(threshold).fill(prefix)];
      yield { offerPayoutSats, sayings };
    }
  }
}

/** Digits of each prefix, made once for prefixes that are the same. */
function textsOf(prefixes: readonly DigitPrefix[], digits: number): string[][] {
  const made = new Map<DigitPrefix, string[]>();
  return prefixes.map((prefix) => {
    const text = made.get(prefix) ?? digitsOf(prefix, digits);
    made.set(prefix, text);
    return text;
  });
}

const tooManyCases = ({ most }: Oracles, advice: string): DomainError =>
  new DomainError(
    'contract_refused',
    `more than ${most} adaptor signatures would be needed from each side: ${advice}`,
    {
      field: 'descriptor',
    },
  );
