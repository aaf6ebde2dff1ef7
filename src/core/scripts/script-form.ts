/** The forms of scriptPubKey that the field names, as far as something here depends on them. */
export type ScriptForm =
  | { form: 'p2pkh' | 'p2sh' | 'p2wpkh' | 'p2wsh' | 'p2tr'; program: Uint8Array }
  | { form: 'witness-unknown' | 'anchor' | 'null-data' | 'p2pk' | 'multisig' | 'nonstandard' };

const OP_RETURN = 0x6a;
const OP_CHECKSIG = 0xac;

export function scriptForm(script: Uint8Array): ScriptForm {
  const { length } = script;
  const first = script[0];
  if (length === 22 && first === 0x00 && script[1] === 20) return { form: 'p2wpkh', program: script.subarray(2) };
  if (length === 34 && first === 0x51 && script[1] === 32) return { form: 'p2tr', program: script.subarray(2) };
  if (length === 34 && first === 0x00 && script[1] === 32) return { form: 'p2wsh', program: script.subarray(2) };
  if (
    length === 25 &&
    first === 0x76 &&
    script[1] === 0xa9 &&
    script[2] === 20 &&
    script[23] === 0x88 &&
    script[24] === OP_CHECKSIG
  )
    return { form: 'p2pkh', program: script.subarray(3, 23) };
  if (length === 23 && first === 0xa9 && script[1] === 20 && script[22] === 0x87)
    return { form: 'p2sh', program: script.subarray(2, 22) };
  if (length === 4 && first === 0x51 && script[1] === 2 && script[2] === 0x4e && script[3] === 0x73)
    return { form: 'anchor' };
  if (isWitnessProgram(script)) return { form: first === 0x00 ? 'nonstandard' : 'witness-unknown' };
  if (first === OP_RETURN) return { form: isPushOnly(script.subarray(1)) ? 'null-data' : 'nonstandard' };
  if ((length === 35 || length === 67) && first === length - 2 && script[length - 1] === OP_CHECKSIG)
    return { form: 'p2pk' };
  return { form: multisigOf(script) ? 'multisig' : 'nonstandard' };
}

/** BIP141: a version opcode and one direct push of 2 to 40 bytes. */
function isWitnessProgram(script: Uint8Array): boolean {
  const version = script[0];
  if (script.length < 4 || script.length > 42 || version === undefined) return false;
  return (version === 0 || (version >= 0x51 && version <= 0x60)) && script[1] === script.length - 2;
}

export interface Multisig {
  readonly required: number;
  readonly keys: readonly Uint8Array[];
}

/** m-of-n CHECKMULTISIG with n up to 20 keys of plausible length; null where the script is anything else. */
export function multisigOf(script: Uint8Array): Multisig | null {
  if (script.length < 3 + 34 || script[script.length - 1] !== 0xae) return null;
  const elements = elementsOf(script.subarray(0, -1), { shortest: true });
  if (!elements || elements.length < 3) return null;
  const required = smallNumber(elements[0] as ScriptElement);
  const total = smallNumber(elements[elements.length - 1] as ScriptElement);
  const keys: Uint8Array[] = [];
  for (const element of elements.slice(1, -1)) {
    if (typeof element === 'number' || (element.length !== 33 && element.length !== 65)) return null;
    keys.push(element);
  }
  if (required === null || total === null || total !== keys.length || total > 20) return null;
  return required >= 1 && required <= total ? { required, keys } : null;
}

/** What a script of pushes alone, each in its shortest form (BIP62 rule 3), leaves on the stack; null for any other script. */
export function pushesOf(script: Uint8Array): Uint8Array[] | null {
  const elements = elementsOf(script, { shortest: true });
  if (!elements) return null;
  const stack: Uint8Array[] = [];
  for (const element of elements) {
    if (typeof element !== 'number') stack.push(element);
    else if (element === 0) stack.push(new Uint8Array(0));
    else if (element === 0x4f) stack.push(Uint8Array.of(0x81));
    else if (element >= 0x51 && element <= 0x60) stack.push(Uint8Array.of(element - 0x50));
    else return null;
  }
  return stack;
}

/** An opcode, or the bytes that one pushes. */
type ScriptElement = number | Uint8Array;

function isPushOnly(script: Uint8Array): boolean {
  return elementsOf(script, { shortest: false })?.every((e) => typeof e !== 'number' || e <= 0x60) ?? false;
}

function elementsOf(script: Uint8Array, { shortest }: { shortest: boolean }): ScriptElement[] | null {
  const elements: ScriptElement[] = [];
  for (let at = 0; at < script.length; ) {
    const opcode = script[at++] as number;
    if (opcode === 0 || opcode > 0x4e) {
      elements.push(opcode);
      continue;
    }
    let length = opcode;
    if (opcode >= 0x4c) {
      const width = 1 << (opcode - 0x4c);
      if (at + width > script.length) return null;
      length = 0;
      for (let i = width - 1; i >= 0; i--) length = length * 256 + (script[at + i] as number);
      at += width;
    }
    if (length > script.length - at) return null;
    const data = script.subarray(at, at + length);
    at += length;
    if (shortest && !isShortest(opcode, data)) return null;
    elements.push(data);
  }
  return elements;
}

function isShortest(opcode: number, data: Uint8Array): boolean {
  const { length } = data;
  const only = data[0] as number;
  if (length === 0) return false;
  if (length === 1 && ((only >= 1 && only <= 16) || only === 0x81)) return false;
  if (length <= 75) return opcode === length;
  return length <= 255 ? opcode === 0x4c : length <= 0xffff ? opcode === 0x4d : opcode === 0x4e;
}

function smallNumber(element: ScriptElement): number | null {
  if (typeof element === 'number') return element >= 0x51 && element <= 0x60 ? element - 0x50 : null;
  const value = element[0] as number;
  return element.length === 1 && value > 16 && value < 0x80 ? value : null;
}
