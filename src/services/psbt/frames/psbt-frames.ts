/** A PSBT as frames of an animated QR code for signers without a network, and back. */
import { setImmediate } from 'node:timers/promises';
import { DomainError } from '../../../core/errors.ts';
import { qrSvg } from '../../../core/pictures/qr-code.ts';
import { qrPngDataUri } from '../../pictures/qr-png.ts';
import { bbqrFrames, scanBbqr } from './bbqr-frames.ts';
import { badFrame, type Scanned } from './scanned.ts';
import { scanUr, type UrOptions, urFrames } from './ur-frames.ts';

export type FrameImage = 'svg' | 'png' | 'none';

export type FrameFormat =
  | ({ readonly format: 'ur' } & UrOptions)
  | { readonly format: 'bbqr'; readonly maxVersion: number };

interface Frame {
  /** What the QR code holds. */
  readonly text: string;
  /** SVG document or data: URI of a PNG; null where none was asked for. */
  readonly image: string | null;
}

export interface FrameShow {
  readonly format: 'ur' | 'bbqr';
  /** Frames that carry the content once; the others are spare. */
  readonly needed: number;
  /** Version of all QR codes; null where each has the smallest that holds it. */
  readonly qrVersion: number | null;
  readonly frames: readonly Frame[];
}

/** A picture takes milliseconds: so many of them are drawn at once. */
const MAX_PICTURES = 500;

/** Throws `too_large` where the format, or a request, holds no such PSBT. */
export async function framesOf(psbt: Uint8Array, format: FrameFormat, image: FrameImage): Promise<FrameShow> {
  if (format.format === 'bbqr') {
    const { version, frames } = bbqrFrames(psbt, format.maxVersion);
    const drawn = await withPictures(frames, image, version);
    return { format: 'bbqr', needed: frames.length, qrVersion: version, frames: drawn };
  }
  const { fragments, frames } = await urFrames(psbt, format);
  return { format: 'ur', needed: fragments, qrVersion: null, frames: await withPictures(frames, image, null) };
}

async function withPictures(texts: readonly string[], image: FrameImage, version: number | null): Promise<Frame[]> {
  if (image === 'none') return texts.map((text) => ({ text, image: null }));
  if (texts.length > MAX_PICTURES)
    throw new DomainError(
      'too_large',
      `pictures of up to ${MAX_PICTURES} frames are drawn, and there are ${texts.length}: ask without image, and draw the texts`,
      { field: 'image' },
    );
  // BBQr's frames are cut for the lowest error correction.
  const options = { errorCorrection: 'low', ...(version === null ? {} : { version }) } as const;
  const frames: Frame[] = [];
  for (const text of texts) {
    frames.push({ text, image: image === 'svg' ? qrSvg(text, options) : qrPngDataUri(text, { ...options, scale: 4 }) });
    await setImmediate();
  }
  return frames;
}

/** What the frames come to. Throws `invalid_value` naming the frame that is wrong. */
export async function scanFrames(frames: readonly string[]): Promise<Scanned> {
  const texts = frames.map((frame) => frame.trim());
  const isUr = (text: string) => /^ur:/i.test(text);
  const ur = isUr(texts[0] ?? '');
  for (const [index, text] of texts.entries()) {
    if (!isUr(text) && !text.startsWith('B$'))
      throw badFrame(index, 'is neither a UR ("UR:PSBT/1-3/…") nor a BBQr frame ("B$ZP0300…")');
    if (isUr(text) !== ur)
      throw badFrame(index, 'is of another format than the frames before it: send those of one picture');
  }
  return ur ? scanUr(texts) : scanBbqr(texts);
}
