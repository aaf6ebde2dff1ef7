/** Text in Base64, Base64url or hex is read as what it encodes. */
import { type Detector, isWord, type Sink } from './secret.ts';

/** Characters that decode before it is taken for text. */
const SURE = 4;
const MAX_LIVE = 4;
const MAX_SKIPPED = 2;
/** Lines and blanks may be within Base64 that is at least so long. */
const MIN_UNBROKEN = 16;

const SEXTETS = new Int8Array(128).fill(-1);
[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'].forEach((c, value) => {
  SEXTETS[c.charCodeAt(0)] = value;
});
for (const [c, value] of [
  ['+', 62],
  ['-', 62],
  ['/', 63],
  ['_', 63],
] as const)
  SEXTETS[c.charCodeAt(0)] = value;

const NIBBLES = new Int8Array(128).fill(-1);
[...'0123456789abcdef'].forEach((c, value) => {
  NIBBLES[c.charCodeAt(0)] = value;
  NIBBLES[c.toUpperCase().charCodeAt(0)] = value;
});

/** Bytes of UTF-8 as characters; `push` answers false for what is no text. */
class Text {
  #point = 0;
  #missing = 0;
  #start = 0;
  #early: [code: number, start: number, end: number][] | null = [];
  #inner: Detector | null = null;
  readonly #read: () => Detector;
  readonly #sure: (same: Text) => void;

  /** `sure` is told once that it is text, and of another that has read the same. */
  constructor(read: () => Detector, sure: (same: Text) => void = () => {}) {
    this.#read = read;
    this.#sure = sure;
  }

  push(byte: number, start: number, end: number): boolean {
    if (this.#missing > 0) {
      if (byte >> 6 !== 2) return false;
      this.#point = (this.#point << 6) | (byte & 63);
      if (--this.#missing > 0) return true;
      return this.#take(this.#point, this.#start, end);
    }
    if (byte < 128)
      return (byte >= 32 && byte !== 127) || (byte >= 9 && byte <= 13) ? this.#take(byte, start, end) : false;
    if (byte < 0xc2 || byte > 0xf4) return false;
    this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.#point = byte & (0x3f >> this.#missing);
    this.#start = start;
    return true;
  }

  #take(point: number, start: number, end: number): boolean {
    if (point > 0x10ffff) return false;
    const text = String.fromCodePoint(point);
    for (let i = 0; i < text.length; i++) this.#emit(text.charCodeAt(i), start, end);
    return true;
  }

  #emit(code: number, start: number, end: number): void {
    if (this.#early === null) {
      this.#inner?.push(code, start, end);
    } else if (this.#early.push([code, start, end]) === SURE) {
      const same = new Text(this.#read);
      for (const text of [this, same]) {
        text.#inner = this.#read();
        for (const one of this.#early as [number, number, number][]) text.#inner.push(...one);
        if (text === same) this.#early = same.#early = null;
      }
      this.#sure(same);
    }
  }

  end(): void {
    this.#inner?.end();
  }

  openFrom(): number {
    const open = this.#early?.[0]?.[1] ?? this.#inner?.openFrom() ?? Number.POSITIVE_INFINITY;
    return this.#missing > 0 ? Math.min(open, this.#start) : open;
  }
}

interface Run {
  readonly text: Text;
  /** Goes on behind separators. Whether what follows them belongs to it nobody knows: another run ends there. */
  readonly over: boolean;
  /** That it is text. */
  sure: boolean;
  /** Bits that are no byte yet, and where the first of them is. */
  bits: number;
  size: number;
  start: number;
  taken: number;
  skipped: number;
}

/** `width` bits by character. */
function detectRuns(width: 4 | 6, values: Int8Array, read: () => Detector): Detector {
  let live: Run[] = [];
  let afterWord = false;

  /** Whether the run goes on. */
  const step = (run: Run, code: number, start: number, end: number): boolean => {
    const value = code < 128 ? (values[code] as number) : -1;
    if (value < 0) {
      // 0x before a byte.
      if (width === 4 && (code | 32) === 120 && run.size === 4 && run.bits === 0) {
        run.size = 0;
        return true;
      }
      if (run.sure && !run.over) return false;
      const between = width === 4 ? run.size === 0 && !isWord(code) : run.taken >= MIN_UNBROKEN && code <= 32;
      return between && ++run.skipped <= MAX_SKIPPED;
    }
    run.skipped = 0;
    run.taken++;
    if (run.size === 0) run.start = start;
    run.bits = ((run.bits << width) | value) & 0xfff;
    run.size += width;
    if (run.size < 8) return true;
    const from = run.start;
    run.size -= 8;
    run.start = start;
    const byte = (run.bits >> run.size) & 0xff;
    run.bits &= (1 << run.size) - 1;
    return run.text.push(byte, from, end);
  };
  const push: Sink = (code, start, end) => {
    if (!afterWord && live.length < MAX_LIVE && code < 128 && isWord(code) && (values[code] as number) >= 0) {
      const sure = (same: Text) => {
        run.sure = true;
        live.push({ ...run, text: same, over: true });
      };
      const run: Run = {
        text: new Text(read, sure),
        over: false,
        sure: false,
        bits: 0,
        size: 0,
        start,
        taken: 0,
        skipped: 0,
      };
      live.push(run);
    }
    afterWord = isWord(code);
    if (live.length === 0) return;
    let ended = false;
    for (const run of [...live]) {
      if (step(run, code, start, end)) continue;
      run.text.end();
      run.taken = -1;
      ended = true;
    }
    if (ended) live = live.filter(({ taken }) => taken >= 0);
  };
  return {
    push,
    end() {
      for (const { text } of live) text.end();
      live = [];
    },
    openFrom: () =>
      live.reduce(
        (from, run) => Math.min(from, run.text.openFrom(), run.size > 0 ? run.start : Number.POSITIVE_INFINITY),
        Number.POSITIVE_INFINITY,
      ),
  };
}

/** `read` reads what they encode. */
export const detectBase64 = (read: () => Detector): Detector => detectRuns(6, SEXTETS, read);
export const detectHexText = (read: () => Detector): Detector => detectRuns(4, NIBBLES, read);
