/** QR codes (ISO/IEC 18004) as matrices and as SVG; PNG, which needs zlib, is in services/pictures/qr-png.ts. */
import { type ErrorCorrection, encodeQR } from 'qr';
import { DomainError } from '../errors.ts';

export interface QrOptions {
  /** What may be lost of the picture: low 7 %, medium 15 % (default), quartile 25 %, high 30 %. */
  readonly errorCorrection?: ErrorCorrection;
  /** 1 to 40; the smallest that holds the text unless said. */
  readonly version?: number;
}

/** Light modules around the symbol: the standard asks for four. */
const QUIET_ZONE = 4;

/** Pixels (or user units of SVG) per module unless said. */
export const DEFAULT_SCALE = 8;

/** Rows of modules, true for dark, quiet zone included. Throws `too_large` where no symbol (or not the asked one) holds the text. */
export function qrMatrix(text: string, options: QrOptions = {}): boolean[][] {
  const { errorCorrection: ecc = 'medium', version } = options;
  try {
    return encodeQR(text, 'raw', { ecc, border: QUIET_ZONE, ...(version === undefined ? {} : { version }) });
  } catch {
    throw new DomainError(
      'too_large',
      version === undefined
        ? `a QR code holds about 2,900 characters at the most, and this text has ${text.length}`
        : `a QR code of version ${version} cannot hold these ${text.length} characters`,
    );
  }
}

/** An SVG document: dark runs as one path on a white ground, `scale` user units per module. */
export function qrSvg(text: string, options: QrOptions & { readonly scale?: number } = {}): string {
  const { scale = DEFAULT_SCALE, ...symbol } = options;
  const rows = qrMatrix(text, symbol);
  const side = rows.length;
  const runs: string[] = [];
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < side; x++) {
      if (!row[x]) continue;
      const from = x;
      while (row[x + 1]) x++;
      const length = x + 1 - from;
      runs.push(`M${from} ${y}h${length}v1h-${length}z`);
    }
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side * scale}" height="${side * scale}" ` +
    `viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${side}v${side}H0z"/><path d="${runs.join('')}"/></svg>`
  );
}
