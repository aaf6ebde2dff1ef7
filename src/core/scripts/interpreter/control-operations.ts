import type { Execution, Operation, OperationTable } from './execution.ts';
import { OP } from './opcodes.ts';
import { fail } from './script-error.ts';
import { isTrue, LOCK_TIME_SIZE } from './script-number.ts';

/** Runs also where nothing else does, so that conditionals nest: then without looking at the stack. */
function openConditional(run: Execution): void {
  let value = false;
  if (run.conditions.allTrue) {
    run.need(1);
    const argument = run.pop();
    if (!isMinimalCondition(argument)) {
      if (run.version === 'tapscript') fail('TAPSCRIPT_MINIMALIF');
      if (run.version === 'witness-v0' && run.flags.has('MINIMALIF')) fail('MINIMALIF');
    }
    value = isTrue(argument) !== (run.reader.opcode === OP.NOTIF);
  }
  run.conditions.push(value);
}

const isMinimalCondition = (argument: Uint8Array): boolean =>
  argument.length === 0 || (argument.length === 1 && argument[0] === 1);

const withinConditional =
  (act: Operation): Operation =>
  (run) => {
    if (run.conditions.empty) fail('UNBALANCED_CONDITIONAL');
    act(run);
  };

function reservedNop(run: Execution): void {
  if (run.flags.has('DISCOURAGE_UPGRADABLE_NOPS')) fail('DISCOURAGE_UPGRADABLE_NOPS');
}

/** BIP65; leaves its argument. */
function checkLockTime(run: Execution): void {
  if (!run.flags.has('CHECKLOCKTIMEVERIFY')) return;
  run.need(1);
  const lockTime = run.number(1, LOCK_TIME_SIZE);
  if (lockTime < 0) fail('NEGATIVE_LOCKTIME');
  if (!run.checks.satisfiesLockTime(lockTime)) fail('UNSATISFIED_LOCKTIME');
}

const SEQUENCE_DISABLED = 2 ** 31;

/** BIP112; leaves its argument. */
function checkSequence(run: Execution): void {
  if (!run.flags.has('CHECKSEQUENCEVERIFY')) return;
  run.need(1);
  const sequence = run.number(1, LOCK_TIME_SIZE);
  if (sequence < 0) fail('NEGATIVE_LOCKTIME');
  if (Math.floor(sequence / SEQUENCE_DISABLED) % 2 === 1) return;
  if (!run.checks.satisfiesSequence(sequence)) fail('UNSATISFIED_LOCKTIME');
}

const reservedNops: Record<number, Operation> = { [OP.NOP1]: reservedNop };
for (let opcode: number = OP.NOP4; opcode <= OP.NOP10; opcode++) reservedNops[opcode] = reservedNop;

export const CONTROL_OPERATIONS: OperationTable = {
  ...reservedNops,
  [OP.NOP]() {},
  [OP.IF]: openConditional,
  [OP.NOTIF]: openConditional,
  [OP.ELSE]: withinConditional((run) => run.conditions.toggle()),
  [OP.ENDIF]: withinConditional((run) => run.conditions.pop()),
  [OP.VERIFY](run) {
    run.need(1);
    if (!isTrue(run.top())) fail('VERIFY');
    run.pop();
  },
  [OP.RETURN]() {
    fail('OP_RETURN');
  },
  [OP.CHECKLOCKTIMEVERIFY]: checkLockTime,
  [OP.CHECKSEQUENCEVERIFY]: checkSequence,
};
