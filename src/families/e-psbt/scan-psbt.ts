import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { parsePsbt } from '../../core/psbt/codec/parse-psbt.ts';
import { psbtToBase64 } from '../../core/psbt/codec/psbt-text.ts';
import { operation } from '../../hooks/operation.ts';
import { scanFrames } from '../../services/psbt/frames/psbt-frames.ts';
import { MAX_FRAMES, type Scanned } from '../../services/psbt/frames/scanned.ts';
import { FRAMES_EXAMPLE, SCAN_EXAMPLE } from '../psbt-examples.ts';
import { ANYONE_WHO_READS, PSBT_OPERATION } from './psbt-declaration.ts';

/** Characters of the largest QR code. */
const MAX_FRAME_LENGTH = 4_296;

export const scanPsbt = () =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.scan',
    path: '/api/psbt/v2/scan',
    summary: 'Put filmed frames together',
    description:
      'The way back from a signer: frames of UR or BBQr in any order, as often as they were read. While some are missing it says which, ' +
      'and `psbt` is null. What comes back is of version 0 or 2 (migrate takes the former); a signer may also answer the final transaction.',
    access: ANYONE_WHO_READS,
    body: z.strictObject({
      frames: z
        .array(z.string().min(1, 'must not be empty').max(MAX_FRAME_LENGTH, 'is longer than any QR code holds'))
        .min(1, 'must have at least one frame')
        .max(MAX_FRAMES, `must have at most ${MAX_FRAMES} frames`),
    }),
    success: {
      status: 200,
      schema: z.object({
        format: z.enum(['ur', 'bbqr']),
        total: z.int().meta({ description: 'Frames that carry the content once' }),
        received: z.int().meta({ description: 'Of those, read or worked out' }),
        missing: z.array(z.int()).meta({ description: 'Numbers of those that are not, from 1' }),
        psbt: z.string().nullable().meta({ description: 'Base64' }),
        version: z.int().nullable().meta({ description: 'Of the PSBT: 0 or 2' }),
        transaction: z.string().nullable().meta({ description: 'Hex, where the frames hold a transaction' }),
      }),
      description: 'What the frames come to so far',
    },
    errors: ['invalid_psbt'],
    example: { body: { frames: FRAMES_EXAMPLE.frames.map(({ text }) => text) }, response: SCAN_EXAMPLE },
    run: async ({ body }) => withPsbt(await scanFrames(body.frames)),
    present: ({ scanned: { format, total, received, missing, content }, psbt }) => ({
      format,
      total,
      received,
      missing,
      psbt: psbt === null ? null : psbtToBase64(psbt),
      version: psbt?.version ?? null,
      transaction: content?.kind === 'transaction' ? Buffer.from(content.bytes).toString('hex') : null,
    }),
  });

/** Throws `invalid_psbt` where the frames hold something else. */
function withPsbt(scanned: Scanned) {
  if (scanned.content?.kind !== 'psbt') return { scanned, psbt: null };
  try {
    return { scanned, psbt: parsePsbt(scanned.content.bytes) };
  } catch (error) {
    throw error instanceof DomainError ? error.at('frames') : error;
  }
}
