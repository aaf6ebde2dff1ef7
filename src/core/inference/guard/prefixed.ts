/** Secrets that say what they are by how they begin, also with up to three blanks, hyphens or other separators between two characters. */
import { decodeBase58Check } from '../../keys/base58check.ts';
import { type Detector, isWord, type Secret, type SecretKind } from './secret.ts';

const MAX_SKIPPED = 3;
const HYPHEN = 0x2d;
/** Characters and separators. */
const MAX_LENGTH = 256;

type Class = Uint8Array;
const classOf = (pattern: RegExp): Class =>
  Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
const has = (set: Class | undefined, code: number): boolean => set !== undefined && code < 128 && set[code] === 1;

interface Slot {
  readonly of: Class;
  readonly min: number;
  readonly max: number;
}

interface Shape {
  readonly kind: SecretKind;
  /** Of a slot that varies in length, the next takes other characters: there is one way to read a text. */
  readonly slots: readonly Slot[];
  /** Separators may be between its characters. */
  readonly spread: boolean;
  /** Not within a word. */
  readonly apart: boolean;
  readonly check?: (text: string, spread: boolean) => boolean;
  /** What belongs to it after it is known. */
  readonly rest?: Class;
  /** The rest ends with this line of its own, whose last character is a hyphen. */
  readonly until?: RegExp;
}

const BASE58 = classOf(/[1-9A-HJ-NP-Za-km-z]/);
const BASE62 = classOf(/[0-9A-Za-z]/);
const BASE64URL = classOf(/[\w-]/);

const DIGITS = new Uint8Array(128);
[...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'].forEach((c, value) => {
  DIGITS[c.charCodeAt(0)] = value;
});

const one = (pattern: RegExp): Slot => ({ of: classOf(pattern), min: 1, max: 1 });
const some = (of: Class, min: number, max = min): Slot => ({ of, min, max });
const literal = (text: string): Slot[] => [...text].map((c) => one(new RegExp(`[${c.replace(/[-\\^\]]/, '\\$&')}]`)));

/** Whether the byte before the four of the checksum is 1, as it is for a compressed public key; of other texts few come so far. */
function saysCompressed(text: string): boolean {
  let [high, low] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    low = low * 58 + (DIGITS[text.charCodeAt(i)] as number);
    high = (high * 58 + (low >>> 20)) & 0xfffff;
    low &= 0xfffff;
  }
  return high >>> 12 === 1;
}

function isWif(text: string): boolean {
  if (text.length === 52 && !saysCompressed(text)) return false;
  const size = text.length === 52 ? 34 : 33;
  const bytes = decodeBase58Check(text, size);
  const is = bytes !== null && (bytes[0] === 0x80 || bytes[0] === 0xef) && (size === 33 || bytes[33] === 1);
  bytes?.fill(0);
  return is;
}

function isExtended(text: string, spread: boolean): boolean {
  // A mistyped one tells as much as a right one.
  if (!spread) return true;
  const bytes = decodeBase58Check(text, 78);
  bytes?.fill(0);
  return bytes !== null;
}

const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** BIP173's checksum under the human-readable part nsec (NIP-19). */
function isNsec(text: string): boolean {
  const lower = text.toLowerCase();
  let sum = 1;
  const add = (value: number) => {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3].forEach((generator, bit) => {
      if ((top >>> bit) & 1) sum ^= generator;
    });
  };
  const codes = [...'nsec'].map((c) => c.charCodeAt(0));
  for (const code of codes) add(code >> 5);
  add(0);
  for (const code of codes) add(code & 31);
  for (const c of lower.slice(5)) add(BECH32.indexOf(c));
  return sum === 1;
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
/** Of 43 random characters of base62 as good as all are so; words that follow one another are not. */
const isRandom = (text: string, spread: boolean): boolean =>
  !spread || (count(text, /\d/g) >= 2 && count(text, /[A-Z]/g) >= 5 && count(text, /[a-z]/g) >= 5);

const spread = (
  kind: SecretKind,
  slots: readonly Slot[],
  check: (text: string, spread: boolean) => boolean,
  apart = true,
): Shape => ({ kind, slots, spread: true, apart, check });

