import { InstructionReader } from './instructions.ts';

/**
 * The script without the occurrences of `part` that begin where an instruction begins, or right behind another occurrence; the very same
 * array where there is none. Signatures before segwit leave themselves out of what they sign by this.
 */
export function findAndDelete(script: Uint8Array, part: Uint8Array): Uint8Array {
  const whole = Buffer.from(script.buffer, script.byteOffset, script.length);
  // An occurrence anywhere is looked for first, which is quick: there is none in any script that is not built for it.
  if (part.length === 0 || whole.indexOf(part) === -1) return script;
  const reader = new InstructionReader(script);
  const kept: Uint8Array[] = [];
  let from = 0;
  let found = false;
  do {
    kept.push(script.subarray(from, reader.offset));
    while (matches(whole, part, reader.offset)) {
      reader.offset += part.length;
      found = true;
    }
    from = reader.offset;
  } while (reader.next());
  return found ? Buffer.concat([...kept, script.subarray(from)]) : script;
}

const matches = (script: Buffer, part: Uint8Array, at: number): boolean =>
  at + part.length <= script.length && script.compare(part, 0, part.length, at, at + part.length) === 0;
