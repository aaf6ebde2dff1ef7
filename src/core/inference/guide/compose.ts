/** The guide's answer: quotations, where they are from, and the calls to make. It has no sentence of its own but what surrounds them. */
import type { DocumentedCall, GuideAnswer, Piece, Section, Source } from './documented.ts';
import type { Found, Search } from './search.ts';

/** So much of a question must be in what is answered; less is another topic that shares a word. */
const COVERED = 0.42;
/** What is this much worse than the best is left out. */
const AS_GOOD = 0.5;
const MOST_SOURCES = 3;
const MOST_CALLS = 3;
const MOST_PIECES = 2;
/** A piece that says less than this of what the best of its section says is left out. */
const PIECE_AS_GOOD = 0.6;

/** What holds now, as a line of Markdown. */
export interface Surroundings {
  readonly now: string;
  /** The pages there are, as a list of links. */
  readonly covers: string;
}

const WHAT_IT_IS =
  '`ashlar-guide` is a search, not a language model: it quotes the documentation of this service and writes no sentence of its own.';

export function composeAnswer(
  question: string,
  earlier: string,
  search: Search,
  { now, covers }: Surroundings,
): GuideAnswer {
  const found = search.find(question, earlier);
  const best = found.find(({ covered }) => covered >= COVERED);
  if (best === undefined) {
    const answer = `This is not in the documentation.\n\n${covers}\n\n${now}\n\n${WHAT_IT_IS}`;
    return { found: false, answer, sources: [], calls: [] };
  }
  const good = found.filter(({ covered, score }) => covered >= COVERED && score >= AS_GOOD * best.score);
  const relevance = search.relevanceTo(question);
  const sources = good.slice(0, MOST_SOURCES).map(({ documented }) => sourceOf(documented, relevance));
  const calls = good.flatMap(({ documented }) => ('call' in documented ? documented.call : [])).slice(0, MOST_CALLS);
  const parts = [...sources.map(quoted), ...(calls.length === 0 ? [] : ['**Calls**', ...calls.map(described)])];
  return { found: true, answer: [...parts, now, WHAT_IT_IS].join('\n\n'), sources, calls };
}

type Relevance = ReturnType<Search['relevanceTo']>;

function sourceOf(documented: Found['documented'], relevance: Relevance): Source {
  if ('call' in documented) {
    const { operation, method, path, summary, description } = documented.call;
    return { title: `${method} ${path}`, url: `/docs/operations#${operation}`, quote: description || summary };
  }
  const { page, title, heading, anchor } = documented.section;
  return {
    title: heading === '' ? title : `${title} › ${heading}`,
    url: `/docs/${page}${anchor === null ? '' : `#${anchor}`}`,
    quote: quoteOf(documented.section, relevance),
  };
}

/** The pieces that say most of what is asked, in their order. */
function quoteOf({ pieces }: Section, relevance: Relevance): string {
  const rated = pieces.map((piece, at) => ({
    piece,
    at,
    says: weightOf(piece) * relevance(piece.text),
  }));
  const best = Math.max(...rated.map(({ says }) => says));
  const chosen =
    best === 0
      ? rated.slice(0, 1)
      : rated
          .filter(({ says }) => says >= PIECE_AS_GOOD * best)
          .sort((one, other) => other.says - one.says)
          .slice(0, MOST_PIECES);
  return chosen.sort((one, other) => one.at - other.at).reduce(joined, '');
}

/** Code says what people ask in other words: names. */
const weightOf = ({ code }: Piece): number => (code === true ? 0.5 : 1);

interface Chosen {
  readonly piece: Piece;
  readonly at: number;
}

/** Rows of one table stand under its head once; what is left out in between is shown. */
function joined(text: string, { piece, at }: Chosen, nth: number, all: readonly Chosen[]): string {
  const before = all[nth - 1];
  const whole = piece.head === undefined ? piece.text : `${piece.head}\n${piece.text}`;
  if (before === undefined) return whole;
  if (piece.head !== undefined && piece.head === before.piece.head) return `${text}\n${piece.text}`;
  return `${text}\n\n${at === before.at + 1 ? '' : '[…]\n\n'}${whole}`;
}

const quoted = ({ title, url, quote }: Source): string => `[${title}](${url}):\n\n${quote.replaceAll(/^/gm, '> ')}`;

const described = ({ method, path, summary, needs, command }: DocumentedCall): string =>
  `\`${method} ${path}\`: ${summary}. ${needs}\n\n\`\`\`bash\n${command}\n\`\`\``;
