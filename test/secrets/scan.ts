/** Looks for secrets in what was collected: those that were noted, in the forms in which they might be written, and whatever looks like one. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wordlist } from '@scure/bip39/wordlists/english.js';

export interface Leak {
  kind: string;
  /** The line that shows it, shortened. */
  line: string;
}

/** Needles are found by the hash of their first bytes, whatever their number. */
const WINDOW = 8;
const FACTOR = 0x01000193;
const FILTER_BITS = 22;

/** How a value may be written: as it is, escaped in JSON once or twice, in base64, base64url, hex, percent-encoded. */
function formsOf(value: string): Set<string> {
  const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
  const bytes = Buffer.from(value);
  return new Set([
    ...[value, escaped(value), escaped(escaped(value)), encodeURIComponent(value)],
    ...[bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url'), bytes.toString('hex')],
    ...[bytes.toString('hex').toUpperCase()],
    ...(/^[0-9A-Za-z_-]{43}$/.test(value) ? [Buffer.from(value, 'base64url').toString('hex')] : []),
  ]);
}

const hashOf = (bytes: Uint8Array, start: number): number => {
  let hash = 0;
  for (let i = start; i < start + WINDOW; i++) hash = (Math.imul(hash, FACTOR) + (bytes[i] as number)) | 0;
  return hash;
};

/** A search for many values at once. */
export function createSearch(secrets: Iterable<readonly [kind: string, value: string]>) {
  const byHash = new Map<number, { kind: string; bytes: Buffer }[]>();
  const filter = new Uint8Array(1 << (FILTER_BITS - 3));
  const slot = (hash: number) => Math.imul(hash, 0x9e3779b1) >>> (32 - FILTER_BITS);
  const known = new Set<string>();
  for (const [kind, value] of secrets) {
    if (known.has(value)) continue;
    known.add(value);
    for (const form of formsOf(value)) {
      const bytes = Buffer.from(form);
      if (bytes.length < WINDOW) continue;
      const hash = hashOf(bytes, 0);
      byHash.set(hash, [...(byHash.get(hash) ?? []), { kind, bytes }]);
      const at = slot(hash);
      filter[at >>> 3] = (filter[at >>> 3] as number) | (1 << (at & 7));
    }
  }
  let leading = 1;
  for (let i = 1; i < WINDOW; i++) leading = Math.imul(leading, FACTOR);

  return (text: Buffer): { kind: string; at: number }[] => {
    const found: { kind: string; at: number }[] = [];
    if (text.length < WINDOW || byHash.size === 0) return found;
    let hash = hashOf(text, 0);
    for (let at = 0; ; at++) {
      const bit = slot(hash);
      if (((filter[bit >>> 3] as number) & (1 << (bit & 7))) !== 0) {
        for (const { kind, bytes } of byHash.get(hash) ?? []) {
          if (text.compare(bytes, 0, bytes.length, at, Math.min(text.length, at + bytes.length)) === 0) {
            found.push({ kind, at });
          }
        }
      }
      if (at + WINDOW >= text.length) return found;
      hash = Math.imul(hash - Math.imul(text[at] as number, leading), FACTOR) + (text[at + WINDOW] as number);
      hash |= 0;
    }
  };
}

const WORDS = new Set(wordlist);
const SHAPES: readonly [string, RegExp][] = [
  ['an API key', /ak_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}/g],
  ['a private JWK', /\\*"d\\*"\s*:\s*\\*"[0-9A-Za-z_-]{43}/g],
  ['a JWT', /eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{16,}/g],
  ['an extended private key', /[xtuvyz]prv[1-9A-HJ-NP-Za-km-z]{80,}/g],
  ['a password hash', /\$argon2(?:id|i|d)\$/g],
  ['a refresh token, reset token or client secret', /\b(?:rt|pr|cs)_[0-9A-Za-z]{43}/g],
  ['a second factor', /otpauth:\/\//g],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/g],
];
const PHRASE = /(?:\b[a-z]{3,8}\b[ ,]+){11,}\b[a-z]{3,8}\b/g;

/** Whatever looks like a secret, whether it was noted or not. */
export function shapesIn(text: string): { kind: string; at: number }[] {
  const found = SHAPES.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map(({ index }) => ({ kind, at: index })),
  );
  for (const { index, 0: run } of text.matchAll(PHRASE)) {
    let inARow = 0;
    for (const word of run.split(/[ ,]+/)) {
      inARow = WORDS.has(word) ? inARow + 1 : 0;
      if (inARow === 12) found.push({ kind: 'a mnemonic', at: index });
    }
  }
  return found;
}

/** Everything that leaked into what a run collected. */
export function scan(folder: string): { leaks: Leak[]; secrets: number; bytes: number } {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const secrets = names
    .filter((name) => name.endsWith('.secrets'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as [string, string]);
  const search = createSearch(secrets);
  const leaks: Leak[] = [];
  let bytes = 0;
  for (const name of names.filter((one) => one.endsWith('.log'))) {
    const text = readFileSync(join(folder, name));
    bytes += text.length;
    // One byte, one character: offsets are the same in both.
    const characters = text.toString('latin1');
    for (const { kind, at } of [...search(text), ...shapesIn(characters)]) {
      leaks.push({ kind, line: `${name}: ${characters.slice(Math.max(0, at - 160), at + 24)}…` });
    }
  }
  return { leaks, secrets: secrets.length, bytes };
}
