import { dustThreshold } from '../relay-policy/dust.ts';
import { outputKind, witnessProgram } from '../relay-policy/standard-scripts.ts';
import { disassembleScript } from './disassemble-script.ts';
import { multisigOf } from './script-elements.ts';

export function classifyScript(script: Uint8Array) {
  const kind = outputKind(script);
  const multisig = multisigOf(script);
  const type = kind === 'nonstandard' && multisig ? 'multisig' : kind;
  return {
    /** As Core's Solver has it; multisig of up to 20 keys, of which only those of up to 3 are standard where they stand bare. */
    type,
    witness: witnessProgram(script),
    /** Of p2pk and multisig, as they stand. */
    publicKeys: type === 'p2pk' ? [script.subarray(1, -1)] : type === 'multisig' && multisig ? multisig.keys : [],
    required: type === 'multisig' ? (multisig?.required ?? null) : type === 'p2pk' ? 1 : null,
    /** What null-data pushes behind OP_RETURN. */
    data: type === 'null-data' ? dataOf(script) : null,
    /** Relayed as an output; null-data of any size (Core 30). */
    standard: kind !== 'nonstandard',
    /** Satoshis below which an output of it is dust; 0 for data. */
    dustThreshold: dustThreshold(script),
  };
}

export type ClassifiedScript = ReturnType<typeof classifyScript>;

const dataOf = (script: Uint8Array): Uint8Array[] =>
  disassembleScript(script.subarray(1)).elements.map(({ data }) => Buffer.from(data ?? '', 'hex'));
