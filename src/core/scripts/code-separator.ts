const OP_CODESEPARATOR = 0xab;

/** The script with every OP_CODESEPARATOR left out, all else as it is, as signatures before segwit hash it. */
export function scriptWithoutSeparators(script: Uint8Array): Uint8Array {
  const separators = separatorsOf(script);
  if (separators.length === 0) return script;
  const kept: Uint8Array[] = [];
  let from = 0;
  for (const at of separators) {
    kept.push(script.subarray(from, at));
    from = at + 1;
  }
  return Buffer.concat([...kept, script.subarray(from)]);
}

export const hasCodeSeparator = (script: Uint8Array): boolean => separatorsOf(script).length > 0;

/** Where they stand; what a push that is cut off would hold is not looked at. */
function separatorsOf(script: Uint8Array): number[] {
  const found: number[] = [];
  if (!script.includes(OP_CODESEPARATOR)) return found;
  for (let at = 0; at < script.length; ) {
    const opcode = script[at] as number;
    if (opcode === OP_CODESEPARATOR) found.push(at);
    at += 1 + pushSize(script, at + 1, opcode);
  }
  return found;
}

/** Bytes behind the opcode that belong to its push. */
function pushSize(script: Uint8Array, at: number, opcode: number): number {
  if (opcode < 0x4c) return opcode;
  if (opcode > 0x4e) return 0;
  const width = 1 << (opcode - 0x4c);
  let length = 0;
  for (let i = width - 1; i >= 0; i--) length = length * 256 + (script[at + i] ?? 0);
  return width + length;
}
