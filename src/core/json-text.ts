/** What is asked of a JSON text before it is parsed. */

/** Objects and arrays within each other. The deepest request of ours has five. */
const MAX_DEPTH = 32;
/** What parsing and checking them costs comes to milliseconds; a PSBT of as many inputs as are relayed has some 40,000 values. */
const MAX_VALUES = 50_000;
/** Far above what clients escape: a slash in base64, characters beyond ASCII. */
const MAX_ESCAPES = 100_000;
/** Different ones: a contract's payouts by its outcomes are the most. Each costs the parser as much as many values. */
const MAX_NAMES = 4_000;
/** An outcome may be as long. */
const MAX_NAME_LENGTH = 1_000;

/** Looked at before others get their turn: some milliseconds. */
export const SLICE = 20_000;
/** Blanks that are passed over at once, and how many take as long as anything else that is looked at. */
const BLANKS_AT_ONCE = 1 << 20;
const BLANKS_AS_ONE = 64;
const BLANKS = /[ \t\n\r]*/y;

export interface JsonTextOptions {
  readonly nul?: boolean;
}

/**
 * Why a text that may be JSON is not worth parsing ("has …"), or null. Also what JSON.parse would quietly change is refused: of two equal
 * names it keeps the last, and half a surrogate pair can't be stored, nor can NUL (`nul`: taken in strings, not in names). `__proto__` would
 * become the prototype of whatever the object is copied to.
 * Iterative: a deep text must not exhaust the stack.
 */
export function jsonProblem(text: string, options: JsonTextOptions = {}): string | null {
  const looking = jsonProblemInSlices(text, options);
  for (;;) {
    const { done, value } = looking.next();
    if (done) return value;
  }
}

/** The same, with a stop wherever some milliseconds have gone by. */
export function* jsonProblemInSlices(
  text: string,
  { nul = false }: JsonTextOptions = {},
): Generator<void, string | null> {
  /** The names in each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  const allNames = new Set<string>();
  const strings = createStrings(text);
  let nameIsNext = false;
  let lastName = '';
  let ofConstructor: Set<string> | null = null;
  let values = 1;
  let nulFound = false;
  for (let i = 0, left = SLICE; i < text.length; i++, left--) {
    if (left <= 0) {
      yield;
      left = SLICE;
    }
    switch (text.charCodeAt(i)) {
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d: {
        const { end, cost } = blanksAt(text, i);
        left -= cost;
        i = end - 1;
        break;
      }
      case 0x22: {
        const { end, problem, escaped, hasNul } = strings.from(i + 1);
        if (problem !== null) return problem;
        if (hasNul && nameIsNext) return NUL_IN_NAME;
        nulFound ||= hasNul;
        const names = open.at(-1);
        if (nameIsNext && names) {
          if (end - i - 1 > MAX_NAME_LENGTH)
            return `has a field with a name of more than ${MAX_NAME_LENGTH} characters`;
          const inner = text.slice(i + 1, end);
          const name = escaped ? unescaped(inner) : inner;
          if (name !== null) {
            if (name === '__proto__') return 'has a field with the name __proto__';
            if (name === 'prototype' && names === ofConstructor) return 'has the field constructor.prototype';
            if (names.has(name)) return `has the field ${name.slice(0, 100)} twice in one object`;
            names.add(name);
            lastName = name;
            if (allNames.add(name).size > MAX_NAMES) return `has more than ${MAX_NAMES} different field names`;
          }
        }
        nameIsNext = false;
        i = end;
        break;
      }
      case 0x7b:
      case 0x5b: {
        const isObject = text[i] === '{';
        const within = isObject ? new Set<string>() : null;
        if (lastName === 'constructor') ofConstructor = within;
        lastName = '';
        if (open.push(within) > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
        nameIsNext = isObject;
        values++;
        break;
      }
      case 0x7d:
      case 0x5d:
        open.pop();
        nameIsNext = false;
        break;
      case 0x2c:
        nameIsNext = open.at(-1) instanceof Set;
        lastName = '';
        values++;
    }
    if (values > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
  }
  return nulFound && !nul ? NUL_IN_STRING : null;
}

/** Where blanks end that begin at `at`, or so many of them that others should get their turn; `cost` is of a SLICE. */
export function blanksAt(text: string, at: number): { end: number; cost: number } {
  BLANKS.lastIndex = 0;
  BLANKS.test(text.slice(at, at + BLANKS_AT_ONCE));
  return { end: at + BLANKS.lastIndex, cost: Math.floor(BLANKS.lastIndex / BLANKS_AS_ONE) };
}

interface FoundString {
  /** Where the closing quote stands; the text's length where there is none. */
  readonly end: number;
  readonly escaped: boolean;
  readonly hasNul: boolean;
  readonly problem: string | null;
}

/** Told where nothing else is wrong, so that the text can be parsed to see where it stands. */
export const NUL_IN_STRING = 'has a NUL character (\\u0000) in a string';
const NUL_IN_NAME = 'has a NUL character (\\u0000) in the name of a field';
const HALF = 'has half a surrogate pair (\\ud800 to \\udfff) in a string';

/** Goes from escape to escape: what lies between is passed over at the speed of memory. */
function createStrings(text: string): { from(start: number): FoundString } {
  const find = createFinder(text, '"');
  const findEscape = createFinder(text, '\\');
  let escapes = 0;
  return {
    from(start) {
      let [escaped, hasNul] = [false, false];
      for (let at = start; ; ) {
        const quote = find(at);
        const backslash = findEscape(at);
        if (quote <= backslash) return { end: quote, escaped, hasNul, problem: null };
        escaped = true;
        if (++escapes > MAX_ESCAPES)
          return { end: quote, escaped, hasNul, problem: `has more than ${MAX_ESCAPES} escapes (\\…)` };
        const unit = unitAt(text, backslash);
        if (isHalf(text, backslash, unit)) return { end: quote, escaped, hasNul, problem: HALF };
        hasNul ||= unit === 0;
        at = backslash + (isHigh(unit) ? 12 : 2);
      }
    },
  };
}

/** Where a character stands next; the text's length where it does not. What was found counts until it is passed. */
function createFinder(text: string, character: string): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) {
      const at = text.indexOf(character, from);
      found = at < 0 ? text.length : at;
    }
    return found;
  };
}

/** Of an escape \uXXXX; NaN of another. */
const unitAt = (text: string, at: number): number =>
  text.startsWith('\\u', at) ? Number.parseInt(text.slice(at + 2, at + 6), 16) : Number.NaN;

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** A text that was UTF-8 holds no surrogates but escaped ones. */
const isHalf = (text: string, at: number, unit: number): boolean =>
  isLow(unit) || (isHigh(unit) && !isLow(unitAt(text, at + 6)));

/** What a JSON string with escapes says; null where it is none, which the parser tells. */
function unescaped(inner: string): string | null {
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    return null;
  }
}
