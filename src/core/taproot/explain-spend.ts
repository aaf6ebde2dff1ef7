import type { ParsedInput, ParsedOutput, ParsedTransaction } from '../blocks/transaction.ts';
import { DomainError } from '../errors.ts';
import { witnessProgram } from '../relay-policy/standard-scripts.ts';
import { MANDATORY_FLAGS, STANDARD_FLAGS } from '../scripts/interpreter/script-flags.ts';
import { type SpendVerdict, verifySpendBy } from '../scripts/interpreter/verify-spend.ts';
import { createSignatureHasher } from '../scripts/signature-hash.ts';
import { type ControlBlockCheck, type ControlBlockProblem, checkControlBlock } from './control-block.ts';
import { TAPSCRIPT_LEAF_VERSION } from './leaf-hash.ts';

const ANNEX_TAG = 0x50;
const MAX_RELAYED_ITEM = 80;

interface LeafSpend extends ControlBlockCheck {
  readonly script: Uint8Array;
}

export interface SpendExplanation {
  readonly valid: boolean;
  /** Bitcoin Core's name of the error; null where it is valid. */
  readonly error: string | null;
  readonly reason: string | null;
  /** Nodes relay such an input, too; `standardReason` says why not. */
  readonly standard: boolean;
  readonly standardReason: string | null;
  /** null where the witness is empty. */
  readonly path: 'key' | 'script' | null;
  readonly leaf: LeafSpend | null;
  /** With its first byte 0x50. */
  readonly annex: Uint8Array | null;
  readonly outputKey: Uint8Array;
}

const SAYS: Readonly<Record<ControlBlockProblem, string>> = {
  control_block_size: 'the control block has not 33 + 32·m bytes, m from 0 to 128',
  internal_key_not_on_curve: "the control block's internal key is not on the curve",
  output_key_mismatch:
    'script and control block do not lead to the output key: the output does not commit to this script',
  parity_mismatch: "the control block has the wrong parity of the output key's y",
};

/**
 * Whether input `index` may spend its taproot output (BIP341, BIP342), by which path, and why not. `spent` has the outputs of all inputs.
 * Throws `invalid_script` where that output is not a taproot one.
 */
export function explainSpend(
  transaction: ParsedTransaction,
  spent: readonly ParsedOutput[],
  index: number,
): SpendExplanation {
  const outputKey = outputKeyOf(spent[index] as ParsedOutput);
  const { path, leaf, annex } = readIdentityFile(transaction.inputs[index] as ParsedInput, outputKey);
  const hasher = createSignatureHasher(transaction, spent);
  // Whatever holds under the stricter rules holds under those of blocks: the usual case is run once.
  const relayed = verifySpendBy(hasher, index, STANDARD_FLAGS);
  const verdict = relayed.valid ? relayed : verifySpendBy(hasher, index, MANDATORY_FLAGS);
  const problem = leaf?.problem ?? null;
  const unusual = verdict.valid ? witnessPolicy(transaction.inputs[index] as ParsedInput, leaf, annex) : null;
  const why = (one: SpendVerdict): string | null => (one.valid ? null : problem === null ? one.reason : SAYS[problem]);
  return {
    valid: verdict.valid,
    error: verdict.valid ? null : verdict.error,
    reason: why(verdict),
    standard: relayed.valid && unusual === null,
    standardReason: why(verdict.valid ? relayed : verdict) ?? unusual,
    ...{ path, leaf, annex, outputKey },
  };
}

/** What Bitcoin Core does not relay though blocks may have it (IsWitnessStandard). */
function witnessPolicy({ witness }: ParsedInput, leaf: LeafSpend | null, annex: Uint8Array | null): string | null {
  if (annex !== null) return 'nodes do not relay an annex';
  if (leaf?.block?.leafVersion !== TAPSCRIPT_LEAF_VERSION) return null;
  const long = witness.slice(0, -2).some(({ length }) => length > MAX_RELAYED_ITEM);
  return long ? `nodes do not relay a stack item of more than ${MAX_RELAYED_ITEM} bytes for a tapscript` : null;
}

/** The key of a taproot output. Throws `invalid_script`. */
export function outputKeyOf({ scriptPubKey }: ParsedOutput): Uint8Array {
  const program = witnessProgram(Buffer.from(scriptPubKey, 'hex'));
  if (program?.version === 1 && program.program.length === 32) return program.program;
  throw new DomainError('invalid_script', 'this is not a taproot output: its script is 5120 and 32 bytes, in hex');
}

function readIdentityFile(
  { witness }: ParsedInput,
  outputKey: Uint8Array,
): Pick<SpendExplanation, 'path' | 'leaf' | 'annex'> {
  const last = witness.at(-1);
  const annex = witness.length >= 2 && last?.[0] === ANNEX_TAG ? last : null;
  const stack = annex === null ? witness : witness.slice(0, -1);
  const [script, controlBlock] = stack.slice(-2);
  if (stack.length < 2 || script === undefined || controlBlock === undefined) {
    return { path: stack.length === 0 ? null : 'key', leaf: null, annex };
  }
  return { path: 'script', leaf: { ...checkControlBlock(controlBlock, script, outputKey), script }, annex };
}
