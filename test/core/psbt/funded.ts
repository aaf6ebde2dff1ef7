import { ByteWriter } from '../../../src/core/blocks/byte-writer.ts';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import type { PsbtDraft, PsbtOutputDraft } from '../../../src/core/psbt/construction/psbt-draft.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { type PsbtSigningOptions, signPsbt } from '../../../src/core/psbt/signing/sign-psbt.ts';
import { signerFromKeyText } from '../../../src/core/psbt/signing/signers.ts';
import type { SpendCase, TestKey } from './spend-cases.ts';

export const CASE_SATS = 100_000n;
export const tools = { ecc, randomBytes: (size: number) => new Uint8Array(size).fill(7) };

/** A transaction, raw, with one output of CASE_SATS for each case; its own input spends nothing that is. */
export function fundingTransaction(cases: readonly SpendCase[]): Buffer {
  const writer = new ByteWriter().uint32(2).compactSize(1).bytes(Buffer.alloc(32, 1)).uint32(0).uint8(0).uint32(0);
  writer.compactSize(cases.length);
  for (const { script } of cases) writer.int64(CASE_SATS).prefixed(script);
  return writer.uint32(0).done();
}

/** A PSBT that spends the outputs of `funding` that belong to the cases, in the order of the cases given. */
export function spendingPsbt(
  funding: Uint8Array,
  spends: readonly { case: SpendCase; vout: number; sighashType?: number | undefined }[],
  outputs: readonly PsbtOutputDraft[],
  modifiable?: PsbtDraft['modifiable'],
): PsbtV2 {
  const { txid } = parseTransaction(funding);
  return createPsbt({
    modifiable,
    inputs: spends.map(({ case: one, vout, sighashType }) => ({
      outpoint: { txid, vout },
      ...one.lock,
      ...one.facts,
      ...(one.legacy ? { nonWitnessUtxo: funding } : { witnessUtxo: { amountSats: CASE_SATS, script: one.script } }),
      sighashType,
    })),
    outputs,
  });
}

export const signerOf = (key: TestKey) => signerFromKeyText(key.hex, 'regtest');

export function signWith(psbt: PsbtV2, key: TestKey, options: PsbtSigningOptions = {}): PsbtV2 {
  const signer = signerOf(key);
  try {
    return signPsbt(psbt, signer, tools, options).psbt;
  } finally {
    signer.dispose();
  }
}
