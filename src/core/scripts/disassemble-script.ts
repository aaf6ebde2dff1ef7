/** A script taken apart: each element with its place, and Bitcoin Core's text form. Linear; a script that is cut off is told, not refused. */
import { opcodeName } from './opcodes.ts';

export interface DisassembledElement {
  /** Of its first byte in the script. */
  readonly offset: number;
  readonly opcode: number;
  readonly name: string;
  /** What it pushes, hex; null for an opcode that pushes nothing. OP_0 to OP_16 and OP_1NEGATE push their number. */
  readonly data: string | null;
  /** Whether it is the shortest way to push that (BIP62 rule 3); null for what pushes nothing. */
  readonly minimal: boolean | null;
}

export interface DisassembledScript {
  /** As decodescript writes it: `OP_DUP OP_HASH160 89ab… OP_EQUALVERIFY OP_CHECKSIG`. */
  readonly asm: string;
  readonly elements: readonly DisassembledElement[];
  /** Where and why reading ended early; null where all was read. */
  readonly error: { readonly offset: number; readonly reason: string } | null;
}

export function disassembleScript(script: Uint8Array): DisassembledScript {
  const bytes = Buffer.from(script.buffer, script.byteOffset, script.length);
  const words: string[] = [];
  const elements: DisassembledElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const offset = at;
    const opcode = bytes[at++] as number;
    const name = opcodeName(opcode);
    if (opcode > 0x4e) {
      const data = smallNumberData(opcode);
      words.push(name);
      elements.push({ offset, opcode, name, data, minimal: data === null ? null : true });
      continue;
    }
    const push = pushAt(bytes, at, opcode);
    if (typeof push === 'string') {
      words.push('[error]');
      return { asm: words.join(' '), elements, error: { offset, reason: push } };
    }
    at = push.end;
    words.push(pushWord(push.data));
    elements.push({ offset, opcode, name, data: push.data.toString('hex'), minimal: isMinimalPush(opcode, push.data) });
  }
  return { asm: words.join(' '), elements, error: null };
}

function pushAt(bytes: Buffer, at: number, opcode: number): { data: Buffer; end: number } | string {
  let start = at;
  let length = opcode;
  if (opcode >= 0x4c) {
    const width = 1 << (opcode - 0x4c);
    if (at + width > bytes.length) return `${opcodeName(opcode)} lacks its ${width}-byte length`;
    length = bytes.readUIntLE(at, width);
    start += width;
  }
  const end = start + length;
  if (end > bytes.length) return `a push of ${length} bytes has only ${bytes.length - start} bytes left`;
  return { data: bytes.subarray(start, end), end };
}

/** Whether `opcode` is the shortest that pushes `data` (BIP62 rule 3). */
function isMinimalPush(opcode: number, data: Uint8Array): boolean {
  const { length } = data;
  const only = data[0] as number;
  if (length === 0) return opcode === 0;
  if (length === 1 && ((only >= 1 && only <= 16) || only === 0x81)) return false;
  if (length <= 75) return opcode === length;
  return length <= 255 ? opcode === 0x4c : length <= 0xffff ? opcode === 0x4d : opcode === 0x4e;
}

/** Core writes up to 4 bytes as the number they are in script, more as hex. */
function pushWord(data: Buffer): string {
  if (data.length > 4) return data.toString('hex');
  if (data.length === 0) return '0';
  const magnitude = data.readUIntLE(0, data.length);
  const signBit = 2 ** (8 * data.length - 1);
  return magnitude >= signBit ? String(signBit - magnitude) : String(magnitude);
}

function smallNumberData(opcode: number): string | null {
  if (opcode === 0x4f) return '81';
  return opcode >= 0x51 && opcode <= 0x60 ? (opcode - 0x50).toString(16).padStart(2, '0') : null;
}
