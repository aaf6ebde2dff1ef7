import type { Psbt } from '../psbt.ts';
import { MAGIC } from './parse-psbt.ts';

/** The bytes of a PSBT. What was parsed and not changed comes out byte for byte as it came in. */
export function serializePsbt({ global, inputs, outputs }: Psbt): Buffer {
  let length = MAGIC.length + global.byteLength;
  for (const map of inputs) length += map.byteLength;
  for (const map of outputs) length += map.byteLength;
  const bytes = Buffer.allocUnsafe(length);
  bytes.set(MAGIC, 0);
  let at = global.write(bytes, MAGIC.length);
  for (const map of inputs) at = map.write(bytes, at);
  for (const map of outputs) at = map.write(bytes, at);
  return bytes;
}
