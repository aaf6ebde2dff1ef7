import { z } from 'zod';
import { hex } from '../../../../core/bytes.ts';
import type { Network } from '../../../../core/network.ts';
import { tapTweakHash } from '../../../../core/taproot/leaf-hash.ts';
import { taprootAddress } from '../../../../core/taproot/taproot-output.ts';
import { MUSIG_STATES, type MusigSessionRecord } from '../../../../services/taproot/musig/musig-sessions.ts';
import { answer, time } from '../../../answer.ts';
import { idField } from '../../../fields.ts';
import { hexAnswer } from '../taproot-fields.ts';

export const sessionParams = z.strictObject({ musig_session_id: idField('mus') });

/** A participant is named by their key: hex, compressed. */
export const participantField = z
  .string()
  .regex(/^0[23][0-9a-fA-F]{64}$/, "must be a participant's compressed public key: 66 hex digits")
  .transform((text) => text.toLowerCase())
  .meta({ description: "A participant's compressed public key, hex" });

export const musigSession = answer(
  'MusigSession',
  {
    musig_session_id: z.string(),
    name: z.string().nullable(),
    external_id: z.string().nullable(),
    state: z.enum(MUSIG_STATES),
    message: hexAnswer('What is signed'),
    sorted: z.boolean().meta({ description: 'The keys were sorted for aggregation (KeySort)' }),
    tweaks: z.array(z.object({ tweak: hexAnswer('Scalar'), x_only: z.boolean() })),
    taproot: z
      .object({
        merkle_root: z.string().nullable(),
        tweak: hexAnswer('The last tweak that every signer applies, x-only'),
      })
      .nullable(),
    participants: z
      .array(
        z.object({
          public_key: hexAnswer('Compressed'),
          public_nonce: hexAnswer('66 bytes').nullable(),
          partial_signature: hexAnswer('32 bytes').nullable(),
        }),
      )
      .meta({ description: 'In the order of aggregation, which every signer must use' }),
    aggregate_key: hexAnswer('x-only, tweaked: what the signature verifies under'),
    internal_key: hexAnswer('x-only, before the taproot tweak; null without one').nullable(),
    address: z
      .string()
      .nullable()
      .meta({ description: 'Of the taproot output with this key; null without a taproot tweak' }),
    aggregate_nonce: hexAnswer('66 bytes, once every participant has given theirs').nullable(),
    signature: hexAnswer('BIP340 signature, 64 bytes, once complete').nullable(),
    created_at: time,
    updated_at: time,
  },
  ({ sessionId, taproot, internalKey, aggregateKey, network }: MusigSessionRecord & { network: Network }) => ({
    musig_session_id: sessionId,
    taproot: taproot && {
      merkle_root: taproot.merkleRoot,
      tweak: hex(
        tapTweakHash(fromHex(internalKey as string), taproot.merkleRoot === null ? null : fromHex(taproot.merkleRoot)),
      ),
    },
    address: taproot && taprootAddress(fromHex(aggregateKey), network),
  }),
);

const fromHex = (text: string) => Buffer.from(text, 'hex');
