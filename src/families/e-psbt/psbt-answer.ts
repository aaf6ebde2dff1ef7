/** A PSBT as every operation of the family answers it. */
import { z } from 'zod';
import { formatBtc } from '../../core/amount.ts';
import { hex } from '../../core/bytes.ts';
import type { DerivedBy } from '../../core/psbt/inspection/own-scripts.ts';
import type { InputView, KeyOriginView, OutputView } from '../../core/psbt/inspection/psbt-view.ts';
import type { PsbtData } from '../../core/psbt/jobs/psbt-data.ts';
import type { PlainExtracted } from '../../core/psbt/jobs/psbt-jobs.ts';
import { amountAnswer, formerName, namedObject } from '../fields.ts';
import { pathText, presentSighash } from './psbt-fields.ts';

const keyAnswer = namedObject('PsbtKey', {
  pubkey: z.string().meta({ description: 'Hex; x-only for taproot' }),
  fingerprint: z.string(),
  path: z.string(),
  leaf_hashes: z.array(z.string()).nullable(),
});

const derivedByAnswer = z
  .object({ descriptor: z.int(), branch: z.enum(['external', 'internal']), index: z.int().nullable() })
  .meta({ id: 'PsbtDerivedBy', description: 'Which of the given descriptors derives the script' });

const inputAnswer = namedObject('PsbtInput', {
  txid: z.string(),
  vout: z.int(),
  sequence: z.int(),
  required_time_locktime: z.int().nullable(),
  required_height_locktime: z.int().nullable(),
  address: z.string().nullable(),
  amount: amountAnswer.nullable(),
  amount_verified: z.boolean().meta({ description: 'By the whole previous transaction, which has this txid' }),
  script_pubkey: z.string().nullable().meta({ description: 'Of the output that is spent' }),
  script: formerName(z.string().nullable(), 'script_pubkey'),
  script_type: z
    .string()
    .nullable()
    .meta({ examples: ['p2wpkh', 'p2sh-p2wsh', 'p2tr'] }),
  redeem_script: z.string().nullable(),
  witness_script: z.string().nullable(),
  sighash_type: z
    .string()
    .nullable()
    .meta({ examples: ['ALL'] }),
  derivations: z.array(keyAnswer),
  signatures: z.array(
    z.object({
      pubkey: z.string(),
      fingerprint: z.string().nullable(),
      leaf_hash: z.string().nullable(),
      sighash_type: z.string(),
      valid: z.boolean().nullable().meta({ description: 'null where it cannot be checked' }),
    }),
  ),
  required_signatures: z.int().nullable(),
  missing: z
    .array(z.object({ pubkey: z.string(), fingerprint: z.string().nullable(), path: z.string().nullable() }))
    .meta({ description: 'Keys whose signature is still of use' }),
  lacks: z.string().nullable().meta({ description: 'What must still come, in words; null where it is final' }),
  finalized: z.boolean(),
  derived_by: derivedByAnswer.nullable(),
});

const outputAnswer = namedObject('PsbtOutput', {
  address: z.string().nullable(),
  amount: amountAnswer,
  script_pubkey: z.string().nullable().meta({ description: 'null where a silent payment is not computed yet' }),
  script: formerName(z.string().nullable(), 'script_pubkey'),
  script_type: z.string().nullable(),
  redeem_script: z.string().nullable(),
  witness_script: z.string().nullable(),
  derivations: z.array(keyAnswer),
  change: z.enum(['proved', 'unproved']).nullable().meta({
    description:
      'proved: a descriptor that was given derives this script; unproved: only the PSBT says that keys of a wallet are in it; null: a payment',
  }),
  derived_by: derivedByAnswer.nullable(),
});

