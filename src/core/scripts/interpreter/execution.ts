import type { InstructionReader } from './instructions.ts';
import { fail } from './script-error.ts';
import type { ScriptFlags } from './script-flags.ts';
import { decodeNumber, OPERAND_SIZE } from './script-number.ts';
import { NO_CODE_SEPARATOR, type ScriptVersion, type TapscriptContext } from './script-version.ts';
import type { SpendChecks } from './spend-checks.ts';

/** Changes the state of a run; fails by throwing. */
export type Operation = (run: Execution) => void;
/** By opcode. */
export type OperationTable = Readonly<Record<number, Operation>>;

/** The state of one script's run. The operations work on it; the stack machine steps through the script. */
export class Execution {
  readonly stack: Uint8Array[];
  readonly alternate: Uint8Array[] = [];
  readonly conditions = new ConditionStack();
  readonly version: ScriptVersion;
  readonly flags: ScriptFlags;
  readonly checks: SpendChecks;
  readonly reader: InstructionReader;
  readonly tapscript: TapscriptContext | null;
  readonly requireMinimal: boolean;
  operations = 0;
  /** Of the present instruction, counted from 0. */
  position = 0;
  /** Position of that code separator, counted in instructions. */
  codeSeparator = NO_CODE_SEPARATOR;

  private code: Uint8Array;

  constructor(
    stack: Uint8Array[],
    reader: InstructionReader,
    parts: { version: ScriptVersion; flags: ScriptFlags; checks: SpendChecks; tapscript: TapscriptContext | null },
  ) {
    this.stack = stack;
    this.reader = reader;
    this.version = parts.version;
    this.flags = parts.flags;
    this.checks = parts.checks;
    this.tapscript = parts.tapscript;
    this.requireMinimal = parts.flags.has('MINIMALDATA');
    this.code = reader.script;
  }

  /** What signatures before tapscript sign of the script: all behind the last code separator that was run. The same array until the next. */
  get signedCode(): Uint8Array {
    return this.code;
  }

  /** OP_CODESEPARATOR is run. */
  separateCode(): void {
    this.code = this.reader.script.subarray(this.reader.offset);
    this.codeSeparator = this.position;
  }

  /** Fails unless the stack has that many elements. */
  need(count: number): void {
    if (this.stack.length < count) fail('INVALID_STACK_OPERATION');
  }

  /** The element `depth` from the top: 1 is the top itself. */
  top(depth = 1): Uint8Array {
    return this.stack[this.stack.length - depth] as Uint8Array;
  }

  /** The element `depth` from the top, as a number. */
  number(depth = 1, maxSize = OPERAND_SIZE): number {
    return decodeNumber(this.top(depth), this.requireMinimal, maxSize);
  }

  push(element: Uint8Array): void {
    this.stack.push(element);
  }

  pop(): Uint8Array {
    return this.stack.pop() as Uint8Array;
  }

  drop(count: number): void {
    this.stack.length -= count;
  }
}

/**
 * The conditionals that a script is within. Only their number and the first false one matter, so that a script of a million OP_IF costs no
 * more than others.
 */
class ConditionStack {
  private size = 0;
  private firstFalse = -1;

  get empty(): boolean {
    return this.size === 0;
  }

  /** Whether what stands here is run. */
  get allTrue(): boolean {
    return this.firstFalse === -1;
  }

  push(value: boolean): void {
    if (!value && this.firstFalse === -1) this.firstFalse = this.size;
    this.size++;
  }

  toggle(): void {
    if (this.firstFalse === -1) this.firstFalse = this.size - 1;
    else if (this.firstFalse === this.size - 1) this.firstFalse = -1;
  }

  pop(): void {
    this.size--;
    if (this.firstFalse === this.size) this.firstFalse = -1;
  }
}
