import { fail } from './script-error.ts';

/** Operands of arithmetic have at most 4 bytes, those of the lock times 5; results may be longer, and are then no operands. */
export const OPERAND_SIZE = 4;
export const LOCK_TIME_SIZE = 5;

/** A stack element read as a number: little-endian, the top bit its sign. Within 39 bits, so that a JavaScript number holds it exactly. */
export function decodeNumber(element: Uint8Array, requireMinimal: boolean, maxSize = OPERAND_SIZE): number {
  const { length } = element;
  if (length > maxSize) fail('SCRIPTNUM');
  if (length === 0) return 0;
  const top = element[length - 1] as number;
  if (requireMinimal && (top & 0x7f) === 0) {
    // A last byte without value is needed only to keep the sign away from the byte before it. Minus zero never is.
    if (length === 1 || ((element[length - 2] as number) & 0x80) === 0) fail('SCRIPTNUM');
  }
  let value = top & 0x7f;
  for (let i = length - 2; i >= 0; i--) value = value * 256 + (element[i] as number);
  return top & 0x80 ? -value : value;
}

const ZERO = new Uint8Array(0);

/** The shortest form of a number. */
export function encodeNumber(value: number): Uint8Array {
  if (value === 0) return ZERO;
  const bytes: number[] = [];
  for (let rest = Math.abs(value); rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  const sign = value < 0 ? 0x80 : 0;
  if ((bytes[bytes.length - 1] as number) & 0x80) bytes.push(sign);
  else bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) | sign;
  return Uint8Array.from(bytes);
}

/** False: every zero, minus zero too. */
export function isTrue(element: Uint8Array): boolean {
  const { length } = element;
  for (let i = 0; i < length; i++) if (element[i] !== 0) return !(i === length - 1 && element[i] === 0x80);
  return false;
}
