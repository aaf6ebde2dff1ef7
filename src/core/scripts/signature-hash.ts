import type { ParsedOutput, ParsedTransaction } from '../blocks/transaction.ts';
import { internalHash } from '../outpoint.ts';
import { legacyHasher } from './legacy-signature-hash.ts';
import { segwitV0Hasher } from './segwit-signature-hash.ts';
import { type TapscriptContext, taprootHasher } from './taproot-signature-hash.ts';
import { amountBytes, createTransactionParts, type TransactionParts } from './transaction-parts.ts';

export {
  SIGHASH_ALL,
  SIGHASH_DEFAULT,
} from './sighash-type.ts';

/**
 * What signatures of one transaction sign. The hashes over all inputs and outputs are made once and shared by its inputs (BIP143, BIP341),
 * so that a transaction of n inputs costs n, not n squared. `hashType` is one of the defined ones: callers check.
 */
export interface SignatureHashes {
  /** Before segwit. Throws RangeError for SIGHASH_SINGLE without an output of that index, which signs a constant. */
  legacy(index: number, scriptCode: Uint8Array, hashType: number): Uint8Array;
  /** BIP143. Throws RangeError where the output that the input spends is not known. */
  segwitV0(index: number, scriptCode: Uint8Array, hashType: number): Uint8Array;
  /**
   * BIP341 and, with a leaf, BIP342. Throws RangeError for SIGHASH_SINGLE without an output of that index, and where a spent output that
   * the hash type covers is not known.
   */
  taproot(index: number, hashType: number, context?: TapscriptContext): Uint8Array;
}

export interface SignatureHasher extends SignatureHashes {
  readonly transaction: SignedForm;
  /** The outputs that the inputs spend, in the inputs' order. */
  readonly spent: readonly ParsedOutput[];
}

/** What of a transaction signatures are about. */
export type SignedForm = Pick<ParsedTransaction, 'version' | 'locktime' | 'inputs' | 'outputs'>;

export function createSignatureHasher(transaction: SignedForm, spent: readonly ParsedOutput[]): SignatureHasher {
  const { inputs, outputs } = transaction;
  if (spent.length !== inputs.length) throw new RangeError('every input needs the output that it spends');
  const parts = createTransactionParts(transaction.version, transaction.locktime, inputs.length, outputs.length);
  for (const [index, { prev, sequence }] of inputs.entries()) {
    parts.setInput(index, internalHash(prev.txid), prev.vout, sequence);
    const output = spent[index] as ParsedOutput;
    parts.setSpent(index, {
      amount: amountBytes(output.amountSats),
      script: Buffer.from(output.scriptPubKey, 'hex'),
    });
  }
  for (const [index, { amountSats, scriptPubKey }] of outputs.entries())
    parts.setOutput(index, amountBytes(amountSats), Buffer.from(scriptPubKey, 'hex'));
  return { transaction, spent, ...signatureHashesOf(parts) };
}

/** Over parts that stay as they are from now on. */
export function signatureHashesOf(parts: TransactionParts): SignatureHashes {
  return { legacy: legacyHasher(parts), segwitV0: segwitV0Hasher(parts), taproot: taprootHasher(parts) };
}
