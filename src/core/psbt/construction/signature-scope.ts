/** What the signatures that an input already has commit to: what may not change any more without breaking them. */
import { SIGHASH_ALL, SIGHASH_ANYONECANPAY, SIGHASH_NONE, SIGHASH_SINGLE } from '../../scripts/sighash-type.ts';
import { sighashTypeOf } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
import type { PsbtMap } from '../psbt-map.ts';

/** `hasSingle`: the PSBT's flag for it, the only witness where an input is final already. */
export function signatureScope(map: PsbtMap, hasSingle: boolean) {
  let [signed, allInputs, allOutputs, pairedOutput] = [false, false, false, false];
  const covers = (hashType: number) => {
    const base = hashType & 0x1f;
    allInputs ||= (hashType & SIGHASH_ANYONECANPAY) === 0;
    allOutputs ||= base !== SIGHASH_NONE && base !== SIGHASH_SINGLE;
    pairedOutput ||= base === SIGHASH_SINGLE;
  };
  for (const { type, value } of map.pairs()) {
    switch (type) {
      case INPUT.PARTIAL_SIG:
        covers(value[value.length - 1] as number);
        break;
      case INPUT.TAP_KEY_SIG:
      case INPUT.TAP_SCRIPT_SIG:
        covers(value.length === 65 ? (value[64] as number) : SIGHASH_ALL);
        break;
      case INPUT.MUSIG2_PARTIAL_SIG:
        covers(sighashTypeOf(map) || SIGHASH_ALL);
        break;
      case INPUT.FINAL_SCRIPTSIG:
      case INPUT.FINAL_SCRIPTWITNESS:
        pairedOutput ||= hasSingle;
        break;
      default:
        continue;
    }
    signed = true;
  }
  return {
    signed,
    /** Some signature covers every input (no ANYONECANPAY). */
    allInputs,
    /** Some signature covers every output (neither NONE nor SINGLE). */
    allOutputs,
    /** Some signature covers the output of its own index (SINGLE), or may: a final input no longer tells its hash types. */
    pairedOutput,
  };
}

export type SignatureScope = ReturnType<typeof signatureScope>;
