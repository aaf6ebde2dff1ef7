import { CONTROL_OPERATIONS } from './control-operations.ts';
import type { Operation } from './execution.ts';
import { OP } from './opcodes.ts';
import { SIGNATURE_OPERATIONS } from './signature-operations.ts';
import { STACK_OPERATIONS } from './stack-operations.ts';
import { VALUE_OPERATIONS } from './value-operations.ts';

const tables = [CONTROL_OPERATIONS, STACK_OPERATIONS, VALUE_OPERATIONS, SIGNATURE_OPERATIONS];

const list: (Operation | undefined)[] = new Array(256).fill(undefined);
for (const table of tables) for (const [opcode, operation] of Object.entries(table)) list[Number(opcode)] = operation;

for (let value = -1; value <= 16; value++) {
  if (value === 0) continue;
  const element = Uint8Array.of(value === -1 ? 0x81 : value);
  list[value + OP[1] - 1] = (run) => run.push(element);
}

/** By opcode; undefined where there is none (OP_RESERVED, OP_VER, what is beyond OP_CHECKSIGADD). Pushes of data are not among them. */
export const OPERATIONS: readonly (Operation | undefined)[] = list;
