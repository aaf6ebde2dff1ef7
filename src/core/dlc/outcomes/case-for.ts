import type { AdaptorCase } from '../adaptor-case.ts';

/** Attested outcomes by the oracle's position: one outcome, or all digits. */
export type Attested = ReadonlyMap<number, readonly string[]>;

/**
 * The case that attestations open, or null: of the oracles that decide together the most preferred (earlier in the contract), as
 * rust-dlc takes them, and of theirs the first. Every oracle of a case must have said what it names; what others said does not matter.
 * The first call indexes the cases, which must not change thereafter; each costs little then, however many they are.
 */
export function caseFor(cases: readonly AdaptorCase[], attested: Attested): number | null {
  for (const { oracles, root } of indexOf(cases)) {
    if (!oracles.every((oracle) => attested.has(oracle))) continue;
    const found = lowestCase(root, oracles, 0, attested);
    if (found !== null) return found;
  }
  return null;
}

/** Cases of the same oracles, by what each says in turn. */
interface CaseGroup {
  readonly oracles: readonly number[];
  readonly root: Said;
}

/** What an oracle says, digits run together, to what the next one does, or to the case. */
type Said = Map<string, Said | number>;

const indexes = new WeakMap<readonly AdaptorCase[], readonly CaseGroup[]>();

function indexOf(cases: readonly AdaptorCase[]): readonly CaseGroup[] {
  const known = indexes.get(cases);
  if (known) return known;
  const groups = new Map<string, CaseGroup>();
  for (const [index, { attested }] of cases.entries()) {
    const oracles = attested.map(({ oracle }) => oracle);
    const key = oracles.join();
    const group = groups.get(key) ?? { oracles, root: new Map() };
    groups.set(key, group);
    let said: Said = group.root;
    for (const [i, { outcomes }] of attested.entries()) {
      const text = textOf(outcomes);
      const next = said.get(text);
      if (i === attested.length - 1) {
        if (next === undefined) said.set(text, index);
      } else if (next instanceof Map) {
        said = next;
      } else {
        const made: Said = new Map();
        said.set(text, made);
        said = made;
      }
    }
  }
  const inOrder = [...groups.values()].sort((a, b) => compare(a.oracles, b.oracles));
  indexes.set(cases, inOrder);
  return inOrder;
}

function lowestCase(said: Said, oracles: readonly number[], at: number, attested: Attested): number | null {
  const outcomes = attested.get(oracles[at]!)!;
  let lowest: number | null = null;
  for (let length = 1; length <= outcomes.length; length++) {
    const next = said.get(textOf(outcomes.slice(0, length)));
    if (next === undefined) continue;
    const found = typeof next === 'number' ? next : lowestCase(next, oracles, at + 1, attested);
    if (found !== null && (lowest === null || found < lowest)) lowest = found;
  }
  return lowest;
}

/** Digits are one character each; an enumeration's outcome stands alone, and may hold anything. */
const textOf = (outcomes: readonly string[]): string => (outcomes.length === 1 ? outcomes[0]! : outcomes.join(''));

function compare(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((oracle, i) => oracle !== b[i]);
  return differing < 0 ? a.length - b.length : a[differing]! - (b[differing] ?? -1);
}
