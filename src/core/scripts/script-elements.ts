export interface Multisig {
  readonly required: number;
  readonly keys: readonly Uint8Array[];
}

/** m-of-n CHECKMULTISIG with n up to 20 keys of plausible length; null where the script is anything else. */
export function multisigOf(script: Uint8Array): Multisig | null {
  if (script.length < 3 + 34 || script[script.length - 1] !== 0xae) return null;
  const elements = elementsOf(script.subarray(0, -1));
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
  const elements = elementsOf(script);
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

/** null where a push is not in its shortest form, or longer than what is left of the script. */
function elementsOf(script: Uint8Array): ScriptElement[] | null {
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
    if (!isShortest(opcode, data)) return null;
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