const SHAPES: readonly Shape[] = [
  // Version 0x80 (mainnet) and 0xef, for a compressed public key and an uncompressed one: all that their first two characters can be.
  ...(
    [
      [/K/, /[w-z]/, 50],
      [/L/, /[1-5]/, 50],
      [/c/, /[M-V]/, 50],
      [/5/, /[HJK]/, 49],
      [/9/, /[1-3]/, 49],
    ] as const
  ).map(([first, second, rest]) =>
    spread('WIF private key', [one(first), one(second), some(BASE58, rest)], isWif, false),
  ),
  spread('extended private key', [one(/[xyztuvYZUV]/), ...literal('prv'), some(BASE58, 107)], isExtended),
  spread(
    'nsec private key',
    [...[...'nsec'].map((c) => one(new RegExp(c, 'i'))), one(/1/), some(classOf(new RegExp(`[${BECH32}]`, 'i')), 58)],
    isNsec,
  ),
  spread('API key', [...literal('ak_'), some(BASE62, 8), ...literal('_'), some(BASE62, 43)], isRandom),
  ...['rt_', 'pr_', 'cs_'].map((prefix) => spread('token', [...literal(prefix), some(BASE62, 43)], isRandom)),
  {
    kind: 'webhook secret',
    slots: [...literal('whsec_'), some(classOf(/[\w+/-]/), 32)],
    spread: false,
    apart: true,
    rest: classOf(/[\w+/=-]/),
  },
  {
    kind: 'JSON Web Token',
    slots: [...literal('eyJ'), some(BASE64URL, 8, 200), ...literal('.eyJ')],
    spread: false,
    apart: true,
    rest: classOf(/[\w.-]/),
  },
  {
    kind: 'JWK private key',
    slots: [
      ...[one(/["'`]/), one(/[dpq]/), one(/["'`]/), some(classOf(/\s/), 0, 4), one(/:/), some(classOf(/\s/), 0, 4)],
      ...[one(/["'`]/), some(BASE64URL, 43)],
    ],
    spread: false,
    apart: false,
    rest: classOf(/[\w=-]/),
  },
  { kind: 'second factor', slots: literal('otpauth://'), spread: false, apart: true, rest: classOf(/[^\s"'`<>\\]/) },
  {
    kind: 'PEM private key',
    slots: [...literal('-----BEGIN '), some(classOf(/[A-Z0-9 ]/), 11, 40), ...literal('-----')],
    spread: false,
    apart: false,
    check: (text) => text.includes('PRIVATE KEY'),
    rest: classOf(/[\w\s+/=:,.-]/),
    until: /-----END[A-Z0-9 ]{0,50}-----$/,
  },
];

const STARTERS = Array.from({ length: 128 }, (_, code) =>
  SHAPES.filter((shape) => has((shape.slots[0] as Slot).of, code)),
);

interface Candidate {
  readonly shape: Shape;
  readonly start: number;
  slot: number;
  /** Characters that the slot has taken. */
  taken: number;
  skipped: number;
  length: number;
  spread: boolean;
  text: string;
}

/** Whether it goes on. */
function step(candidate: Candidate, code: number): boolean {
  const { shape } = candidate;
  if (++candidate.length > MAX_LENGTH) return false;
  let slot = shape.slots[candidate.slot] as Slot;
  while (!has(slot.of, code) || candidate.taken === slot.max) {
    if (candidate.taken < slot.min) {
      candidate.spread = true;
      return shape.spread && !isWord(code) && ++candidate.skipped <= MAX_SKIPPED;
    }
    candidate.slot++;
    candidate.taken = 0;
    slot = shape.slots[candidate.slot] as Slot;
  }
  candidate.taken++;
  candidate.skipped = 0;
  candidate.text += String.fromCharCode(code);
  if (candidate.taken === slot.max && candidate.slot < shape.slots.length - 1) {
    candidate.slot++;
    candidate.taken = 0;
  }
  return true;
}

const isWhole = ({ shape, slot, taken }: Candidate): boolean =>
  slot === shape.slots.length - 1 && taken === (shape.slots[slot] as Slot).max;

export function detectPrefixed(found: Secret[]): Detector {
  let live: Candidate[] = [];
  let growing: { secret: Secret; shape: Shape; last: string }[] = [];
  let afterWord = false;

  const grow = (code: number, end: number) => {
    growing = growing.filter((one) => {
      const { secret, shape } = one;
      if (code >= 128 || !has(shape.rest, code)) return false;
      secret.end = end;
      if (shape.until === undefined) return true;
      one.last = (one.last + String.fromCharCode(code)).slice(-120);
      return code !== HYPHEN || !shape.until.test(one.last);
    });
  };
  return {
    push(code, start, end) {
      if (growing.length > 0) grow(code, end);
      if (code < 128) {
        for (const shape of STARTERS[code] as Shape[]) {
          if (shape.apart && afterWord) continue;
          live.push({ shape, start, slot: 0, taken: 0, skipped: 0, length: 0, spread: false, text: '' });
        }
      }
      afterWord = isWord(code);
      if (live.length === 0) return;
      live = live.filter((candidate) => {
        if (!step(candidate, code)) return false;
        if (!isWhole(candidate)) return true;
        const { shape, text } = candidate;
        // It is a part of one that goes on, as long as it would.
        if (growing.some((one) => one.shape === shape)) return false;
        if (shape.check?.(text, candidate.spread) ?? true) {
          const secret: Secret = { start: candidate.start, end, kind: shape.kind };
          found.push(secret);
          if (shape.rest !== undefined) growing.push({ secret, shape, last: '' });
        }
        return false;
      });
    },
    end() {
      live = [];
      growing = [];
    },
    openFrom() {
      let from = Number.POSITIVE_INFINITY;
      for (const { start } of live) from = Math.min(from, start);
      for (const { secret } of growing) from = Math.min(from, secret.end);
      return from;
    },
  };
}
