import { z } from 'zod';
import type { DescribedDescriptor } from '../../../../core/descriptors/describe-descriptor.ts';
import { type DescriptorKey, pathText } from '../../../../core/descriptors/descriptor-key.ts';
import { MAX_DESCRIPTOR_CHARACTERS } from '../../../../core/descriptors/parse-descriptor.ts';
import { answer, unnamedAnswer } from '../../../answer.ts';

export const descriptorField = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_DESCRIPTOR_CHARACTERS, `must have at most ${MAX_DESCRIPTOR_CHARACTERS} characters`)
  .meta({ description: 'An output descriptor (BIP380) of public keys, with or without checksum' });

const plainKey = unnamedAnswer(
  {
    expression: z.string().meta({ description: 'With origin, steps and wildcard' }),
    fingerprint: z.string().nullable().meta({ description: 'Of its origin, 8 hex digits' }),
    path: z.string().nullable().meta({ description: 'Of its origin: m/84h/1h/0h' }),
    extended: z
      .boolean()
      .meta({ description: 'An extended key (BIP32), not a plain one; of musig() whether all within it are' }),
    ranged: z.boolean(),
  },
  ({ text, origin }: DescriptorKey) => ({
    expression: text,
    fingerprint: origin?.fingerprint ?? null,
    path: origin === null ? null : `m${pathText(origin.path)}`,
  }),
);

const descriptorKey = answer(
  'DescriptorKey',
  {
    ...plainKey.shape,
    participants: z.array(plainKey.schema).optional().meta({ description: 'Of musig() (BIP390): the keys within it' }),
  },
  (key: DescriptorKey) => ({ ...plainKey.present(key), participants: key.musig?.participants.map(plainKey.present) }),
);

const miniscript = answer('Miniscript', {
  expression: z.string(),
  context: z.enum(['wsh', 'tapscript']),
  sane: z.boolean().meta({ description: 'Whether Bitcoin Core would take it' }),
  issues: z.array(z.string()),
  needs_signature: z.boolean(),
  non_malleable: z.boolean(),
  mixes_timelocks: z.boolean(),
  repeats_keys: z.boolean(),
  script_size: z.int().meta({ description: 'Bytes' }),
  witness_size: z
    .int()
    .nullable()
    .meta({ description: 'Bytes of the largest witness, the script left out; null where nothing satisfies it' }),
});

export const describedDescriptor = answer(
  'Descriptor',
  {
    descriptor: z.string().meta({ description: 'Canonical, with checksum' }),
    checksum: z.string().meta({ description: 'Of the text as it was given' }),
    type: z.string().meta({ description: 'wpkh, sh(wsh), tr, …' }),
    network: z.string(),
    ranged: z.boolean(),
    solvable: z.boolean().meta({ description: 'Whether it tells how its outputs are spent' }),
    has_private_keys: z
      .literal(false)
      .meta({ description: 'Descriptors with private keys are refused, and never kept or repeated' }),
    paths: z
      .array(z.string())
      .meta({ description: 'The descriptors of its multipath steps (BIP389); itself where it has none' }),
    keys: z.array(descriptorKey.schema),
    miniscripts: z.array(miniscript.schema),
    input_weight: z.int().nullable().meta({
      description:
        'Weight units of an input that spends it, signatures at their longest; of tr() by its key, or its dearest leaf where nobody has that',
    }),
  },
  (_: DescribedDescriptor) => ({ has_private_keys: false as const }),
);

export const DESCRIPTOR_ERRORS = ['invalid_descriptor', 'wrong_network', 'unsupported', 'invalid_address'] as const;

/** BIP84's test vector's account, for test networks. */
export const EXAMPLE_DESCRIPTOR =
  'wpkh([73c5da0a/84h/1h/0h]tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M/<0;1>/*)';
