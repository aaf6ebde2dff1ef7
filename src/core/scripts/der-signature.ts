/**
 * r and s (64 bytes) of an ECDSA signature in strict DER (BIP66), given without its hash type byte; null where it is anything else or
 * where r or s exceed 32 bytes.
 */
export function compactFromDer(der: Uint8Array): Uint8Array | null {
  if (der.length < 8 || der.length > 72 || der[0] !== 0x30 || der[1] !== der.length - 2) return null;
  const compact = new Uint8Array(64);
  const afterR = readInteger(der, 2, compact, 0);
  if (afterR === null) return null;
  return readInteger(der, afterR, compact, 32) === der.length ? compact : null;
}

/** Writes the integer that starts at `start` right-aligned into 32 bytes of `into`; answers where it ends. */
function readInteger(der: Uint8Array, start: number, into: Uint8Array, at: number): number | null {
  const length = der[start + 1];
  if (der[start] !== 0x02 || length === undefined || length === 0) return null;
  let from = start + 2;
  const end = from + length;
  if (end > der.length) return null;
  const first = der[from] as number;
  if (first & 0x80) return null;
  if (first === 0 && length > 1) {
    if (!((der[from + 1] as number) & 0x80)) return null;
    from++;
  }
  if (end - from > 32) return null;
  into.set(der.subarray(from, end), at + 32 - (end - from));
  return end;
}

/** Strict DER (BIP66) of r and s (64 bytes), followed by the hash type byte: an ECDSA signature as scripts take it. */
export function derWithHashType(compact: Uint8Array, hashType: number): Buffer {
  const der = Buffer.allocUnsafe(73);
  let at = writeInteger(compact.subarray(0, 32), der, 2);
  at = writeInteger(compact.subarray(32, 64), der, at);
  der[0] = 0x30;
  der[1] = at - 2;
  der[at] = hashType;
  return der.subarray(0, at + 1);
}

/** Answers where it ends. */
function writeInteger(value: Uint8Array, der: Buffer, at: number): number {
  let from = 0;
  while (from < value.length - 1 && value[from] === 0) from++;
  const padding = (value[from] as number) >= 0x80 ? 1 : 0;
  const length = padding + value.length - from;
  der[at] = 0x02;
  der[at + 1] = length;
  if (padding) der[at + 2] = 0;
  der.set(value.subarray(from), at + 2 + padding);
  return at + 2 + length;
}
