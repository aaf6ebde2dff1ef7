/** Card numbers as they are written: in one, in the groups that are printed, or digit by digit. */
import { type Detector, isDigit, isWord, type Secret } from './secret.ts';

/**
 * Issuers by what their numbers begin with, and how long these are. Visa's of 13 and 19 digits are left out: amounts in satoshis and 64-bit
 * numbers have these, and each tenth of them passes Luhn's check.
 */
const ISSUERS: readonly (readonly [begin: RegExp, lengths: readonly number[]])[] = [
  [/^4/, [16]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:6011|64[4-9]|65)/, [16]],
  [/^35(?:2[89]|[3-8])/, [16]],
  [/^(?:30[0-5]|36|38)/, [14]],
  [/^62/, [16, 17, 18, 19]],
];
/** Digits in the groups that are printed. Those of one digit each are any length. */
const PRINTED = [
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
  [4, 4, 4, 4, 3],
];
const LONGEST = 19;
const SHORTEST = 14;
const MAX_GROUPS = LONGEST + 2;

function isCard(digits: string): boolean {
  if (!ISSUERS.some(([begin, lengths]) => lengths.includes(digits.length) && begin.test(digits))) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    sum += i % 2 === 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit;
  }
  return sum % 10 === 0;
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const DOT = 46;
/** Blanks of any kind are one. */
const separatorOf = (code: number): number =>
  code === 45 || code === DOT ? code : code === 32 || (code >= 9 && code <= 13) ? 32 : 0;

const isBeginning = (sizes: readonly number[]): boolean =>
  PRINTED.some((printed) => sizes.length <= printed.length && sizes.every((size, i) => size === printed[i])) ||
  (sizes.length <= LONGEST && sizes.every((size) => size === 1)) ||
  (sizes.length === 1 && (sizes[0] as number) > SHORTEST);

export function detectCards(found: Secret[]): Detector {
  /** Digits that follow one another with one and the same separator between them, 0 while there is one group. */
  let groups: Group[] = [];
  let separator = 0;
  /** What is after the last group, while it is one character. */
  let between = 0;
  let token = { start: 0, end: 0, text: '' };

  /** Which groups before the last `later` are a number. In groups it has neighbours of another length: tables have many of one. */
  const look = (later: 0 | 1) => {
    const last = groups.length - 1 - later;
    const sizeAt = (at: number) => groups[at]?.text.length ?? 0;
    const tell = (first: number) => {
      const all = groups.slice(first, last + 1);
      if (isCard(all.map(({ text }) => text).join(''))) {
        found.push({ start: (all[0] as Group).start, end: (all.at(-1) as Group).end, kind: 'card number' });
      }
    };
    // Digits of a fraction are none.
    if (separator !== DOT) tell(last);
    const ones = groups.slice(0, last + 1).findLastIndex(({ text }) => text.length !== 1) + 1;
    for (const sizes of [...PRINTED, Array<number>(last + 1 - ones).fill(1)]) {
      const first = last + 1 - sizes.length;
      if (sizes.length < 3 || first < 0 || !sizes.every((size, i) => sizeAt(first + i) === size)) continue;
      if (sizeAt(first - 1) !== sizeAt(first) && sizeAt(last + 1) !== sizeAt(last)) tell(first);
    }
  };
  const endGroups = (keep: Group[] = []) => {
    if (groups.length > 0) look(0);
    groups = keep;
    separator = 0;
    between = 0;
  };
  const endToken = () => {
    if (token.text !== '') {
      groups.push(token);
      if (groups.length > 1) look(1);
      if (groups.length > MAX_GROUPS) groups.shift();
    }
    token = { start: 0, end: 0, text: '' };
  };
  let inWord = false;
  return {
    push(code, start, end) {
      if (!isWord(code)) {
        endToken();
        inWord = false;
        if (groups.length === 0) return;
        if (between !== 0 || separatorOf(code) === 0) endGroups();
        else between = separatorOf(code);
      } else if (inWord || !isDigit(code) || token.text.length === LONGEST) {
        inWord = true;
        token = { start: 0, end: 0, text: '' };
        if (groups.length > 0) endGroups();
      } else {
        if (token.text === '') {
          token.start = start;
          if (separator !== 0 && separator !== between) endGroups(groups.slice(-1));
          if (groups.length > 0) separator = between;
          between = 0;
        }
        token.text += String.fromCharCode(code);
        token.end = end;
      }
    },
    end() {
      endToken();
      endGroups();
    },
    openFrom() {
      const sizes = groups.map(({ text }) => text.length);
      const first = groups.find((_, i) => isBeginning(sizes.slice(i)));
      return first?.start ?? (token.text === '' ? Number.POSITIVE_INFINITY : token.start);
    },
  };
}
