import { z } from 'zod';
import { qrSvg } from '../../../../core/pictures/qr-code.ts';
import { qrPng } from '../../../../services/pictures/qr-png.ts';
import { answer } from '../../../answer.ts';
import { namedRequest } from '../../../fields.ts';

const MAX_PIXELS_PER_MODULE = 32;

export const imageField = namedRequest('QrImageOptions', {
  format: z.enum(['svg', 'png']),
  scale: z
    .int()
    .min(1, `must be between 1 and ${MAX_PIXELS_PER_MODULE}`)
    .max(MAX_PIXELS_PER_MODULE, `must be between 1 and ${MAX_PIXELS_PER_MODULE}`)
    .default(8)
    .meta({ description: 'Pixels per module' }),
  error_correction: z
    .enum(['low', 'medium', 'quartile', 'high'])
    .default('medium')
    .meta({ description: 'What may be lost of the picture: 7, 15, 25 or 30 %' }),
});

export const qrImage = answer('QrImage', {
  format: z.enum(['svg', 'png']),
  media_type: z.string(),
  encoding: z.enum(['utf-8', 'base64']),
  data: z.string(),
});

/** Bytes of a request whose picture is drawn within some milliseconds. */
const SMALL_BYTES = 400;
const SMALL_SCALE = 8;

/** Told by what the request says of it, unchecked. */
export const isLargePicture = (bytes: number, image: unknown): boolean =>
  bytes > SMALL_BYTES || !((((image ?? {}) as { scale?: number }).scale ?? SMALL_SCALE) <= SMALL_SCALE);

/** Throws `too_large` where no QR code holds the text. */
export function imageOf(text: string, options: z.output<typeof imageField>): Parameters<typeof qrImage.present>[0] {
  const symbol = { scale: options.scale, errorCorrection: options.error_correction };
  return options.format === 'svg'
    ? { format: 'svg', mediaType: 'image/svg+xml', encoding: 'utf-8', data: qrSvg(text, symbol) }
    : { format: 'png', mediaType: 'image/png', encoding: 'base64', data: qrPng(text, symbol).toString('base64') };
}
