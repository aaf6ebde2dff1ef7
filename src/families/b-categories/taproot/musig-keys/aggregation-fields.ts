/** Whose keys are aggregated, and how (BIP327). */
import { z } from 'zod';
import { ecc } from '../../../../core/keys/ecc.ts';
import { bytesField, taprootOf, taprootTweakField } from '../taproot-fields.ts';

/** Each costs milliseconds of the process at every step of a session. */
const MAX_SIGNERS = 20;

const publicKeyField = bytesField('a compressed public key', 33)
  .refine((key) => ecc.isPoint(key), 'is not a point on secp256k1')
  .transform((key) => Uint8Array.from(key));

export const aggregationFields = {
  public_keys: z
    .array(publicKeyField)
    .min(2, 'must have at least 2 members')
    .max(MAX_SIGNERS, `must have at most ${MAX_SIGNERS} members`)
    .superRefine((keys, context) => {
      const seen = new Set<string>();
      for (const [place, key] of keys.entries()) {
        const text = Buffer.from(key).toString('hex');
        if (seen.has(text)) {
          context.addIssue({
            code: 'custom',
            message: 'is there twice: each participant has a key of their own',
            path: [place],
          });
        }
        seen.add(text);
      }
    })
    .meta({ description: 'Compressed public keys of all signers, hex' }),
  sort: z.boolean().default(true).meta({ description: 'Sort the keys first, as descriptors do (BIP390)' }),
  tweaks: z
    .array(
      z.strictObject({
        tweak: bytesField('a tweak', 32).transform((tweak) => Uint8Array.from(tweak)),
        x_only: z.boolean().default(false).meta({ description: 'As BIP341 tweaks; else as BIP32 does' }),
      }),
    )
    .max(20, 'must have at most 20 members')
    .default([])
    .meta({
      id: 'MusigTweaks',
      description: 'In the order in which they are applied, such as those of BIP32 derivations',
    }),
  taproot: taprootTweakField
    .optional()
    .meta({ description: 'Tweaked at last, so that the signature spends a taproot output' }),
};

interface Given {
  public_keys: Uint8Array[];
  sort: boolean;
  tweaks: readonly { tweak: Uint8Array; x_only: boolean }[];
  taproot?: { merkle_root: Buffer | null } | undefined;
}

export const aggregationOf = ({ public_keys: publicKeys, sort, tweaks, taproot }: Given) => ({
  publicKeys,
  sort,
  tweaks: tweaks.map(({ tweak, x_only: xOnly }) => ({ tweak, xOnly })),
  taproot: taprootOf(taproot),
});
