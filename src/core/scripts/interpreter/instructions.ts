import { OP } from './opcodes.ts';

const NO_DATA = new Uint8Array(0);

/** Reads a script's instructions one after another, without copying what they push. */
export class InstructionReader {
  readonly script: Uint8Array;
  /** Where the next instruction starts. */
  offset = 0;
  opcode = 0;
  /** What the instruction pushes; empty where it pushes nothing by itself. */
  data: Uint8Array = NO_DATA;

  constructor(script: Uint8Array) {
    this.script = script;
  }

  get done(): boolean {
    return this.offset >= this.script.length;
  }

  /** False at the end, and where a push is longer than what is left; the reader then stays where it is. */
  next(): boolean {
    const { script } = this;
    let at = this.offset;
    if (at >= script.length) return false;
    const opcode = script[at++] as number;
    let length = 0;
    if (opcode <= OP.PUSHDATA4) {
      length = opcode;
      if (opcode >= OP.PUSHDATA1) {
        const width = 1 << (opcode - OP.PUSHDATA1);
        if (at + width > script.length) return false;
        length = 0;
        for (let i = width - 1; i >= 0; i--) length = length * 256 + (script[at + i] as number);
        at += width;
      }
      if (length > script.length - at) return false;
    }
    this.opcode = opcode;
    this.data = length === 0 ? NO_DATA : script.subarray(at, at + length);
    this.offset = at + length;
    return true;
  }
}

/** Whether `opcode` is the shortest way to push `data` (BIP62 rule 3). */
export function isMinimalPush(opcode: number, data: Uint8Array): boolean {
  const { length } = data;
  if (length === 0) return opcode === OP[0];
  if (length === 1) {
    const only = data[0] as number;
    if ((only >= 1 && only <= 16) || only === 0x81) return false;
  }
  if (length <= 75) return opcode === length;
  if (length <= 0xff) return opcode === OP.PUSHDATA1;
  return length > 0xffff || opcode === OP.PUSHDATA2;
}

/** Nothing but pushes. OP_RESERVED counts as one, as in Bitcoin Core: it fails when run. */
export function isPushOnly(script: Uint8Array): boolean {
  const reader = new InstructionReader(script);
  while (!reader.done) if (!reader.next() || reader.opcode > OP[16]) return false;
  return true;
}

/** `data` as a script pushes it, by length alone: small numbers get no opcode of their own. */
export function pushOf(data: Uint8Array): Uint8Array {
  const { length } = data;
  const head =
    length < OP.PUSHDATA1
      ? [length]
      : length <= 0xff
        ? [OP.PUSHDATA1, length]
        : length <= 0xffff
          ? [OP.PUSHDATA2, length & 0xff, length >> 8]
          : [OP.PUSHDATA4, length & 0xff, (length >> 8) & 0xff, (length >> 16) & 0xff, length >>> 24];
  const push = new Uint8Array(head.length + length);
  push.set(head);
  push.set(data, head.length);
  return push;
}