export const psbtAnswer = namedObject('Psbt', {
  psbt: z.string().meta({ description: 'Base64' }),
  version: z.int().meta({ description: 'Of the PSBT: 2, or 0 where it was migrated back' }),
  complete: z.boolean().meta({ description: 'Every input is final' }),
  fee: amountAnswer.nullable().meta({ description: "null where an input's amount is not known" }),
  fee_verified: z.boolean().meta({ description: 'All full previous transactions are in the PSBT' }),
  unsigned_txid: z.string().nullable().meta({ description: 'null where the required locktimes have no common one' }),
  unsigned_transaction: z.string().nullable().meta({
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
  inputs: z.array(inputAnswer),
  outputs: z.array(outputAnswer),
  warnings: z.array(z.string()).meta({ description: 'What somebody who is asked to sign should know' }),
});

/** finalize and extract say the transaction, too. */
export const finalPsbtAnswer = namedObject('FinalPsbt', {
  ...psbtAnswer.shape,
  txid: z.string().nullable().meta({ description: 'null where an input is not final' }),
  transaction: z.string().nullable().meta({ description: 'Hex, for a node' }),
  vsize: z.int().nullable(),
});

export const presentFinalPsbt = (psbtData: PsbtData, extracted: PlainExtracted | null) => ({
  ...presentPsbt(psbtData),
  txid: (extracted?.txid ?? null) as string | null,
  transaction: hexOrNull(extracted?.raw ?? null),
  vsize: extracted?.vsize ?? null,
});

export const presentPsbt = ({ text, version, view }: PsbtData) => ({
  psbt: text,
  version: version as number,
  complete: view.complete,
  fee: amountOrNull(view.feeSats),
  fee_verified: view.feeVerified,
  unsigned_txid: view.unsignedTxid as string | null,
  unsigned_transaction: hexOrNull(view.unsignedTransaction),
  locktime: view.locktime,
  fallback_locktime: view.fallbackLocktime,
  tx_version: view.transactionVersion,
  tx_modifiable: {
    inputs: view.modifiable.inputs,
    outputs: view.modifiable.outputs,
    has_sighash_single: view.modifiable.hasSighashSingle,
  },
  inputs: view.inputs.map(presentInput),
  outputs: view.outputs.map(presentOutput),
  warnings: view.warnings,
});

const presentInput = (input: InputView) => ({
  txid: input.outpoint.txid as string,
  vout: input.outpoint.vout,
  sequence: input.sequence,
  required_time_locktime: input.requiredTime,
  required_height_locktime: input.requiredHeight,
  address: input.address,
  amount: amountOrNull(input.amountSats),
  amount_verified: input.amountVerified,
  script_pubkey: hexOrNull(input.scriptPubKey),
  script: hexOrNull(input.scriptPubKey),
  script_type: input.scriptType,
  redeem_script: hexOrNull(input.redeemScript),
  witness_script: hexOrNull(input.witnessScript),
  sighash_type: presentSighash(input.sighashType),
  derivations: input.derivations.map(presentKey),
  signatures: input.signatures.map((signature) => ({
    pubkey: signature.publicKey,
    fingerprint: signature.fingerprint,
    leaf_hash: signature.leafHash,
    sighash_type: presentSighash(signature.sighashType) as string,
    valid: signature.valid,
  })),
  required_signatures: input.required,
  missing: input.missing.map(({ publicKey, fingerprint, path }) => ({
    pubkey: publicKey,
    fingerprint,
    path: path === null ? null : pathText(path),
  })),
  lacks: input.lacks,
  finalized: input.finalized,
  derived_by: presentDerivedBy(input.derivedBy),
});

const presentOutput = (output: OutputView) => ({
  address: output.address,
  amount: formatBtc(output.amountSats),
  script_pubkey: hexOrNull(output.scriptPubKey),
  script: hexOrNull(output.scriptPubKey),
  script_type: output.scriptType,
  redeem_script: hexOrNull(output.redeemScript),
  witness_script: hexOrNull(output.witnessScript),
  derivations: output.derivations.map(presentKey),
  change: output.change,
  derived_by: presentDerivedBy(output.derivedBy),
});

const presentKey = ({ publicKey, fingerprint, path, leafHashes }: KeyOriginView) => ({
  pubkey: publicKey,
  fingerprint,
  path: pathText(path),
  leaf_hashes: leafHashes,
});

const presentDerivedBy = (by: DerivedBy | null) =>
  by === null ? null : { descriptor: by.descriptor, branch: by.branch, index: by.index };

const amountOrNull = (sats: bigint | null): string | null => (sats === null ? null : formatBtc(sats));
const hexOrNull = (bytes: Uint8Array | null): string | null => (bytes === null ? null : hex(bytes));
