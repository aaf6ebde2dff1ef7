/** Where a text stops being JSON (RFC 8259), and what stands there: for people, of a text that JSON.parse has refused. */

import { blanksAt, SLICE } from './json-text.ts';

export interface JsonMistake {
  /** "line 3, column 5", in UTF-16 units from 1; "character 2000000" where lines are not counted so far. */
  readonly place: string;
  /** What is wrong there: "a comma with nothing after it". */
  readonly what: string;
}

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'nothing';

/** Lines are counted as far as that takes some milliseconds: nobody reads a longer text by its lines. */
const MAX_IN_LINES = 1 << 20;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what a string of JSON must not hold.
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const WORD = /[\p{L}\p{N}_$+.-]{1,40}/uy;
const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?(?![\p{L}\p{N}_$+.-])/uy;
const NUMBER_LIKE = /^[+-]?\.?\d/;
const WORDS = /^(tru|true|fals|false|nul|null|nil|none|nan|[+-]?infinity|undefined|yes|no|on|off)$/i;
const LITERALS = ['true', 'false', 'null'];

/** The first mistake, or null where there is none; with a stop wherever some milliseconds have gone by. Iterative, as any depth may come. */
export function* jsonMistake(text: string): Generator<void, JsonMistake | null> {
  const mistake = yield* firstMistake(text);
  return mistake && { place: placeOf(text, mistake.at), what: mistake.what };
}

function placeOf(text: string, at: number): string {
  const begin = text.startsWith('\ufeff') ? 1 : 0;
  if (at > MAX_IN_LINES) return `character ${at - begin + 1}`;
  let [line, lineStart] = [1, begin];
  for (let i = begin; i < at; i++) {
    if (text.charCodeAt(i) !== 0x0a) continue;
    line++;
    lineStart = i + 1;
  }
  return `line ${line}, column ${at - lineStart + 1}`;
}

interface Found {
  readonly at: number;
  readonly what: string;
}

function* firstMistake(text: string): Generator<void, Found | null> {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = text.startsWith('\ufeff') ? 1 : 0;
  let blanks = { from: at, end: -1 };
  const mistake = (what: string, where = at): Found => ({ at: where, what });
  for (let left = SLICE; ; left--) {
    if (left <= 0) {
      yield;
      left = SLICE;
    }
    const character = text[at];
    if (character === ' ' || character === '\t' || character === '\r' || character === '\n') {
      const { end, cost } = blanksAt(text, at);
      left -= cost;
      blanks = { from: at === blanks.end ? blanks.from : at, end };
      at = end;
      continue;
    }
    if (character === undefined) {
      if (expected === 'nothing') return null;
      const what =
        open.length === 0 ? 'there is only whitespace' : `it ends here, where ${missing(expected, open.at(-1))}`;
      return mistake(what, at === blanks.end ? blanks.from : at);
    }
    if (expected === 'nothing') return mistake('there is text after the end of the JSON value');
    const closing: '{' | '[' | null = character === '}' ? '{' : character === ']' ? '[' : null;
    if (closing !== null) {
      if (expected === 'name' || (expected === 'value' && open.at(-1) === '[')) return mistake(TRAILING);
      if (expected === 'value') return mistake(`a value is missing before ${character}`);
      if (expected === 'colon' || open.at(-1) !== closing)
        return mistake(`${character} where ${missing(expected, open.at(-1))}`);
      open.pop();
      expected = open.length === 0 ? 'nothing' : 'comma or end';
      at++;
    } else if (character === ',' || character === ':') {
      if (expected !== (character === ',' ? 'comma or end' : 'colon'))
        return mistake(`${character} where ${missing(expected, open.at(-1))}`);
      expected = character === ':' || open.at(-1) === '[' ? 'value' : 'name';
      at++;
    } else if (character === '"') {
      if (expected === 'colon' || expected === 'comma or end')
        return mistake(`text where ${missing(expected, open.at(-1))}`);
      const string = endOfString(text, at + 1);
      if (string.what !== null) return mistake(string.what, string.end);
      at = string.end;
      expected = isName(expected) ? 'colon' : behindValue(open);
    } else {
      const word = wordAt(text, at);
      if (expected === 'colon' || expected === 'comma or end')
        return mistake(`${named(character, word)} where ${missing(expected, open.at(-1))}`);
      const literal = isName(expected) ? '' : literalAt(text, at, word);
      if (literal !== '') {
        at += literal.length;
        expected = behindValue(open);
      } else if (!isName(expected) && (character === '{' || character === '[')) {
        open.push(character);
        expected = character === '{' ? 'name or end' : 'value or end';
        at++;
      } else {
        return mistake(said(character, word, text[at + 1], isName(expected)));
      }
    }
  }
}

const TRAILING = 'a comma with nothing after it';

const isName = (expected: Expected): boolean => expected === 'name' || expected === 'name or end';

const behindValue = (open: readonly unknown[]): Expected => (open.length === 0 ? 'nothing' : 'comma or end');

/** A number, true, false or null; empty where none of them stands there. */
const literalAt = (text: string, at: number, word: string): string =>
  LITERALS.includes(word) ? word : (matchAt(NUMBER, text, at)?.[0] ?? '');

const wordAt = (text: string, at: number): string => matchAt(WORD, text, at)?.[0] ?? '';

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function missing(expected: Expected, within: '{' | '[' | undefined): string {
  if (expected === 'colon') return 'a colon (:) is missing';
  if (expected === 'comma or end') return `a comma or ${within === '{' ? '}' : ']'} is missing`;
  if (expected === 'name' || expected === 'name or end') return 'a field name in double quotation marks is missing';
  return 'a value is missing';
}

/** Behind the closing quote; or where it goes wrong, and how. */
function endOfString(text: string, start: number): { end: number; what: string | null } {
  for (let at = start; ; ) {
    at += matchAt(PLAIN, text, at)?.[0].length ?? 0;
    const character = text[at];
    if (character === '"') return { end: at + 1, what: null };
    if (character === undefined)
      return { end: at, what: 'it ends here, within a string: a quotation mark (") is missing' };
    if (character !== '\\')
      return { end: at, what: 'a control character within a string: write \\n for a line break, \\t for a tab' };
    const escaped = matchAt(ESCAPE, text, at);
    if (escaped === null) return { end: at, what: 'an unknown escape sequence: write a backslash as \\\\' };
    at += escaped[0].length;
  }
}

function said(character: string, word: string, next: string | undefined, ofName: boolean): string {
  if (character === "'") return '\' is not a quotation mark in JSON: use double ones (")';
  if (character === '#' || (character === '/' && (next === '/' || next === '*'))) return 'JSON has no comments';
  const name = named(character, word);
  if (ofName) return `${name} where a field name in double quotation marks is missing`;
  const literal = LITERALS.find((one) => one === word.toLowerCase() || (word.length > 0 && one.startsWith(word)));
  if (literal !== undefined) return `${name} is not valid in JSON: write ${literal}`;
  if (NUMBER_LIKE.test(word)) return 'this is not a JSON number: write 12, -0.5 or 1e3';
  return `${name} is not valid in JSON: a string needs double quotation marks`;
}

/** Only of words that are no secret by mistake. */
function named(character: string, word: string): string {
  if (word === '') return character;
  if (NUMBER_LIKE.test(word)) return 'a number';
  return WORDS.test(word) ? word : 'a word';
}
