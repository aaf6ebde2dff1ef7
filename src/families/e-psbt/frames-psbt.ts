import { z } from 'zod';
import { psbtFromText } from '../../core/psbt/codec/psbt-text.ts';
import { serializePsbt } from '../../core/psbt/codec/serialize-psbt.ts';
import { operation } from '../../hooks/operation.ts';
import { BBQR_VERSIONS } from '../../services/psbt/frames/bbqr-frames.ts';
import { framesOf } from '../../services/psbt/frames/psbt-frames.ts';
import { FRAMES_EXAMPLE, PSBT_EXAMPLE } from '../psbt-examples.ts';
import { ANYONE_WHO_READS, PSBT_OPERATION } from './psbt-declaration.ts';
import { psbtField } from './psbt-fields.ts';

export const framesPsbt = () =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.frames',
    path: '/api/psbt/v2/frames',
    summary: 'Show a PSBT to a signer without a network',
    description:
      'The frames of an animated QR code, as UR (`ur:psbt`) or BBQr, as texts and on request as pictures. Show them one after the ' +
      'other, four to eight a second, over and over. A PSBT of version 0 is taken, too: many signers read no other.',
    access: ANYONE_WHO_READS,
    body: z.strictObject({
      psbt: psbtField,
      format: z.enum(['ur', 'bbqr']).default('ur'),
      image: z.enum(['none', 'svg', 'png']).default('none'),
      max_fragment_length: z
        .int()
        .min(10, 'must be at least 10')
        .max(1_000, 'must be at most 1000')
        .default(200)
        .meta({ description: 'ur: bytes in one frame; less is easier to film' }),
      extra_frames: z.int().min(0, 'must not be negative').max(250, 'must be at most 250').default(0).meta({
        description: 'ur: fountain frames beyond the needed ones, each of which can stand for one that was missed',
      }),
      ur_type: z
        .enum(['psbt', 'crypto-psbt'])
        .default('psbt')
        .meta({ description: 'ur: crypto-psbt is the older name of the type, for older signers' }),
      max_qr_version: z
        .int()
        .min(BBQR_VERSIONS.least, `must be at least ${BBQR_VERSIONS.least}`)
        .max(BBQR_VERSIONS.most, `must be at most ${BBQR_VERSIONS.most}`)
        .default(27)
        .meta({ description: 'bbqr: the largest QR code that the signer can read' }),
    }),
    success: {
      status: 200,
      schema: z.object({
        format: z.enum(['ur', 'bbqr']),
        needed: z.int().meta({ description: 'Frames that carry the PSBT once' }),
        qr_version: z.int().nullable().meta({ description: 'Of every frame of BBQr' }),
        frames: z.array(
          z.object({
            text: z.string().meta({ description: 'What the QR code holds' }),
            image: z.string().nullable().meta({ description: 'SVG, or a data: URI of a PNG' }),
          }),
        ),
      }),
      description: 'The frames in the order to show them',
    },
    errors: ['invalid_psbt', 'too_large'],
    example: { body: { psbt: PSBT_EXAMPLE.psbt, format: 'ur' }, response: FRAMES_EXAMPLE },
    run: ({ body }) =>
      framesOf(
        serializePsbt(psbtFromText(body.psbt)),
        body.format === 'ur'
          ? {
              format: 'ur',
              type: body.ur_type,
              maxFragmentLength: body.max_fragment_length,
              extraFrames: body.extra_frames,
            }
          : { format: 'bbqr', maxVersion: body.max_qr_version },
        body.image,
      ),
    present: ({ format, needed, qrVersion, frames }) => ({ format, needed, qr_version: qrVersion, frames }),
  });
