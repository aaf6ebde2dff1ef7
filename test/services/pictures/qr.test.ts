import { inflateSync } from 'node:zlib';
import decodeQR from 'qr/decode.js';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { qrMatrix, qrSvg } from '../../../src/core/pictures/qr-code.ts';
import { qrPng, qrPngDataUri } from '../../../src/services/pictures/qr-png.ts';

const URI = 'bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.015&label=Invoice%2042';

/** Pixels as a reader of QR codes takes them: RGBA. */
function rgba(side: number, isDark: (x: number, y: number) => boolean) {
  const data = new Uint8ClampedArray(side * side * 4);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) data.fill(isDark(x, y) ? 0 : 255, (y * side + x) * 4, (y * side + x) * 4 + 3);
  for (let at = 3; at < data.length; at += 4) data[at] = 255;
  return { width: side, height: side, data };
}

/** The 1-bit PNG's pixels, its chunks read by their lengths. */
function readPng(png: Buffer) {
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  expect([...chunks.keys()]).toEqual(['IHDR', 'IDAT', 'IEND']);
  const side = (chunks.get('IHDR') as Buffer).readUInt32BE(0);
  const lines = inflateSync(chunks.get('IDAT') as Buffer);
  const stride = 1 + Math.ceil(side / 8);
  expect(lines.length).toBe(stride * side);
  return rgba(side, (x, y) => ((lines[y * stride + 1 + (x >> 3)] as number) & (0x80 >> (x & 7))) === 0);
}

/** The dark runs of the SVG's second path, painted. */
function readSvg(svg: string, scale: number) {
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const dark = new Set<string>();
  for (const [, x, y, length] of (svg.split('<path ')[2] as string).matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
    for (let step = 0; step < Number(length); step++) dark.add(`${Number(x) + step},${y}`);
  return rgba(side * scale, (x, y) => dark.has(`${Math.floor(x / scale)},${Math.floor(y / scale)}`));
}

describe('QR codes', () => {
  it('are read back from the PNG and from the SVG', () => {
    for (const text of [URI, 'UR:PSBT/1-3/LPADAXCFAODTCYLDVOCXBAHDHF', 'x'.repeat(1500), 'é☂']) {
      expect(decodeQR(readPng(qrPng(text, { scale: 4 })))).toBe(text);
      expect(decodeQR(readSvg(qrSvg(text), 4))).toBe(text);
    }
  });

  it('have four light modules around them', () => {
    const rows = qrMatrix(URI);
    expect(rows[3]?.includes(true)).toBe(false);
    expect(rows[4]?.[4]).toBe(true);
    expect(rows.every((row) => row.length === rows.length && !row.slice(0, 4).includes(true))).toBe(true);
  });

  it('are of the version asked for', () => {
    expect(qrMatrix('A', { version: 10 }).length).toBe(57 + 8);
    expect(qrPngDataUri('A')).toMatch(/^data:image\/png;base64,iVBORw0KGgo/);
  });

  it('refuse what no symbol holds, and what the asked one does not', () => {
    expect(() => qrSvg('x'.repeat(3000))).toThrow(DomainError);
    expect(() => qrPng('x'.repeat(100), { version: 1 })).toThrow(/version 1 cannot hold these 100 characters/);
  });
});
