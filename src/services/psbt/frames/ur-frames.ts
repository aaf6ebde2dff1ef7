/** Animated QR frames as Uniform Resources: BCR-2020-005 (UR), BCR-2020-012 (bytewords), BCR-2020-006 (types), BCR-2024-001 (multipart). */
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { UR, URDecoder, UREncoder } from '@ngraveio/bc-ur';
import { DomainError } from '../../../core/errors.ts';
import { CborReader, cborByteString } from './cbor.ts';
import { badFrame, MAX_FRAMES, missingOf, type Scanned } from './scanned.ts';

type UrType = 'psbt' | 'crypto-psbt';

export interface UrOptions {
  /** `crypto-psbt` is the type's name of before 2023, which older signers want. */
  readonly type: UrType;
  /** Bytes of the content in one frame. */
  readonly maxFragmentLength: number;
  /** Frames beyond those that carry the content once, each a mixture that stands for any one that was missed. */
  readonly extraFrames: number;
}

/** Choosing what a mixture is made of costs the square of the number of fragments: so many have mixtures at all. */
const MAX_MIXABLE = 500;
const MAX_MIXTURES = 250;

/** The frames in the order they are shown, in upper case, which QR codes hold in less room. Throws `too_large`. */
export async function urFrames(psbt: Uint8Array, options: UrOptions): Promise<{ fragments: number; frames: string[] }> {
  const { type, maxFragmentLength, extraFrames } = options;
  const payload = cborByteString(psbt);
  const needed = Math.ceil(payload.length / maxFragmentLength);
  if (needed > MAX_FRAMES)
    throw new DomainError(
      'too_large',
      `this PSBT would take ${needed} frames, and ${MAX_FRAMES} are the most: raise max_fragment_length, or use BBQr`,
      { field: 'max_fragment_length' },
    );
  const encoder = new UREncoder(new UR(payload, type), maxFragmentLength, 0);
  const fragments = encoder.fragmentsLength;
  const mixtures = fragments === 1 || fragments > MAX_MIXABLE ? 0 : Math.min(extraFrames, MAX_MIXTURES);
  const frames: string[] = [];
  while (frames.length < fragments + mixtures) {
    frames.push(encoder.nextPart().toUpperCase());
    if (frames.length > fragments) await setImmediate();
  }
  return { fragments, frames };
}

interface Part {
  readonly text: string;
  readonly number: number;
  readonly total: number;
  readonly length: number;
  readonly checksum: number;
  readonly fragment: Uint8Array;
}

const CONTENT_TYPES = new Set(['psbt', 'crypto-psbt', 'bytes']);

/** Puts frames together, in whatever order and however often they were read. Throws `invalid_value` naming the frame. */
export async function scanUr(frames: readonly string[]): Promise<Scanned> {
  const parsed = frames.map(parseFrame);
  const whole = parsed.find((one) => one.part === null);
  if (whole !== undefined) {
    if (parsed.some((one) => one.part !== null || !Buffer.from(one.body).equals(whole.body)))
      throw badFrame(0, 'and the others are of different pictures: send the frames of one');
    return scanned([whole.body], 1, whole.body);
  }
  const parts = parsed.map(({ part }) => part as Part);
  const { total, length, checksum } = oneContent(parts);
  const slots: (Uint8Array | undefined)[] = [];
  for (const { number, fragment } of parts) if (number <= total) slots[number - 1] = fragment;
  if (missingOf(slots, total).length === 0) {
    const message = Buffer.concat(slots as Uint8Array[]).subarray(0, length);
    if (crc32(message) !== checksum) throw badFrame(0, 'and the others do not come to the content that they announce');
    return scanned(slots, total, message);
  }
  return unmixed(parts, slots, total);
}

/** What mixtures tell beside the plain fragments. */
async function unmixed(parts: readonly Part[], slots: (Uint8Array | undefined)[], total: number): Promise<Scanned> {
  const mixtures = distinct(parts.filter(({ number }) => number > total));
  if (mixtures.length === 0 || total > MAX_MIXABLE) return scanned(slots, total, null);
  const decoder = new URDecoder();
  for (const { text } of distinct(parts.filter(({ number }) => number <= total))) decoder.receivePart(text);
  for (const { text } of mixtures.slice(0, MAX_MIXTURES)) {
    decoder.receivePart(text);
    if (decoder.isComplete() || decoder.isError()) break;
    await setImmediate();
  }
  if (decoder.isError()) throw badFrame(0, 'and the others do not come to the content that they announce');
  if (decoder.isComplete()) return scanned(new Array(total).fill(EMPTY), total, decoder.resultUR().cbor);
  for (const index of decoder.receivedPartIndexes()) slots[index] = EMPTY;
  return scanned(slots, total, null);
}

