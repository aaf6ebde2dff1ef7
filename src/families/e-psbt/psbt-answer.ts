/** A PSBT as every operation of the family answers it. */
import { z } from 'zod';
import { hex } from '../../core/bytes.ts';
import type { InputView, SignatureView } from '../../core/psbt/inspection/psbt-view.ts';
import type { PsbtData } from '../../core/psbt/jobs/psbt-data.ts';
import type { PlainExtracted } from '../../core/psbt/jobs/psbt-jobs.ts';
import { amount, answer, bytes, unnamedAnswer } from '../answer.ts';
import { formerName, namedObject } from '../fields.ts';
import { pathCodec, sighashText } from './psbt-fields.ts';

const pubkeyOf = ({ publicKey }: { readonly publicKey: string }) => ({ pubkey: publicKey });

const key = answer(
  'PsbtKey',
  {
    pubkey: z.string().meta({ description: 'Hex; x-only for taproot' }),
    fingerprint: z.string(),
    path: pathCodec,
    leaf_hashes: z.array(z.string()).nullable(),
  },
  pubkeyOf,
);

const signature = unnamedAnswer(
  {
    pubkey: z.string(),
    fingerprint: z.string().nullable(),
    leaf_hash: z.string().nullable(),
    sighash_type: z.string(),
    valid: z.boolean().nullable().meta({ description: 'null where it cannot be checked' }),
  },
  (made: SignatureView) => ({ ...pubkeyOf(made), sighash_type: sighashText(made.sighashType) }),
);

const missing = unnamedAnswer(
  { pubkey: z.string(), fingerprint: z.string().nullable(), path: pathCodec.nullable() },
  pubkeyOf,
);

/** Beside the deprecated name the same. */
const formerScript = ({ scriptPubKey }: { readonly scriptPubKey: Uint8Array | null }) => ({
  script: scriptPubKey && hex(scriptPubKey),
});

const derivedByAnswer = z
  .object({ descriptor: z.int(), branch: z.enum(['external', 'internal']), index: z.int().nullable() })
  .meta({ id: 'PsbtDerivedBy', description: 'Which of the given descriptors derives the script' });

const input = answer(
  'PsbtInput',
  {
    txid: z.string(),
    vout: z.int(),
    sequence: z.int(),
    required_time_locktime: z.int().nullable(),
    required_height_locktime: z.int().nullable(),
    address: z.string().nullable(),
    amount: amount.nullable(),
    amount_verified: z.boolean().meta({ description: 'By the whole previous transaction, which has this txid' }),
    script_pubkey: bytes.nullable().meta({ description: 'Of the output that is spent' }),
    script: formerName(z.string().nullable(), 'script_pubkey'),
    script_type: z
      .string()
      .nullable()
      .meta({ examples: ['p2wpkh', 'p2sh-p2wsh', 'p2tr'] }),
    redeem_script: bytes.nullable(),
    witness_script: bytes.nullable(),
    sighash_type: z
      .string()
      .nullable()
      .meta({ examples: ['ALL'] }),
    derivations: z.array(key.schema),
    signatures: z.array(signature.schema),
    required_signatures: z.int().nullable(),
    missing: z.array(missing.schema).meta({ description: 'Keys whose signature is still of use' }),
    lacks: z.string().nullable().meta({ description: 'What must still come, in words; null where it is final' }),
    finalized: z.boolean(),
    derived_by: derivedByAnswer.nullable(),
  },
  (view: InputView) => ({
    ...view.outpoint,
    ...formerScript(view),
    sighash_type: view.sighashType === null ? null : sighashText(view.sighashType),
  }),
);

const output = answer(
  'PsbtOutput',
  {
    address: z.string().nullable(),
    amount: amount,
    script_pubkey: bytes.nullable().meta({ description: 'null where a silent payment is not computed yet' }),
    script: formerName(z.string().nullable(), 'script_pubkey'),
    script_type: z.string().nullable(),
    redeem_script: bytes.nullable(),
    witness_script: bytes.nullable(),
    derivations: z.array(key.schema),
    change: z.enum(['proved', 'unproved']).nullable().meta({
      description:
        'proved: a descriptor that was given derives this script; unproved: only the PSBT says that keys of a wallet are in it; null: a payment',
    }),
    derived_by: derivedByAnswer.nullable(),
  },
  formerScript,
);

const view = answer('Psbt', {
  psbt: z.string().meta({ description: 'Base64' }),
  version: z.int().meta({ description: 'Of the PSBT: 2, or 0 where it was migrated back' }),
  complete: z.boolean().meta({ description: 'Every input is final' }),
  fee: amount.nullable().meta({ description: "null where an input's amount is not known" }),
  fee_verified: z.boolean().meta({ description: 'All full previous transactions are in the PSBT' }),
  unsigned_txid: z.string().nullable().meta({ description: 'null where the required locktimes have no common one' }),
  unsigned_transaction: bytes.nullable().meta({
    description:
      'Hex, without signatures, as /api/v1/taproot takes it; null where there is none yet: no inputs, or no unsigned_txid',
  }),
  locktime: z.int().nullable(),
  fallback_locktime: z.int().nullable(),
  tx_version: z.int(),
  tx_modifiable: namedObject('PsbtModifiable', {
    inputs: z.boolean(),
    outputs: z.boolean(),
    has_sighash_single: z.boolean(),
  }),
  inputs: z.array(input.schema),
  outputs: z.array(output.schema),
  warnings: z.array(z.string()).meta({ description: 'What somebody who is asked to sign should know' }),
});

export const psbtAnswer = {
  ...view,
  present: ({ text, version, view: said }: PsbtData) => view.present({ ...said, psbt: text, version }),
};

/** finalize and extract say the transaction, too. */
export const finalPsbtAnswer = answer(
  'FinalPsbt',
  {
    ...view.shape,
    txid: z.string().nullable().meta({ description: 'null where an input is not final' }),
    transaction: z.string().nullable().meta({ description: 'Hex, for a node' }),
    vsize: z.int().nullable(),
  },
  ({ psbtData, extracted }: { readonly psbtData: PsbtData; readonly extracted: PlainExtracted | null }) => ({
    ...psbtAnswer.present(psbtData),
    txid: extracted?.txid ?? null,
    transaction: extracted && hex(extracted.raw),
    vsize: extracted?.vsize ?? null,
  }),
);
