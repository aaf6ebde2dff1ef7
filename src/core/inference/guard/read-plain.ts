/** A text as it is meant: escapes decoded, compatible characters and look-alikes as ASCII, what is invisible left out. */
import type { Detector, Sink } from './secret.ts';

/** What an escape stands for; undefined while it is incomplete, null where it is none. */
type Decode = (written: string) => string | undefined | null;

const SIMPLE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', 0: '\0' };

/** JSON's and JavaScript's: \n, \u004b, \u{4b}, \x4b. */
function decodeBackslash(written: string): string | undefined | null {
  const letter = written[1];
  if (letter === undefined) return undefined;
  if (letter !== 'u' && letter !== 'x') return SIMPLE[letter] ?? (/[\w\s]/.test(letter) ? null : letter);
  const whole = /^\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|u\{([0-9a-f]{1,6})\})$/i.exec(written);
  const point = Number.parseInt(whole?.[1] ?? whole?.[2] ?? whole?.[3] ?? '', 16);
  if (whole) return point > 0x10ffff ? null : String.fromCodePoint(point);
  return /^\\(?:u[0-9a-f]{0,3}|u\{[0-9a-f]{0,6}|x[0-9a-f]?)$/i.test(written) ? undefined : null;
}

/** Of UTF-8, a character at a time. */
function decodePercent(written: string): string | undefined | null {
  if (!/^(?:%[0-9a-f]{2})*(?:%[0-9a-f]?)?$/i.test(written)) return null;
  if (written.length < 3) return undefined;
  const lead = Number.parseInt(written.slice(1, 3), 16);
  const size = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (written.length < 3 * size) return undefined;
  return Buffer.from(written.replaceAll('%', ''), 'hex').toString('utf8');
}

const NAMED = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', ensp: ' ', emsp: ' ', thinsp: ' ' }),
);
for (const [name, text] of Object.entries({ Tab: '\t', NewLine: '\n', shy: '', zwj: '', zwnj: '', hyphen: '-' })) {
  NAMED.set(name, text);
}

/** HTML's, by number or name. */
function decodeEntity(written: string): string | undefined | null {
  const whole = /^&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,8}));$/i.exec(written);
  if (!whole) return /^&(?:#\d{0,7}|#x[0-9a-f]{0,6}|[a-z]{0,8})$/i.test(written) ? undefined : null;
  if (whole[3] !== undefined) return NAMED.get(whole[3]) ?? null;
  const point = whole[1] ? Number(whole[1]) : Number.parseInt(whole[2] as string, 16);
  return point > 0x10ffff ? null : String.fromCodePoint(point);
}

function createUnescape(trigger: number, decode: Decode, next: Sink): Detector {
  let written = '';
  let places: number[] = [];

  const takeFirst = () => {
    const [taken, at] = [written, places];
    [written, places] = ['', []];
    next(taken.charCodeAt(0), at[0] as number, at[1] as number);
    return (sink: Sink) => {
      for (let i = 1; i < taken.length; i++) {
        sink(taken.charCodeAt(i), at[2 * i] as number, at[2 * i + 1] as number);
      }
    };
  };
  const push: Sink = (code, start, end) => {
    if (written === '' && code !== trigger) return next(code, start, end);
    written += String.fromCharCode(code);
    places.push(start, end);
    const meant = decode(written);
    if (meant === undefined) return;
    if (meant === null) return takeFirst()(push);
    const from = places[0] as number;
    [written, places] = ['', []];
    for (let i = 0; i < meant.length; i++) next(meant.charCodeAt(i), from, end);
  };
  return {
    push,
    end() {
      while (written !== '') takeFirst()(push);
    },
    openFrom: () => places[0] ?? Number.POSITIVE_INFINITY,
  };
}

/** Accents, which people leave out (but kana's, which make another letter); joiners, marks of direction, variation selectors, tags. */
const UNSEEN = /\p{Mn}(?<![\u3099\u309a])|\p{Cf}|[\u115f\u1160\u3164\uffa0]/u;
const ALIKE = new Map<string, string>();
for (const [characters, ascii] of [
  ['аеорсухіјѕԁһԛԝкмтгвн', 'aeopcyxijsdhqwkmtrbh'],
  ['АВЕКМНОРСТХІЈЅҮԌԚԜ', 'ABEKMHOPCTXIJSYGQW'],
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονραικυ', 'ABEZHIKMNOPTYXovpaiku'],
  ['ıɑɡℓ‐‑‒–—―−', 'iagl-------'],
] as const) {
  for (const [i, character] of [...characters].entries()) ALIKE.set(character, ascii[i] as string);
}

const MAX_KNOWN = 20_000;
const known = new Map<number, string>();

function plainOf(point: number): string {
  let plain = known.get(point);
  if (plain === undefined) {
    plain = [...String.fromCodePoint(point).normalize('NFKD')]
      .map((character) => (UNSEEN.test(character) ? '' : (ALIKE.get(character) ?? character)))
      .join('');
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(point, plain);
  }
  return plain;
}

/** So many unseen characters in a row are seen: what may be held back for has an end. */
const MAX_UNSEEN = 32;

function createPlain(next: Sink): Detector {
  let [high, from, to, unseen] = [0, 0, 0, 0];
  const emit = (plain: string, start: number, end: number) => {
    unseen = plain === '' ? unseen + 1 : 0;
    const text = unseen > MAX_UNSEEN ? '\u200b' : plain;
    for (let i = 0; i < text.length; i++) next(text.charCodeAt(i), start, end);
  };
  const lone = () => {
    if (high !== 0) next(0xfffd, from, to);
    high = 0;
  };
  return {
    push(code, start, end) {
      if (high === 0 && code < 128) {
        unseen = 0;
        return next(code, start, end);
      }
      if (high !== 0 && code >= 0xdc00 && code <= 0xdfff) {
        emit(plainOf((high - 0xd800) * 0x400 + code - 0xdc00 + 0x10000), from, end);
        high = 0;
        return;
      }
      lone();
      if (code >= 0xd800 && code <= 0xdbff) {
        [high, from, to] = [code, start, end];
        return;
      }
      if (code < 128) next(code, start, end);
      else emit(plainOf(code), start, end);
    },
    end: lone,
    openFrom: () => (high === 0 ? Number.POSITIVE_INFINITY : from),
  };
}

/** Escapes may stand in escapes of another kind, and JSON's and percent's in their own, once. */
export function readPlain(next: Sink): Detector {
  const plain = createPlain(next);
  const stages = [plain];
  for (const [trigger, decode] of [
    ['&', decodeEntity],
    ['%', decodePercent],
    ['%', decodePercent],
    ['\\', decodeBackslash],
    ['\\', decodeBackslash],
  ] as const) {
    stages.unshift(createUnescape(trigger.charCodeAt(0), decode, (stages[0] as Detector).push));
  }
  return {
    push: (stages[0] as Detector).push,
    end() {
      for (const stage of stages) stage.end();
    },
    openFrom: () => stages.reduce((from, stage) => Math.min(from, stage.openFrom()), Number.POSITIVE_INFINITY),
  };
}
