import { z } from 'zod';
import type { DescribedDescriptor } from '../../../../core/descriptors/describe-descriptor.ts';
import { type DescriptorKey, pathText } from '../../../../core/descriptors/descriptor-key.ts';
import { MAX_DESCRIPTOR_CHARACTERS } from '../../../../core/descriptors/parse-descriptor.ts';
import { namedObject } from '../../../fields.ts';

export const descriptorField = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_DESCRIPTOR_CHARACTERS, `must have at most ${MAX_DESCRIPTOR_CHARACTERS} characters`)
  .meta({ description: 'An output descriptor (BIP380) of public keys, with or without checksum' });

const plainKeyAnswer = z.object({
  expression: z.string().meta({ description: 'With origin, steps and wildcard' }),
  fingerprint: z.string().nullable().meta({ description: 'Of its origin, 8 hex digits' }),
  path: z.string().nullable().meta({ description: 'Of its origin: m/84h/1h/0h' }),
  extended: z
    .boolean()
    .meta({ description: 'An extended key (BIP32), not a plain one; of musig() whether all within it are' }),
  ranged: z.boolean(),
});

const keyAnswer = namedObject('DescriptorKey', {
  ...plainKeyAnswer.shape,
  participants: z.array(plainKeyAnswer).optional().meta({ description: 'Of musig() (BIP390): the keys within it' }),
});

const miniscriptAnswer = namedObject('Miniscript', {
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

export const describedAnswer = namedObject('Descriptor', {
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
  keys: z.array(keyAnswer),
  miniscripts: z.array(miniscriptAnswer),
  input_weight: z.int().nullable().meta({
    description:
      'Weight units of an input that spends it, signatures at their longest; of tr() by its key, or its dearest leaf where nobody has that',
  }),
});

const presentKey = (key: DescriptorKey) => ({
  expression: key.text,
  fingerprint: key.origin?.fingerprint ?? null,
  path: key.origin === null ? null : `m${pathText(key.origin.path)}`,
  extended: key.extended,
  ranged: key.ranged,
});

export const presentDescribed = (described: DescribedDescriptor & { network: string }) => ({
  descriptor: described.descriptor,
  checksum: described.checksum,
  type: described.type,
  network: described.network,
  ranged: described.ranged,
  solvable: described.solvable,
  has_private_keys: false as const,
  paths: described.paths,
  keys: described.keys.map((key) => ({
    ...presentKey(key),
    ...(key.musig && { participants: key.musig.participants.map(presentKey) }),
  })),
  miniscripts: described.miniscripts.map((miniscript) => ({
    expression: miniscript.expression,
    context: miniscript.context,
    sane: miniscript.sane,
    issues: miniscript.issues,
    needs_signature: miniscript.needsSignature,
    non_malleable: miniscript.nonMalleable,
    mixes_timelocks: miniscript.mixesTimelocks,
    repeats_keys: miniscript.repeatsKeys,
    script_size: miniscript.scriptSize,
    witness_size: miniscript.witnessSize,
  })),
  input_weight: described.inputWeight,
});

export const DESCRIPTOR_ERRORS = ['invalid_descriptor', 'wrong_network', 'unsupported', 'invalid_address'] as const;

/** BIP84's test vector's account, for test networks. */
export const EXAMPLE_DESCRIPTOR =
  'wpkh([73c5da0a/84h/1h/0h]tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M/<0;1>/*)';
