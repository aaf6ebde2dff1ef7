/** A QR code as a PNG file: one bit per pixel, two grey levels (PNG, W3C third edition). */
import { crc32, deflateSync } from 'node:zlib';
import { DEFAULT_SCALE, type QrOptions, qrMatrix } from '../../core/pictures/qr-code.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Bit depth 1, greyscale, deflate, adaptive filtering, not interlaced. */
const ONE_BIT_GREY = Buffer.of(1, 0, 0, 0, 0);

/** The file's bytes, `scale` pixels per module. Throws `too_large` as qrMatrix does. */
export function qrPng(text: string, options: QrOptions & { readonly scale?: number } = {}): Buffer {
  const { scale = DEFAULT_SCALE, ...symbol } = options;
  const rows = qrMatrix(text, symbol);
  const side = rows.length * scale;
  const header = Buffer.alloc(8);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([header, ONE_BIT_GREY])),
    chunk('IDAT', deflateSync(scanlines(rows, scale))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The image as a data: URI, which a page or a JSON answer can carry. */
export const qrPngDataUri = (text: string, options: QrOptions & { readonly scale?: number } = {}): string =>
  `data:image/png;base64,${qrPng(text, options).toString('base64')}`;

/** Every line starts with its filter, none; a set bit is white. */
function scanlines(rows: readonly (readonly boolean[])[], scale: number): Buffer {
  const width = rows.length * scale;
  const stride = 1 + Math.ceil(width / 8);
  const pixels = Buffer.alloc(stride * width);
  for (const [y, row] of rows.entries()) {
    const line = Buffer.alloc(stride);
    for (let x = 0; x < width; x++) if (!row[Math.floor(x / scale)]) line[1 + (x >> 3)]! |= 0x80 >> (x & 7);
    for (let copy = 0; copy < scale; copy++) line.copy(pixels, (y * scale + copy) * stride);
  }
  return pixels;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
