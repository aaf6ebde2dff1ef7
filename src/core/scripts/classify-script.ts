import { dustThreshold } from '../policy/dust.ts';
import { type OutputKind, outputKind, witnessProgram } from '../policy/standard-scripts.ts';
import { disassembleScript } from './disassemble-script.ts';
import { multisigOf } from './script-elements.ts';

export interface ClassifiedScript {
  /** As Core's Solver has it; multisig of up to 20 keys, of which only those of up to 3 are standard where they stand bare. */
  readonly type: OutputKind;
  readonly witness: { readonly version: number; readonly program: Uint8Array } | null;
  /** Of p2pk and multisig, as they stand. */
  readonly publicKeys: readonly Uint8Array[];
  readonly required: number | null;
  /** What null-data pushes behind OP_RETURN. */
  readonly data: readonly Uint8Array[] | null;
  /** Relayed as an output; null-data of any size (Core 30). */
  readonly standard: boolean;
  /** Satoshis below which an output of it is dust; 0 for data. */
  readonly dustThreshold: bigint;
}

export function classifyScript(script: Uint8Array): ClassifiedScript {
  const kind = outputKind(script);
  const multisig = multisigOf(script);
  const type = kind === 'nonstandard' && multisig ? 'multisig' : kind;
  return {
    type,
    witness: witnessProgram(script),
    publicKeys: type === 'p2pk' ? [script.subarray(1, -1)] : type === 'multisig' && multisig ? multisig.keys : [],
    required: type === 'multisig' ? (multisig?.required ?? null) : type === 'p2pk' ? 1 : null,
    data: type === 'null-data' ? dataOf(script) : null,
    standard: kind !== 'nonstandard',
    dustThreshold: dustThreshold(script),
  };
}

const dataOf = (script: Uint8Array): Uint8Array[] =>
  disassembleScript(script.subarray(1)).elements.map(({ data }) => Buffer.from(data ?? '', 'hex'));
