import { z } from 'zod';
import type { Network } from '../../../../core/network.ts';
import { NETWORKS } from '../../../../core/network.ts';
import { type SpendableLeaf, type TaprootOutput, taprootAddress } from '../../../../core/taproot/taproot-output.ts';
import type { TaprootOutputView } from '../../../../services/taproot/taproot-outputs.ts';
import { answer, time } from '../../../answer.ts';
import { externalIdField, idField, nameField } from '../../../fields.ts';
import { bytesAnswer, hexAnswer, xOnlyKeyField } from '../taproot-fields.ts';

export const outputParams = z.strictObject({ output_id: idField('tro') });

export const internalKeyField = xOnlyKeyField('an x-only internal key');

/** What the owner calls it; not given: null. */
export const namesFields = {
  name: nameField.nullable().default(null),
  external_id: externalIdField.nullable().default(null),
};
export const namesOf = ({ name, external_id: externalId }: { name: string | null; external_id: string | null }) => ({
  name,
  externalId,
});

/** `hexOf` says whether the record has bytes or hex. */
const computed = <Hex extends z.ZodType>(hexOf: (description: string) => Hex) => ({
  network: z.enum(NETWORKS),
  internal_key: hexOf('x-only internal key'),
  merkle_root: hexOf("The script tree's root; null: spent by the key alone").nullable(),
  output_key: hexOf('x-only output key'),
  parity: z.int().meta({ description: "Of the output key's y: 0 even, 1 odd" }),
  address: z.string(),
  script_pubkey: hexOf('OP_1 and the output key'),
  leaf_count: z.int(),
});

const leaf = answer(
  'TaprootLeaf',
  {
    script: bytesAnswer('Script'),
    leaf_version: z.int(),
    leaf_hash: bytesAnswer('Tagged hash of version and script'),
    depth: z.int().meta({ description: 'Branches above it' }),
    control_block: bytesAnswer('What ends the witness of a spend by this leaf'),
  },
  ({ path }: SpendableLeaf) => ({ depth: path.length }),
);

const named = {
  output_id: z.string(),
  name: z.string().nullable(),
  external_id: z.string().nullable(),
};
const times = { created_at: time, updated_at: time };

/** An output as it is computed, nothing stored. */
export const computedOutput = answer(
  'ComputedTaprootOutput',
  {
    ...computed(bytesAnswer),
    tweak: bytesAnswer('What is added to the internal key'),
    leaves: z
      .array(leaf.schema)
      .meta({ description: 'From left to right; with the depths they are the tree (as in BIP371)' }),
  },
  ({ outputKey, leaves, network }: TaprootOutput & { network: Network }) => ({
    address: taprootAddress(outputKey, network),
    leaf_count: leaves.length,
  }),
);
/** In lists: without the leaves. */
export const listedOutput = answer('ListedTaprootOutput', { ...named, ...computed(hexAnswer), ...times });
export const taprootOutput = answer(
  'TaprootOutput',
  { ...named, ...computedOutput.shape, ...times },
  ({ record, output }: TaprootOutputView) => ({
    ...computedOutput.present({ ...output, network: record.network }),
    ...listedOutput.present(record),
  }),
);

/** The fifth output of BIP341's wallet test vectors: two leaves. */
export const outputExample = {
  output_id: 'tro_3mVb1k7Q2xYt9LpRw0Zc5A',
  name: 'Vault',
  external_id: null,
  network: 'regtest',
  internal_key: 'f9f400803e683727b14f463836e1e78e1c64417638aa066919291a225f0e8dd8',
  merkle_root: 'ab179431c28d3b68fb798957faf5497d69c883c6fb1e1cd9f81483d87bac90cc',
  output_key: '77e30a5522dd9f894c3f8b8bd4c4b2cf82ca7da8a3ea6a239655c39c050ab220',
  parity: 1,
  address: 'bcrt1pwl3s54fzmk0cjnpl3w9af39je7pv5ldg504x5guk2hpecpg2kgsq83vza4',
  script_pubkey: '512077e30a5522dd9f894c3f8b8bd4c4b2cf82ca7da8a3ea6a239655c39c050ab220',
  leaf_count: 2,
  tweak: '639f0281b7ac49e742cd25b7f188657626da1ad169209078e2761cefd91fd65e',
  leaves: [
    {
      script: '2044b178d64c32c4a05cc4f4d1407268f764c940d20ce97abfd44db5c3592b72fdac',
      leaf_version: 192,
      leaf_hash: '64512fecdb5afa04f98839b50e6f0cb7b1e539bf6f205f67934083cdcc3c8d89',
      depth: 1,
      control_block:
        'c1f9f400803e683727b14f463836e1e78e1c64417638aa066919291a225f0e8dd82cb2b90daa543b544161530c925f285b06196940d6085ca9474d41dc3822c5cb',
    },
    {
      script: '07546170726f6f74',
      leaf_version: 192,
      leaf_hash: '2cb2b90daa543b544161530c925f285b06196940d6085ca9474d41dc3822c5cb',
      depth: 1,
      control_block:
        'c1f9f400803e683727b14f463836e1e78e1c64417638aa066919291a225f0e8dd864512fecdb5afa04f98839b50e6f0cb7b1e539bf6f205f67934083cdcc3c8d89',
    },
  ],
  created_at: '2026-11-01T12:00:00.000Z',
  updated_at: '2026-11-01T12:00:00.000Z',
};

const {
  output_id: _,
  name: _name,
  external_id: _external,
  created_at: _created,
  updated_at: _updated,
  ...rest
} = outputExample;
export const computedExample = rest;
const { tweak: _tweak, leaves: _leaves, ...listed } = outputExample;
export const listedExample = listed;

export const treeExample = {
  internal_key: outputExample.internal_key,
  script_tree: outputExample.leaves.map(({ script }) => ({ script })),
};
