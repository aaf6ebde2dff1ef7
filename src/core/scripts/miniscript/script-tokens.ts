import { InstructionReader, isMinimalPush } from '../interpreter/instructions.ts';
import { OP } from '../interpreter/opcodes.ts';

export interface ScriptToken {
  readonly opcode: number;
  /** What is pushed; null where the opcode pushes nothing. Numbers that have an opcode are pushed as script numbers. */
  readonly data: Uint8Array | null;
}

/** The opcodes that end in VERIFY, without it: miniscript reads them as two. */
const WITHOUT_VERIFY = new Map<number, number>([
  [OP.CHECKSIGVERIFY, OP.CHECKSIG],
  [OP.CHECKMULTISIGVERIFY, OP.CHECKMULTISIG],
  [OP.EQUALVERIFY, OP.EQUAL],
  [OP.NUMEQUALVERIFY, OP.NUMEQUAL],
]);

/** Followed by VERIFY, these would have been written as one opcode. */
const NEVER_BEFORE_VERIFY = new Set(WITHOUT_VERIFY.values());

/** The script in opcodes, its last one first; null where it is no script that miniscript makes: pushes not minimal, a VERIFY on its own. */
export function reversedTokens(script: Uint8Array): ScriptToken[] | null {
  const tokens: ScriptToken[] = [];
  const reader = new InstructionReader(script);
  while (reader.next()) {
    const { opcode, data } = reader;
    const single = WITHOUT_VERIFY.get(opcode);
    if (single !== undefined) {
      tokens.push({ opcode: single, data: null }, { opcode: OP.VERIFY, data: null });
    } else if (opcode <= OP.PUSHDATA4) {
      if (!isMinimalPush(opcode, data)) return null;
      tokens.push({ opcode, data });
    } else {
      if (opcode === OP.VERIFY && NEVER_BEFORE_VERIFY.has(tokens.at(-1)?.opcode ?? -1)) return null;
      tokens.push({ opcode, data: opcode >= OP[1] && opcode <= OP[16] ? Uint8Array.of(opcode - OP[1] + 1) : null });
    }
  }
  return reader.done ? tokens.reverse() : null;
}

/** A number from 0 to 2^31 - 1 in its shortest form, as locks and counts are; null for anything else. */
export function numberIn(token: ScriptToken | undefined): number | null {
  const data = token?.data;
  if (!data || data.length > 5) return null;
  const top = data[data.length - 1] ?? 0;
  const padded = ((data[data.length - 2] ?? 0) & 0x80) !== 0;
  const minimal = data.length === 0 || top !== 0 || padded;
  let value = 0;
  for (let at = data.length - 1; at >= 0; at--) value = value * 256 + (data[at] as number);
  return minimal && top < 0x80 && value < 0x80000000 ? value : null;
}
