/** A point, compressed or not, in 33 bytes; not checked. */
export function compressed(point: Uint8Array): Uint8Array {
  if (point.length === 33) return point;
  const bytes = Uint8Array.from(point.subarray(0, 33));
  bytes[0] = isOdd(point) ? 3 : 2;
  return bytes;
}

/** Whether the y coordinate of a point, compressed or not, is odd. */
export const isOdd = (point: Uint8Array): boolean => (point[point.length === 33 ? 0 : 64]! & 1) === 1;
