import type { Execution, OperationTable } from './execution.ts';
import { OP } from './opcodes.ts';
import { fail } from './script-error.ts';
import { encodeNumber, isTrue } from './script-number.ts';

/** Pushes again the `count` elements that lie below the topmost `above`. */
const copy =
  (count: number, above = 0) =>
  (run: Execution): void => {
    run.need(count + above);
    for (let i = 0; i < count; i++) run.push(run.top(count + above));
  };

/** Takes out the element `depth` from the top. */
const takeOut = (run: Execution, depth: number): Uint8Array =>
  run.stack.splice(run.stack.length - depth, 1)[0] as Uint8Array;

const roll =
  (count: number, depth: number) =>
  (run: Execution): void => {
    run.need(depth);
    for (let i = 0; i < count; i++) run.push(takeOut(run, depth));
  };

const drop =
  (count: number) =>
  (run: Execution): void => {
    run.need(count);
    run.drop(count);
  };

function pick(run: Execution): void {
  run.need(2);
  const depth = run.number();
  run.pop();
  if (depth < 0 || depth >= run.stack.length) fail('INVALID_STACK_OPERATION');
  run.push(run.reader.opcode === OP.ROLL ? takeOut(run, depth + 1) : run.top(depth + 1));
}

export const STACK_OPERATIONS: OperationTable = {
  [OP.TOALTSTACK](run) {
    run.need(1);
    run.alternate.push(run.pop());
  },
  [OP.FROMALTSTACK](run) {
    const element = run.alternate.pop();
    run.push(element ?? fail('INVALID_ALTSTACK_OPERATION'));
  },
  [OP.DROP]: drop(1),
  [OP['2DROP']]: drop(2),
  [OP.DUP]: copy(1),
  [OP['2DUP']]: copy(2),
  [OP['3DUP']]: copy(3),
  [OP.OVER]: copy(1, 1),
  [OP['2OVER']]: copy(2, 2),
  [OP.SWAP]: roll(1, 2),
  [OP.ROT]: roll(1, 3),
  [OP['2SWAP']]: roll(2, 4),
  [OP['2ROT']]: roll(2, 6),
  [OP.PICK]: pick,
  [OP.ROLL]: pick,
  [OP.IFDUP](run) {
    run.need(1);
    if (isTrue(run.top())) run.push(run.top());
  },
  [OP.DEPTH](run) {
    run.push(encodeNumber(run.stack.length));
  },
  [OP.NIP](run) {
    run.need(2);
    takeOut(run, 2);
  },
  [OP.TUCK](run) {
    run.need(2);
    run.stack.splice(run.stack.length - 2, 0, run.top());
  },
  [OP.SIZE](run) {
    run.need(1);
    run.push(encodeNumber(run.top().length));
  },
};
