/** BIP39 phrases of 12 to 24 words in any of its word lists, whatever is between the words, their numbers too. */
import { wordlist as czech } from '@scure/bip39/wordlists/czech.js';
import { wordlist as english } from '@scure/bip39/wordlists/english.js';
import { wordlist as french } from '@scure/bip39/wordlists/french.js';
import { wordlist as italian } from '@scure/bip39/wordlists/italian.js';
import { wordlist as japanese } from '@scure/bip39/wordlists/japanese.js';
import { wordlist as korean } from '@scure/bip39/wordlists/korean.js';
import { wordlist as portuguese } from '@scure/bip39/wordlists/portuguese.js';
import { wordlist as simplifiedChinese } from '@scure/bip39/wordlists/simplified-chinese.js';
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish.js';
import { wordlist as traditionalChinese } from '@scure/bip39/wordlists/traditional-chinese.js';
import { sha256 } from '../../hashes.ts';
import { readPlain } from './read-plain.ts';
import { type Detector, isDigit, isWord, type Secret } from './secret.ts';

const LISTS = [
  ...[english, spanish, french, italian, portuguese, czech],
  ...[japanese, korean, simplifiedChinese, traditionalChinese],
];
const LENGTHS = [12, 15, 18, 21, 24];
const MOST_WORDS = 24;
/** Characters between two words. */
const MAX_GAP = 24;

/**
 * All lists in one tree of characters. A node is its number; what a word is in which lists is told at its last character's. Children by a
 * to z are in a table: most text is made of these.
 */
const A = 97;
const LETTERS = 26;
const LIST_SIZE = 2_048;
/** By node: which words of which lists, as list * LIST_SIZE + index. */
const words = new Map<number, readonly number[]>();
const others = new Map<number, Map<number, number>>();
let byLetter = new Uint16Array(LETTERS);
let nodes = 1;
const NONE = 0;
const ROOT = 0;

const childOf = (node: number, code: number): number =>
  code >= A && code < A + LETTERS
    ? (byLetter[node * LETTERS + code - A] ?? NONE)
    : (others.get(code)?.get(node) ?? NONE);

function addChild(node: number, code: number): number {
  const child = nodes++;
  if (code < A || code >= A + LETTERS) {
    const siblings = others.get(code) ?? new Map<number, number>();
    others.set(code, siblings.set(node, child));
    return child;
  }
  const at = node * LETTERS + code - A;
  if (at >= byLetter.length) {
    const larger = new Uint16Array(2 * (at + LETTERS));
    larger.set(byLetter);
    byLetter = larger;
  }
  byLetter[at] = child;
  return child;
}

let grown = ROOT;
const grow = readPlain((code) => {
  grown = childOf(grown, code) || addChild(grown, code);
});
for (const [list, all] of LISTS.entries()) {
  for (const [index, word] of all.entries()) {
    grown = ROOT;
    for (let i = 0; i < word.length; i++) grow.push(word.charCodeAt(i), i, i + 1);
    const [named, others] = [list * LIST_SIZE + index, words.get(grown)];
    words.set(grown, others === undefined ? [named] : [...others, named]);
  }
}
if (nodes > 65_536) throw new Error('the word lists have more nodes than a table of 16 bits names');

/** Of 24 words; cleared after use. */
const scratch = Buffer.alloc(33);

/** Whether the last `length` of the words carry the checksum of what they encode. Neighbours in the list, all of them, are the list itself. */
function isPhrase(indexes: readonly number[], length: number): boolean {
  const bytes = scratch;
  let [bits, size, at, inOrder] = [0, 0, 0, true];
  for (let i = indexes.length - length; i < indexes.length; i++) {
    const index = indexes[i] as number;
    if (at > 0 && index !== (indexes[i - 1] as number) + 1) inOrder = false;
    bits = ((bits << 11) | index) & 0x7ffff;
    for (size += 11; size >= 8; size -= 8) bytes[at++] = bits >>> (size - 8);
  }
  if (size > 0) bytes[at] = bits << (8 - size);
  const entropy = (length / 3) * 4;
  const mask = 0xff00 >>> (length / 3);
  const is = ((sha256(bytes.subarray(0, entropy))[0] as number) & mask & 0xff) === bytes[entropy];
  bytes.fill(0);
  return is && !inOrder;
}

/** Words of one list, one after the other. */
interface Chain {
  readonly indexes: number[];
  readonly starts: number[];
  /** Once a phrase is among them, all of them are its: which of them it takes can't be told. */
  secret: Secret | null;
}

export function detectPhrases(found: Secret[]): Detector {
  let chains: (Chain | undefined)[] = [];
  let chained = false;
  let gap = 0;
  let [node, length, tokenStart, tokenEnd, digits] = [ROOT, 0, 0, 0, 0];
  let known = true;

  const breakAll = () => {
    if (chained) chains = [];
    chained = false;
  };
  const take = () => {
    const ends = known ? words.get(node) : undefined;
    if (ends === undefined) {
      // The number of a word.
      if (digits !== length || length > 2) return breakAll();
      gap += length;
      return;
    }
    gap = 0;
    const before = chains;
    chains = [];
    chained = true;
    for (const named of ends) {
      const [list, index] = [Math.floor(named / LIST_SIZE), named % LIST_SIZE];
      const chain = before[list] ?? { indexes: [], starts: [], secret: null };
      chains[list] = chain;
      chain.indexes.push(index);
      chain.starts.push(tokenStart);
      if (chain.indexes.length > MOST_WORDS) {
        chain.indexes.shift();
        chain.starts.shift();
      }
      if (chain.secret !== null) chain.secret.end = tokenEnd;
      else if (LENGTHS.some((many) => many <= chain.indexes.length && isPhrase(chain.indexes, many))) {
        chain.secret = { start: chain.starts[0] as number, end: tokenEnd, kind: 'BIP39 phrase' };
        found.push(chain.secret);
      }
    }
  };
  const endToken = () => {
    if (length > 0) take();
    [node, length, digits, known] = [ROOT, 0, 0, true];
  };
  return {
    push(code, start, end) {
      if (!isWord(code)) {
        if (length > 0) endToken();
        if (chained && ++gap > MAX_GAP) breakAll();
        return;
      }
      if (length === 0) tokenStart = start;
      length++;
      tokenEnd = end;
      if (isDigit(code)) digits++;
      if (known) {
        node = childOf(node, code >= 65 && code <= 90 ? code + 32 : code);
        known = node !== NONE;
      }
      if (chained && !known && (digits !== length || length > 2)) breakAll();
    },
    end: endToken,
    openFrom() {
      let from = length > 0 && known ? tokenStart : Number.POSITIVE_INFINITY;
      if (!chained) return from;
      for (const chain of chains) {
        if (chain === undefined) continue;
        const { starts, secret } = chain;
        from = Math.min(from, secret?.end ?? (starts[Math.max(0, starts.length - MOST_WORDS + 1)] as number));
      }
      return from;
    },
  };
}
