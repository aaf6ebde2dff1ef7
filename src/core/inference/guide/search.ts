/** Finds what of the documentation a question is about: BM25+ over sections and operations. */
import MiniSearch from 'minisearch';
import type { DocumentedCall, Section } from './documented.ts';
import { otherTerms, termOf, termsOf, wordsOf } from './words.ts';

export type Documented = { readonly section: Section } | { readonly call: DocumentedCall };

export interface Found {
  readonly documented: Documented;
  readonly score: number;
  /** How much of what the question says is in it, 0 to 1; a rare word is more than a frequent one. */
  readonly covered: number;
}

export interface Search {
  add(documented: Documented): void;
  /** The best first. `earlier`: what was said before, which only helps to choose. */
  find(question: string, earlier?: string): Found[];
  /** How much a text says of what the question asks. */
  relevanceTo(question: string): (text: string) => number;
}

/** More words than this of a question are not looked at: what they cost is bounded, however long it is. */
const MOST_TERMS = 40;
const MOST_EARLIER = 12;

/** A word that stands for another, and a word of what was said before, count less than one of the question. */
const OTHER = 0.4;
const EARLIER = 0.2;
/** As much of a word is covered where another one stands for it. */
const COVERED_BY_OTHER = 0.7;

const BOOST = { title: 3, heading: 2, text: 1, code: 0.2 };
const BM25 = { k: 1.2, b: 0.7, d: 0.5 };

interface Indexed {
  readonly id: number;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
  readonly code: string;
}

export function createSearch(): Search {
  const all: Documented[] = [];
  /** In how many a term is. */
  const frequencies = new Map<string, number>();
  const index = new MiniSearch<Indexed>({
    fields: ['title', 'heading', 'text', 'code'],
    tokenize: wordsOf,
    processTerm: termOf,
  });

  const weightOf = (term: string): number => Math.log(1 + all.length / ((frequencies.get(term) ?? 0) + 0.5));

  return {
    add(documented) {
      const fields = fieldsOf(documented);
      index.add({ id: all.length, ...fields });
      all.push(documented);
      for (const term of new Set(termsOf(Object.values(fields).join(' '))))
        frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    },

    find(question, earlier = '') {
      const asked = askedOf(question);
      const weights = expand(asked, earlier);
      const rarity = sum(asked, weightOf);
      return index
        .search([...weights.keys()].join(' '), {
          tokenize: (text) => text.split(' '),
          processTerm: (term) => term,
          boost: BOOST,
          bm25: BM25,
          boostTerm: (term) => weights.get(term) ?? 0,
        })
        .map(({ id, score, match, terms }) => {
          const covered = sum(asked, (term) => weightOf(term) * coverage(term, match)) / rarity;
          // The library multiplies by the number of terms that matched, which says the same as `covered`, but of common words as of rare ones.
          return { documented: all[id as number] as Documented, covered, score: (covered * score) / terms.length };
        })
        .sort((one, other) => other.score - one.score);
    },

    relevanceTo(question) {
      const weights = [...expand(askedOf(question), '')].map(
        ([term, weight]) => [term, weight * weightOf(term)] as const,
      );
      return (text) => {
        const terms = new Set(termsOf(text));
        return sum(weights, ([term, weight]) => (terms.has(term) ? weight : 0));
      };
    },
  };
}

const askedOf = (question: string): string[] => [...new Set(termsOf(question))].slice(0, MOST_TERMS);

function expand(asked: readonly string[], earlier: string): ReadonlyMap<string, number> {
  const weights = new Map(asked.map((term) => [term, 1]));
  const add = (term: string, weight: number): void => {
    if (!weights.has(term)) weights.set(term, weight);
  };
  for (const term of asked) for (const other of otherTerms(term)) add(other, OTHER);
  for (const term of [...new Set(termsOf(earlier))].slice(0, MOST_EARLIER)) add(term, EARLIER);
  return weights;
}

function coverage(term: string, match: Readonly<Record<string, unknown>>): number {
  if (Object.hasOwn(match, term)) return 1;
  return otherTerms(term).some((other) => Object.hasOwn(match, other)) ? COVERED_BY_OTHER : 0;
}

function fieldsOf(documented: Documented): Omit<Indexed, 'id'> {
  if ('call' in documented) {
    const { operation, path, summary, description } = documented.call;
    return { title: summary, heading: operation, text: `${description} ${path}`, code: '' };
  }
  const { title, heading, pieces } = documented.section;
  const text = (code: boolean): string =>
    pieces
      .filter((piece) => (piece.code === true) === code)
      .map((piece) => piece.text)
      .join('\n');
  return { title, heading, text: text(false), code: text(true) };
}

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((all, item) => all + of(item), 0);
