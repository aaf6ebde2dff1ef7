import { compactSizeLength } from '../blocks/compact-size.ts';
import type { ParsedOutput } from '../blocks/transaction.ts';
import { type FeeRate, feeFor } from '../fee-rate.ts';
import type { ScriptType } from '../script-type.ts';
import { isUnspendable, isWitnessProgram } from './standard-scripts.ts';

/** Core's -dustrelayfee: 3 sat/vB. */
export const DUST_RELAY_FEE_RATE = 3000n as FeeRate;

/** Bytes that spending an output takes at least, as Core's dust rule counts them: outpoint, length, sequence and a signature with key. */
const LEGACY_SPEND_SIZE = 32 + 4 + 1 + 107 + 4;
const WITNESS_SPEND_SIZE = 32 + 4 + 1 + 26 + 4;

/** Below this many satoshis an output is dust, refused by relay: at `rate` it would cost more to make and spend than it holds. */
export function dustThreshold(scriptPubKey: Uint8Array, rate: FeeRate = DUST_RELAY_FEE_RATE): bigint {
  if (isUnspendable(scriptPubKey)) return 0n;
  const spendSize = isWitnessProgram(scriptPubKey) ? WITNESS_SPEND_SIZE : LEGACY_SPEND_SIZE;
  return feeFor(rate, outputSize(scriptPubKey.length) + spendSize);
}

/** Which outputs are dust. */
export const dustOutputs = (outputs: readonly ParsedOutput[]): number[] =>
  [...outputs.keys()].filter((vout) => {
    const { amountSats, scriptPubKey } = outputs[vout] as ParsedOutput;
    return amountSats < dustThreshold(Buffer.from(scriptPubKey, 'hex'));
  });

/** The same of the output that a script type is paid to. */
export function dustThresholdOf(scriptType: ScriptType, rate: FeeRate = DUST_RELAY_FEE_RATE): bigint {
  const witness = !['p2pkh', 'p2sh', 'p2sh-p2wpkh'].includes(scriptType);
  const spendSize = witness ? WITNESS_SPEND_SIZE : LEGACY_SPEND_SIZE;
  return feeFor(rate, outputSize(OUTPUT_SCRIPT_LENGTH[scriptType]) + spendSize);
}

/** Script length of the output that each type is paid to. */
export const OUTPUT_SCRIPT_LENGTH: Readonly<Record<ScriptType, number>> = {
  p2wpkh: 22,
  p2tr: 34,
  'p2sh-p2wpkh': 23,
  p2pkh: 25,
  p2wsh: 34,
  p2sh: 23,
};

/** Bytes of a serialized output: amount, script length and script. */
export function outputSize(scriptLength: number): number {
  return 8 + compactSizeLength(scriptLength) + scriptLength;
}
