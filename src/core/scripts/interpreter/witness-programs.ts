import { compactSizeLength } from '../../blocks/compact-size.ts';
import { sha256 } from '../../hashes.ts';
import { checkControlBlock } from '../../taproot/control-block.ts';
import { TAPSCRIPT_LEAF_VERSION } from '../../taproot/leaf-hash.ts';
import { keyHashScript } from '../output-scripts.ts';
import { InstructionReader } from './instructions.ts';
import { isOpSuccess } from './opcodes.ts';
import { fail } from './script-error.ts';
import type { ScriptFlags } from './script-flags.ts';
import { isTrue } from './script-number.ts';
import { NO_CODE_SEPARATOR, type ScriptVersion, type TapscriptContext } from './script-version.ts';
import type { SpendChecks } from './spend-checks.ts';
import { MAX_ELEMENT_SIZE, MAX_STACK_SIZE, runScript } from './stack-machine.ts';

const ANNEX_TAG = 0x50;
/** What BIP342's budget has besides the size of the witness. */
const WEIGHT_OFFSET = 50;

interface WitnessSpend {
  readonly witness: readonly Uint8Array[];
  readonly flags: ScriptFlags;
  readonly checks: SpendChecks;
}

/** Checks a witness against the program that it is for (BIP141, BIP341). Throws ScriptFailure. */
export function verifyWitnessProgram(spend: WitnessSpend, version: number, program: Uint8Array, nested: boolean): void {
  const { flags } = spend;
  if (version === 0) {
    if (program.length === 32) verifyScriptHash(spend, program);
    else if (program.length === 20) verifyKeyHash(spend, program);
    else fail('WITNESS_PROGRAM_WRONG_LENGTH');
  } else if (version === 1 && program.length === 32 && !nested) {
    if (flags.has('TAPROOT')) verifyTaproot(spend, program);
  } else if (flags.has('DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM') && (nested || !isAnchor(version, program)))
    fail('DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM');
}

/** Pay to anchor: anyone's, and no upgrade is meant by it. */
const isAnchor = (version: number, program: Uint8Array): boolean =>
  version === 1 && program.length === 2 && program[0] === 0x4e && program[1] === 0x73;

function verifyScriptHash(spend: WitnessSpend, program: Uint8Array): void {
  const stack = [...spend.witness];
  const script = stack.pop() ?? fail('WITNESS_PROGRAM_WITNESS_EMPTY');
  if (Buffer.compare(sha256(script), program) !== 0) fail('WITNESS_PROGRAM_MISMATCH');
  runInWitness(spend, stack, script, 'witness-v0', null);
}

function verifyKeyHash(spend: WitnessSpend, program: Uint8Array): void {
  if (spend.witness.length !== 2) fail('WITNESS_PROGRAM_MISMATCH');
  runInWitness(spend, [...spend.witness], keyHashScript(program), 'witness-v0', null);
}

function verifyTaproot(spend: WitnessSpend, outputKey: Uint8Array): void {
  const stack = [...spend.witness];
  if (stack.length === 0) fail('WITNESS_PROGRAM_WITNESS_EMPTY');
  const last = stack[stack.length - 1] as Uint8Array;
  const annex = stack.length >= 2 && last[0] === ANNEX_TAG ? (stack.pop() as Uint8Array) : null;
  if (stack.length > 1) verifyScriptPath(spend, stack, annex, outputKey);
  else
    spend.checks.schnorr(stack[0] as Uint8Array, outputKey, {
      leafHash: null,
      annex,
      codeSeparator: NO_CODE_SEPARATOR,
    });
}

/** `stack` is the witness without its annex. */
function verifyScriptPath(
  spend: WitnessSpend,
  stack: Uint8Array[],
  annex: Uint8Array | null,
  outputKey: Uint8Array,
): void {
  const control = stack.pop() as Uint8Array;
  const script = stack.pop() as Uint8Array;
  const { problem, block, leafHash } = checkControlBlock(control, script, outputKey);
  if (!block || !leafHash) fail('TAPROOT_WRONG_CONTROL_SIZE');
  if (problem) fail('WITNESS_PROGRAM_MISMATCH');
  if (block.leafVersion === TAPSCRIPT_LEAF_VERSION) {
    const weightLeft = serializedSize(spend.witness) + WEIGHT_OFFSET;
    runInWitness(spend, stack, script, 'tapscript', { leafHash, annex, weightLeft });
  } else if (spend.flags.has('DISCOURAGE_UPGRADABLE_TAPROOT_VERSION')) fail('DISCOURAGE_UPGRADABLE_TAPROOT_VERSION');
}

/** Scripts within a witness must leave exactly one true element. */
function runInWitness(
  spend: WitnessSpend,
  stack: Uint8Array[],
  script: Uint8Array,
  version: ScriptVersion,
  tapscript: TapscriptContext | null,
): void {
  if (version === 'tapscript') {
    if (succeedsUnconditionally(script)) {
      if (spend.flags.has('DISCOURAGE_OP_SUCCESS')) fail('DISCOURAGE_OP_SUCCESS');
      return;
    }
    if (stack.length > MAX_STACK_SIZE) fail('STACK_SIZE');
  }
  if (stack.some(({ length }) => length > MAX_ELEMENT_SIZE)) fail('PUSH_SIZE');
  runScript(stack, script, { version, flags: spend.flags, checks: spend.checks, tapscript });
  if (stack.length !== 1) fail('CLEANSTACK');
  if (!isTrue(stack[0] as Uint8Array)) fail('EVAL_FALSE');
}

/** An OP_SUCCESSx counts even before a push that is cut off, one behind it does not. */
function succeedsUnconditionally(script: Uint8Array): boolean {
  const reader = new InstructionReader(script);
  while (!reader.done) {
    if (!reader.next()) fail('BAD_OPCODE');
    if (isOpSuccess(reader.opcode)) return true;
  }
  return false;
}

const serializedSize = (witness: readonly Uint8Array[]): number =>
  witness.reduce((sum, { length }) => sum + compactSizeLength(length) + length, compactSizeLength(witness.length));
