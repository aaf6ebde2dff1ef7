/** Animated QR frames as BBQr (bbqr.org): parts of one size, each with a header of eight characters, compressed where that is shorter. */
import { inflateRawSync } from 'node:zlib';
import { splitQRs } from 'bbqr';
import { DomainError } from '../../../core/errors.ts';
import { badFrame, MAX_CONTENT_BYTES, missingOf, type Scanned } from './scanned.ts';

/** The smallest and the largest QR code that frames are made for; signers with small cameras read no more than 27 or so. */
export const BBQR_VERSIONS = { least: 5, most: 40 } as const;

type Version = NonNullable<NonNullable<Parameters<typeof splitQRs>[2]>['maxVersion']>;

/** Compressing takes a third of a second for each million, and nobody films a thousand frames. UR takes as many at the most. */
const MAX_BYTES = 2_000_000;

/** The frames, all for one version of QR code, the smallest that needs no more frames. Throws `too_large`. */
export function bbqrFrames(psbt: Uint8Array, maxVersion: number): { version: number; frames: string[] } {
  if (psbt.length > MAX_BYTES)
    throw new DomainError('too_large', `frames are made of PSBTs of up to ${MAX_BYTES} bytes`, { field: 'psbt' });
  try {
    const { version, parts } = splitQRs(psbt, 'P', {
      minVersion: BBQR_VERSIONS.least,
      maxVersion: maxVersion as Version,
    });
    return { version, frames: parts };
  } catch {
    throw new DomainError(
      'too_large',
      `this PSBT does not fit into 1,295 frames of QR version ${maxVersion}, the most of BBQr: raise max_qr_version`,
      { field: 'max_qr_version' },
    );
  }
}

interface Frame {
  readonly encoding: string;
  readonly fileType: string;
  readonly total: number;
  readonly index: number;
  readonly payload: string;
}

/** B$, encoding, file type, number of parts and this one's index in base 36. */
const HEADER = /^B\$([HZ2])([A-Z])([0-9A-Z]{2})([0-9A-Z]{2})(.+)$/s;
const KINDS: Readonly<Record<string, 'psbt' | 'transaction'>> = { P: 'psbt', T: 'transaction' };

/** Puts frames together, in whatever order and however often they were read. Throws `invalid_value` naming the frame. */
export function scanBbqr(texts: readonly string[]): Scanned {
  const frames = texts.map(parseFrame);
  const first = frames[0] as Frame;
  const kind = KINDS[first.fileType];
  if (kind === undefined)
    throw badFrame(0, `holds a file of type ${first.fileType}: PSBTs (P) and transactions (T) are taken`);
  const slots: (Uint8Array | undefined)[] = [];
  for (const [at, frame] of frames.entries()) {
    const same = frame.encoding === first.encoding && frame.fileType === first.fileType && frame.total === first.total;
    if (!same) throw badFrame(at, 'is of another picture than the frames before it: send the frames of one');
    const bytes = frame.encoding === 'H' ? fromHex(frame.payload) : fromBase32(frame.payload);
    if (bytes === null) throw badFrame(at, 'is damaged: it has characters that its encoding does not have');
    const before = slots[frame.index];
    if (before !== undefined && !Buffer.from(before).equals(bytes))
      throw badFrame(at, `differs from another frame with its number, ${frame.index + 1}`);
    slots[frame.index] = bytes;
  }
  const missing = missingOf(slots, first.total);
  const bytes = missing.length > 0 ? null : unpacked(Buffer.concat(slots as Uint8Array[]), first.encoding);
  return {
    format: 'bbqr',
    total: first.total,
    received: first.total - missing.length,
    missing,
    content: bytes === null ? null : { kind, bytes },
  };
}

function parseFrame(text: string, at: number): Frame {
  const match = HEADER.exec(text);
  if (match === null) throw badFrame(at, 'is no BBQr frame: B$, encoding, type, two times two base 36 digits, content');
  const [, encoding, fileType, total, index, payload] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const frame = { encoding, fileType, total: Number.parseInt(total, 36), index: Number.parseInt(index, 36), payload };
  if (frame.index >= frame.total) throw badFrame(at, `says that it is number ${frame.index + 1} of ${frame.total}`);
  return frame;
}

/** Z: raw deflate. A few bytes could unpack to gigabytes: no more is unpacked than a request may have. */
function unpacked(bytes: Buffer, encoding: string): Buffer {
  if (encoding !== 'Z') return bytes;
  try {
    return inflateRawSync(bytes, { maxOutputLength: MAX_CONTENT_BYTES });
  } catch {
    throw badFrame(0, `and the others hold no compressed content of at most ${MAX_CONTENT_BYTES} bytes`);
  }
}

const fromHex = (text: string): Buffer | null =>
  text.length % 2 === 0 && /^[0-9A-F]*$/.test(text) ? Buffer.from(text, 'hex') : null;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 §6 without padding. */
function fromBase32(text: string): Buffer | null {
  const bytes = Buffer.alloc(Math.floor((text.length * 5) / 8));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const character of text) {
    const value = BASE32.indexOf(character);
    if (value < 0) return null;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (held >> bits) & 0xff;
    }
  }
  // What is left over is less than a character's bits, and nothing.
  return bits < 5 && (held & ((1 << bits) - 1)) === 0 ? bytes : null;
}
