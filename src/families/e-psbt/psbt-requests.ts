/** Inputs and outputs as callers describe them: for create, construct and update. */
import { z } from 'zod';
import { MAX_INPUTS, MAX_OUTPUTS } from '../../core/psbt/psbt-size.ts';
import { formerName, namedRequest, ONE_OUTPUT, oneOutput, txidField } from '../fields.ts';
import {
  fingerprintField,
  hashField,
  hexField,
  outputAmountField,
  pathField,
  psbtField,
  publicKeyField,
  scriptField,
  sighashField,
  transactionField,
  uint32Field,
  xOnlyKeyField,
} from './psbt-fields.ts';

const MAX_KEYS = 1_000;
/** BIP370: locktimes below it are heights, from it on times. */
const LOCKTIME_THRESHOLD = 500_000_000;

const addressField = z
  .string()
  .min(1, 'must not be empty')
  .max(120, 'must be a Bitcoin address')
  .meta({ description: 'Bitcoin address', examples: ['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'] });

/** An output by its address or by its script. */
const payee = {
  address: addressField.optional(),
  script_pubkey: scriptField.optional().meta({ description: 'Hex; in the place of address' }),
  script: formerName(scriptField.optional(), 'script_pubkey'),
  amount: outputAmountField,
};

const ONE_OF_THEM = { error: ONE_OUTPUT, path: ['script_pubkey'] };

const origin = { fingerprint: fingerprintField.meta({ description: "Master key's fingerprint" }), path: pathField };

const derivations = z
  .array(
    namedRequest('Bip32Derivation', {
      pubkey: publicKeyField,
      ...origin,
      leaf_hashes: z.null().optional().meta({ description: 'As answers have it of keys that are not in tr()' }),
    }),
  )
  .max(MAX_KEYS, `must have at most ${MAX_KEYS} keys`);

const tapDerivations = z
  .array(
    namedRequest('TapBip32Derivation', {
      pubkey: xOnlyKeyField,
      leaf_hashes: z.array(hashField).max(1_000, 'must have at most 1000 hashes').default([]),
      ...origin,
    }),
  )
  .max(MAX_KEYS, `must have at most ${MAX_KEYS} keys`);

const CONTROL_BLOCK_BYTES = 33 + 32 * 128;

/** What an updater adds to an input. */
export const inputFacts = {
  witness_utxo: z
    .strictObject(payee)
    .refine(oneOutput, ONE_OF_THEM)
    .meta({ id: 'WitnessUtxo', description: 'The output that is spent, of segwit inputs' }),
  non_witness_utxo: transactionField.meta({ description: 'The whole transaction that made the output, hex' }),
  redeem_script: scriptField.meta({ description: 'The script behind a P2SH output, hex' }),
  witness_script: scriptField.meta({ description: 'The script behind a P2WSH output, hex' }),
  bip32_derivation: derivations.meta({ description: 'Public keys in its scripts, and where they come from' }),
  sighash_type: sighashField,
  tap_internal_key: xOnlyKeyField.meta({ description: "Taproot's internal key, x-only, hex (BIP371)" }),
  tap_bip32_derivation: tapDerivations.meta({
    description: 'x-only keys of the key path and of leaves, and where they come from (BIP371)',
  }),
  tap_leaf_script: z
    .array(
      namedRequest('TapLeafScript', {
        control_block: hexField(CONTROL_BLOCK_BYTES, 'c0…'),
        script: scriptField,
        leaf_version: z.int().min(0).max(254).default(0xc0),
      }),
    )
    .max(1_000, 'must have at most 1000 leaves')
    .meta({ description: 'Leaves that may be spent by, each with its control block (BIP371)' }),
  tap_merkle_root: hashField.meta({ description: 'Root of the script tree, hex; left out where there is none' }),
  preimages: z
    .array(
      namedRequest('HashPreimage', {
        hash: z
          .enum(['sha256', 'hash256', 'ripemd160', 'hash160'])
          .meta({ description: 'Of hash locks in its script' }),
        preimage: hexField(520, 'ab'.repeat(32)),
      }),
    )
    .max(100, 'must have at most 100 preimages')
    .meta({ description: 'Preimages of hashes in its scripts' }),
};

const newInputBody = namedRequest('NewPsbtInput', {
  txid: txidField,
  vout: uint32Field,
  sequence: uint32Field.optional().meta({ description: 'Default: 4294967295' }),
  required_time_locktime: z
    .int()
    .min(LOCKTIME_THRESHOLD, 'must be a time: at least 500000000 (Unix seconds)')
    .max(0xffffffff, 'must be at most 4294967295')
    .optional(),
  required_height_locktime: z
    .int()
    .min(1, 'must be a block height: at least 1')
    .max(LOCKTIME_THRESHOLD - 1, 'must be a block height: below 500000000')
    .optional(),
  ...z.strictObject(inputFacts).partial().shape,
});

/** What an updater adds to an output. */
export const outputFacts = {
  redeem_script: scriptField.meta({ description: 'The script behind a P2SH output, hex' }),
  witness_script: scriptField.meta({ description: 'The script behind a P2WSH output, hex' }),
  bip32_derivation: derivations.meta({ description: 'Public keys in its scripts, and where they come from' }),
  tap_internal_key: xOnlyKeyField.meta({ description: "Taproot's internal key, x-only, hex (BIP371)" }),
  tap_tree: z
    .array(
      namedRequest('TapTreeLeaf', {
        depth: z.int().min(0).max(128),
        script: scriptField,
        leaf_version: z.int().min(0).max(254).default(0xc0),
      }),
    )
    .max(1_000, 'must have at most 1000 leaves')
    .meta({ description: 'The script tree, depth first, each leaf with its depth (BIP371)' }),
  tap_bip32_derivation: tapDerivations.meta({
    description: 'x-only keys of the key path and of leaves, and where they come from (BIP371)',
  }),
};

const newOutputBody = z
  .strictObject({ ...payee, ...z.strictObject(outputFacts).partial().shape })
  .refine(oneOutput, ONE_OF_THEM)
  .meta({ id: 'NewPsbtOutput' });

export const newInputsField = z
  .array(newInputBody)
  .max(MAX_INPUTS, `must have at most ${MAX_INPUTS} inputs`)
  .meta({ description: 'The outputs that are spent, and what signers need of them' });
export const newOutputsField = z
  .array(newOutputBody)
  .max(MAX_OUTPUTS, `must have at most ${MAX_OUTPUTS} outputs`)
  .meta({ description: 'What is paid, in the order of the transaction' });

export const modifiableField = z
  .strictObject({
    inputs: z.boolean(),
    outputs: z.boolean(),
  })
  .meta({
    id: 'TxModifiable',
    description: 'Whether inputs and outputs may still be added and removed (PSBT_GLOBAL_TX_MODIFIABLE)',
  });

export const descriptorsField = z
  .array(z.string().min(1, 'must not be empty').max(10_000, 'must have at most 10000 characters'))
  .max(20, 'must have at most 20 descriptors')
  .meta({ description: 'Public output descriptors of the own wallet (BIP380 to 389)' });

export type NewInputBody = z.output<typeof newInputBody>;
export type NewOutputBody = z.output<typeof newOutputBody>;

/** So that nobody's request is a thousand in one. */
const MAX_PSBTS = 100;

export const psbtsBody = namedRequest('PsbtList', {
  psbts: z
    .array(psbtField)
    .min(1, 'must have at least one PSBT')
    .max(MAX_PSBTS, `must have at most ${MAX_PSBTS} PSBTs`)
    .meta({ description: 'PSBTs of version 2, in base64 or hex' }),
});
