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
