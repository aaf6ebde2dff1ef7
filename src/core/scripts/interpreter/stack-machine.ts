import { Execution } from './execution.ts';
import { InstructionReader, isMinimalPush } from './instructions.ts';
import { isDisabled, OP } from './opcodes.ts';
import { OPERATIONS } from './operations.ts';
import { fail } from './script-error.ts';
import type { ScriptFlags } from './script-flags.ts';
import type { ScriptVersion, TapscriptContext } from './script-version.ts';
import type { SpendChecks } from './spend-checks.ts';

const MAX_SCRIPT_SIZE = 10_000;
export const MAX_ELEMENT_SIZE = 520;
const MAX_OPERATIONS = 201;
export const MAX_STACK_SIZE = 1000;

/**
 * Runs a script on `stack`, which it changes. Throws ScriptFailure. Before tapscript a script has at most 10,000 bytes and 201 operations;
 * in tapscript, signatures are bounded by the witness's weight and the rest by the script's own length.
 */
export function runScript(
  stack: Uint8Array[],
  script: Uint8Array,
  parts: { version: ScriptVersion; flags: ScriptFlags; checks: SpendChecks; tapscript: TapscriptContext | null },
): void {
  const limited = parts.version !== 'tapscript';
  if (limited && script.length > MAX_SCRIPT_SIZE) fail('SCRIPT_SIZE');
  const constantCode = parts.version === 'base' && parts.flags.has('CONST_SCRIPTCODE');
  const reader = new InstructionReader(script);
  const run = new Execution(stack, reader, parts);
  const { conditions, alternate, requireMinimal } = run;
  for (; !reader.done; run.position++) {
    if (!reader.next()) fail('BAD_OPCODE');
    const { opcode, data } = reader;
    if (data.length > MAX_ELEMENT_SIZE) fail('PUSH_SIZE');
    if (limited && opcode > OP[16] && ++run.operations > MAX_OPERATIONS) fail('OP_COUNT');
    if (isDisabled(opcode)) fail('DISABLED_OPCODE');
    if (opcode === OP.CODESEPARATOR) {
      if (constantCode) fail('OP_CODESEPARATOR');
      parts.checks.observer?.codeSeparator();
    }
    const active = conditions.allTrue;
    if (opcode <= OP.PUSHDATA4) {
      if (!active) continue;
      if (requireMinimal && !isMinimalPush(opcode, data)) fail('MINIMALDATA');
      stack.push(data);
    } else if (active || (opcode >= OP.IF && opcode <= OP.ENDIF)) {
      const operation = OPERATIONS[opcode];
      if (!operation) fail('BAD_OPCODE');
      operation(run);
    } else continue;
    if (stack.length + alternate.length > MAX_STACK_SIZE) fail('STACK_SIZE');
  }
  if (!conditions.empty) fail('UNBALANCED_CONDITIONAL');
}
