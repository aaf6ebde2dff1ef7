/**
 * Digit prefixes: all outcomes that begin with the same binary digits (dlcspecs NumericOutcomeCompression.md). One adaptor signature
 * covers a prefix: the digits that are not in it do not matter.
 */

export interface DigitPrefix {
  /** The first outcome it covers; it covers 2^ignored. */
  readonly start: bigint;
  /** Digits left open, at the end. */
  readonly ignored: number;
}

export const lastOutcome = (digits: number): bigint => (1n << BigInt(digits)) - 1n;

export const endOf = ({ start, ignored }: DigitPrefix): bigint => start + (1n << BigInt(ignored)) - 1n;

/** Most significant first, without the ignored ones. */
export function digitsOf({ start, ignored }: DigitPrefix, digits: number): string[] {
  const count = digits - ignored;
  if (count === 0) return [];
  // Split gives one shared string per digit in V8: a hundred thousand cases hold no more than references.
  return (start >> BigInt(ignored)).toString(2).padStart(count, '0').split('');
}

/** As digitsOf, of one outcome. */
export const digitsOfOutcome = (outcome: bigint, digits: number): string[] =>
  digitsOf({ start: outcome, ignored: 0 }, digits);

/** The fewest prefixes that cover start..end (both included) and nothing else, ascending: the order of dlcspecs' groupings in base 2. */
export function coveringPrefixes(start: bigint, end: bigint): DigitPrefix[] {
  if (start === end) return [{ start, ignored: 0 }];
  const prefixes: DigitPrefix[] = [];
  for (let from = start; from <= end; ) {
    // Twice as large as long as it begins where a prefix of that size may, and ends in time.
    let ignored = 0;
    let size = 1n;
    for (let next = 2n; (from & size) === 0n && from + next - 1n <= end; next <<= 1n) {
      size = next;
      ignored++;
    }
    prefixes.push({ start: from, ignored });
    from += size;
  }
  return prefixes;
}