const EMPTY = new Uint8Array(0);

const distinct = (parts: readonly Part[]): Part[] => [...new Map(parts.map((part) => [part.number, part])).values()];

function scanned(slots: readonly (Uint8Array | undefined)[], total: number, payload: Uint8Array | null): Scanned {
  const missing = missingOf(slots, total);
  const read = payload === null ? null : contentOf(payload);
  return {
    format: 'ur',
    total,
    received: total - missing.length,
    missing,
    content: read === null ? null : { kind: 'psbt', bytes: read },
  };
}

/** The byte string that URs of these types hold. */
function contentOf(payload: Uint8Array): Uint8Array {
  const reader = new CborReader(payload);
  const content = reader.byteString();
  if (content === null || !reader.done) throw badFrame(0, 'and the others hold no byte string, as a PSBT would be');
  return content;
}

/** What all parts must agree in. */
function oneContent(parts: readonly Part[]): Part {
  const first = parts[0] as Part;
  const { total, length, checksum, fragment } = first;
  for (const [index, part] of parts.entries()) {
    const same =
      part.total === total &&
      part.length === length &&
      part.checksum === checksum &&
      part.fragment.length === fragment.length;
    if (!same) throw badFrame(index, 'is of another picture than the frames before it: send the frames of one');
  }
  return first;
}

function parseFrame(frame: string, index: number): { body: Buffer; part: Part | null } {
  const text = frame.toLowerCase();
  const [type = '', ...path] = text.slice('ur:'.length).split('/');
  if (!CONTENT_TYPES.has(type)) throw badFrame(index, 'is a UR of another type: ur:psbt and ur:crypto-psbt are taken');
  const body = decodeBytewords(path.at(-1) ?? '');
  if (body === null) throw badFrame(index, 'is damaged: its words or their checksum are wrong');
  if (path.length === 1) return { body, part: null };
  const sequence = path.length === 2 ? /^([1-9]\d{0,9})-([1-9]\d{0,9})$/.exec(path[0] as string) : null;
  if (sequence === null) throw badFrame(index, 'is not of the form ur:psbt/<number>-<of how many>/<words>');
  const part = parsePart(text, body);
  if (part === null || part.number !== Number(sequence[1]) || part.total !== Number(sequence[2]))
    throw badFrame(index, 'is damaged: what it says of itself does not fit together');
  if (part.total > MAX_FRAMES) throw badFrame(index, `is one of ${part.total}, and ${MAX_FRAMES} are the most`);
  return { body, part };
}

/** [number, of how many, bytes of the whole, its CRC-32, fragment] */
function parsePart(text: string, body: Uint8Array): Part | null {
  const reader = new CborReader(body);
  if (reader.array() !== 5) return null;
  const [number, total, length, checksum] = [reader.uint(), reader.uint(), reader.uint(), reader.uint()];
  const fragment = reader.byteString();
  if (number === null || total === null || length === null || checksum === null || fragment === null) return null;
  // Every fragment is filled up to one length, so that the content reaches into the last one.
  const fits = length > fragment.length * (total - 1) && length <= fragment.length * total;
  return reader.done && fits ? { text, number, total, length, checksum, fragment } : null;
}

/** First and last letter of each of the 256 words, by the byte: read off an encoding of all bytes. */
const WORD_OF_LETTERS: ReadonlyMap<string, number> = (() => {
  const all = UREncoder.encodeSinglePart(new UR(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), 'bytes'));
  const letters = all.slice('ur:bytes/'.length);
  return new Map(Array.from({ length: 256 }, (_, byte) => [letters.slice(byte * 2, byte * 2 + 2), byte]));
})();

/** Minimal bytewords without their checksum, or null where something is wrong. */
function decodeBytewords(letters: string): Buffer | null {
  if (letters.length % 2 !== 0 || letters.length < 10) return null;
  const bytes = Buffer.alloc(letters.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    const byte = WORD_OF_LETTERS.get(letters.slice(at * 2, at * 2 + 2));
    if (byte === undefined) return null;
    bytes[at] = byte;
  }
  const body = bytes.subarray(0, -4);
  return crc32(body) === bytes.readUInt32BE(body.length) ? body : null;
}
