import { InstructionReader } from '../scripts/interpreter/instructions.ts';
import { OP } from '../scripts/interpreter/opcodes.ts';
import { isUnspendable } from './standard-scripts.ts';

const MAX_ELEMENT_SIZE = 520;

/** Whether whatever is paid to the script is lost: nobody can spend it, or it is no script at all (what Bitcoin Core's maxburnamount counts). */
export const isBurnt = (script: Uint8Array): boolean => isUnspendable(script) || !hasValidOperations(script);

function hasValidOperations(script: Uint8Array): boolean {
  const reader = new InstructionReader(script);
  while (!reader.done)
    if (!reader.next() || reader.opcode > OP.NOP10 || reader.data.length > MAX_ELEMENT_SIZE) return false;
  return true;
}
