import { z } from 'zod';
import { hex } from '../../../../core/bytes.ts';
import { DomainError } from '../../../../core/errors.ts';
import type { Network } from '../../../../core/network.ts';
import { p2tr } from '../../../../core/scripts/output-scripts.ts';
import { taprootAddress } from '../../../../core/taproot/taproot-output.ts';
import { type TweakedKey, tweakPublicKey } from '../../../../core/taproot/tweak.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { answerWith, unnamedAnswer } from '../../../answer.ts';
import { computes } from '../../declarations.ts';
import { outputExample } from '../outputs/output-answer.ts';
import { bytesAnswer, hexAnswer, merkleRootField, xOnlyKeyField } from '../taproot-fields.ts';

const tweakedKey = unnamedAnswer(
  {
    internal_key: bytesAnswer('The key that was given'),
    merkle_root: bytesAnswer('null: no script tree').nullable(),
    tweak: bytesAnswer('The scalar that is added'),
    output_key: bytesAnswer('x-only output key'),
    parity: z.int().meta({ description: "Of the output key's y: 0 even, 1 odd" }),
    address: z.string(),
    script_pubkey: hexAnswer('OP_1 and the output key'),
  },
  ({ outputKey, network }: TweakedKey & { network: Network }) => ({
    address: taprootAddress(outputKey, network),
    script_pubkey: hex(p2tr(outputKey)),
  }),
);

export const computeTaprootTweak = ({ network }: Pick<TaprootService, 'network'>) =>
  operation({
    ...computes('Taproot', 'taproot'),
    id: 'taproot-tweak.compute',
    path: '/api/v1/taproot/tweaks',
    summary: 'Tweak an internal key',
    description:
      "BIP341's taproot_tweak_pubkey. Whoever has the private key adds the answered tweak to it themselves, or signs by POST " +
      '/api/v1/taproot/signatures with `taproot`: a tweaked private key is never answered.',
    secretBody: true,
    body: z.strictObject({
      internal_key: xOnlyKeyField('an x-only internal key'),
      merkle_root: merkleRootField.nullable().default(null).meta({ description: 'Of the script tree; null: none' }),
    }),
    success: {
      status: 200,
      answer: answerWith(tweakedKey, { network }),
      description: 'The output key',
    },
    errors: ['invalid_key'],
    example: {
      body: { internal_key: outputExample.internal_key, merkle_root: outputExample.merkle_root },
      response: {
        internal_key: outputExample.internal_key,
        merkle_root: outputExample.merkle_root,
        tweak: outputExample.tweak,
        output_key: outputExample.output_key,
        parity: outputExample.parity,
        address: outputExample.address,
        script_pubkey: outputExample.script_pubkey,
      },
    },
    run: async ({ body: { internal_key: internalKey, merkle_root: merkleRoot } }) => ({
      internalKey,
      merkleRoot,
      ...tweakedAt(internalKey, merkleRoot),
    }),
  });

function tweakedAt(publicKey: Uint8Array, merkleRoot: Uint8Array | null): TweakedKey {
  try {
    return tweakPublicKey(publicKey, merkleRoot);
  } catch (error) {
    throw error instanceof DomainError ? error.at('internal_key') : error;
  }
}
