/** 32 bytes in hex that the words beside them call a private key; by themselves they may be any txid. */
import { type Detector, isWord, type Secret } from './secret.ts';

const KEY_LENGTH = 64;
const GROUPS = [2, 4, 8, 16, 32];
const MAX_BETWEEN = 2;
const BEFORE = 56;
const AFTER = 28;

const MEANS = /priv|secret|\bseed|nsec|\bsk\b|\bwif\b|entropy|mnemonic|signing_?key/gi;
const MEANS_NOT =
  /hash|txid|\btx|pub|block|merkle|commit|digest|signature|\bsig\b|address|preimage|fingerprint|nonce|script|descriptor|\bid\b|sha256/gi;
/** What is said of a hash, not of what was hashed. */
const HASHED =
  /(?:hash|digest|sha256|commit)\w*[ (]+(?:of |for |to )?(?:the |a |an |my |our |its )?(?:priv|secret|seed|entropy)\w*/gi;
const SAID_AFTER =
  /^[^a-z0-9]{0,4}(?:(?:is|was|as|are) )?(?:(?:my|our|the|a|your|its|their|his|her) )?(?:priv|secret|seed|wif\b|nsec)/i;
const SAID_PUBLIC = /^.{0,24}(?:hash|txid|pub)/i;

const lastOf = (text: string, pattern: RegExp): number => {
  let last = -1;
  for (const { index } of text.matchAll(pattern)) last = index;
  return last;
};

const isHex = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);

export function detectHexKeys(found: Secret[]): Detector {
  const ring = new Uint16Array(128);
  let at = 0;
  let token = { start: 0, end: 0, from: 0, length: 0, hex: true };
  let group: { start: number; size: number; total: number } | null = null;
  let between = 0;
  let waiting: { start: number; end: number; from: number; after: string } | null = null;

  /** Whether what is before says that a private key follows. */
  const calledKey = (from: number): boolean => {
    let text = '';
    for (let i = Math.max(0, from - BEFORE, at - ring.length); i < from; i++) {
      text += String.fromCharCode(ring[i & 127] as number);
    }
    text = text.replace(HASHED, 'hash');
    const means = lastOf(text, MEANS);
    return means >= 0 && means > lastOf(text, MEANS_NOT);
  };
  const settle = () => {
    if (waiting === null) return;
    const { start, end, after } = waiting;
    waiting = null;
    if (SAID_AFTER.test(after) && !SAID_PUBLIC.test(after)) found.push({ start, end, kind: 'private key in hex' });
  };
  const endGroups = () => {
    group = null;
  };
  const endToken = () => {
    const { start, end, from, length, hex } = token;
    if (length === 0) return;
    token = { start: 0, end: 0, from: 0, length: 0, hex: true };
    if (!hex) return endGroups();
    if (length === KEY_LENGTH) {
      endGroups();
      if (calledKey(from)) found.push({ start, end, kind: 'private key in hex' });
      else {
        settle();
        waiting = { start, end, from: at, after: '' };
      }
    } else if (group?.size === length && between <= MAX_BETWEEN) {
      group.total += length;
      if (group.total === KEY_LENGTH) {
        found.push({ start: group.start, end, kind: 'private key in hex' });
        endGroups();
      }
    } else {
      group = GROUPS.includes(length) && calledKey(from) ? { start, size: length, total: length } : null;
    }
    between = 0;
  };
  return {
    push(code, start, end) {
      if (waiting !== null) {
        waiting.after += String.fromCharCode(code);
        if (code === 10 || waiting.after.length === AFTER) settle();
      }
      if (!isWord(code)) {
        endToken();
        if (group !== null && ++between > MAX_BETWEEN) endGroups();
      } else if (token.length === 1 && (code | 32) === 120 && ring[(at - 1) & 127] === 48) {
        // 0x
        token = { start: end, end, from: at + 1, length: 0, hex: true };
      } else {
        if (token.length === 0) [token.start, token.from] = [start, at];
        token.length++;
        token.end = end;
        if (token.hex && (!isHex(code) || token.length > KEY_LENGTH)) {
          token.hex = false;
          endGroups();
        }
      }
      ring[at++ & 127] = code;
    },
    end() {
      endToken();
      settle();
    },
    openFrom() {
      let from = token.length > 0 && token.hex ? token.start : Number.POSITIVE_INFINITY;
      if (group !== null) from = Math.min(from, group.start);
      return waiting === null ? from : Math.min(from, waiting.start);
    },
  };
}
