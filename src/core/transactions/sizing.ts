import { compactSizeLength } from '../blocks/compact-size.ts';
import { outputSize } from '../relay-policy/dust.ts';
import { isScriptHash, type ScriptHashType, type ScriptType } from '../script-type.ts';

/**
 * Bytes of one signed input. ECDSA signatures count as 71 bytes with their sighash byte: sign-transaction.ts grinds R to 32 bytes and S
 * is always low, so DER takes 70 at most. A shorter one only raises the feerate.
 */
interface InputSize {
  /** Outpoint, scriptSig with its length, sequence. */
  readonly base: number;
  /** Witness with its item count; 0 where there is none. */
  readonly witness: number;
}

const SIGNATURE_SIZE = 71;
const SCHNORR_SIGNATURE_SIZE = 64;
const KEY_SIZE = 33;
const EMPTY_SCRIPT_INPUT = 36 + 1 + 4;
const KEY_WITNESS = 1 + (1 + SIGNATURE_SIZE) + (1 + KEY_SIZE);

const INPUT_SIZES: Readonly<Record<Exclude<ScriptType, ScriptHashType>, InputSize>> = {
  p2wpkh: { base: EMPTY_SCRIPT_INPUT, witness: KEY_WITNESS },
  'p2sh-p2wpkh': { base: EMPTY_SCRIPT_INPUT + 23, witness: KEY_WITNESS },
  p2tr: { base: EMPTY_SCRIPT_INPUT, witness: 1 + (1 + SCHNORR_SIGNATURE_SIZE) },
  p2pkh: { base: EMPTY_SCRIPT_INPUT + (1 + SIGNATURE_SIZE) + (1 + KEY_SIZE), witness: 0 },
};

function inputSize(scriptType: ScriptType, givenWeight: number | undefined): InputSize {
  if (givenWeight === undefined) {
    if (isScriptHash(scriptType)) throw new TypeError(`a ${scriptType} input has no fixed size: give its weight`);
    return INPUT_SIZES[scriptType];
  }
  // Without witness all weight is the scriptSig's; P2SH of a script may have either, and weighs the same.
  if (scriptType === 'p2pkh') return { base: givenWeight / 4, witness: 0 };
  const base = isScriptHash(scriptType) ? EMPTY_SCRIPT_INPUT : INPUT_SIZES[scriptType].base;
  return { base, witness: givenWeight - 4 * base };
}

/** Most weight units of one signed input, outpoint and sequence included. `givenWeight` is what scripts take, and signatures that others make, which may be a byte longer than ours. */
export function inputWeight(scriptType: ScriptType, givenWeight?: number): number {
  const { base, witness } = inputSize(scriptType, givenWeight);
  return 4 * base + witness;
}

export interface SizedInput {
  readonly scriptType: ScriptType;
  readonly inputWeight?: number;
}

/** Most weight units of a signed transaction (BIP141). */
export function transactionWeight(inputs: readonly SizedInput[], outputScriptLengths: readonly number[]): number {
  let base = 4 + compactSizeLength(inputs.length) + compactSizeLength(outputScriptLengths.length) + 4;
  let witness = 0;
  let segwit = false;
  for (const input of inputs) {
    const size = inputSize(input.scriptType, input.inputWeight);
    base += size.base;
    segwit ||= size.witness > 0;
    // In a segwit transaction an input without witness still has its item count.
    witness += size.witness || 1;
  }
  for (const length of outputScriptLengths) base += outputSize(length);
  return 4 * base + (segwit ? 2 + witness : 0);
}

/** Most virtual bytes of a signed transaction: weight over four, rounded up. */
export function transactionVsize(inputs: readonly SizedInput[], outputScriptLengths: readonly number[]): number {
  return Math.ceil(transactionWeight(inputs, outputScriptLengths) / 4);
}
