import { z } from 'zod';
import { hex } from '../../../../core/bytes.ts';
import type { Network } from '../../../../core/network.ts';
import { tapTweakHash } from '../../../../core/taproot/leaf-hash.ts';
import { taprootAddress } from '../../../../core/taproot/taproot-output.ts';
import { MUSIG_STATES, type MusigSessionRecord } from '../../../../services/taproot/musig/musig-sessions.ts';
import { idField, namedObject, timeAnswer } from '../../../fields.ts';
import { hexAnswer } from '../taproot-fields.ts';

export const sessionParams = z.strictObject({ musig_session_id: idField('mus') });

/** A participant is named by their key: hex, compressed. */
export const participantField = z
  .string()
  .regex(/^0[23][0-9a-fA-F]{64}$/, "must be a participant's compressed public key: 66 hex digits")
  .transform((text) => text.toLowerCase())
  .meta({ description: "A participant's compressed public key, hex" });

export const sessionAnswer = namedObject('MusigSession', {
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
  created_at: timeAnswer,
  updated_at: timeAnswer,
});

const presentTaproot = (merkleRoot: string | null, internalKey: string) => ({
  merkle_root: merkleRoot,
  tweak: hex(
    tapTweakHash(Buffer.from(internalKey, 'hex'), merkleRoot === null ? null : Buffer.from(merkleRoot, 'hex')),
  ),
});

export const presentSession = (session: MusigSessionRecord, network: Network) => ({
  musig_session_id: session.sessionId,
  name: session.name,
  external_id: session.externalId,
  state: session.state,
  message: session.message,
  sorted: session.sorted,
  tweaks: session.tweaks.map(({ tweak, xOnly }) => ({ tweak, x_only: xOnly })),
  taproot: session.taproot && presentTaproot(session.taproot.merkleRoot, session.internalKey as string),
  participants: session.participants.map(({ publicKey, publicNonce, partialSignature }) => ({
    public_key: publicKey,
    public_nonce: publicNonce,
    partial_signature: partialSignature,
  })),
  aggregate_key: session.aggregateKey,
  internal_key: session.internalKey,
  address: session.taproot && taprootAddress(Buffer.from(session.aggregateKey, 'hex'), network),
  aggregate_nonce: session.aggregateNonce,
  signature: session.signature,
  created_at: new Date(session.createdAt).toISOString(),
  updated_at: new Date(session.updatedAt).toISOString(),
});
