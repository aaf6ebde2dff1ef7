import { hex } from '../bytes.ts';
import { InstructionReader } from './interpreter/instructions.ts';

/** Sizes of what a script may push that names a key: its hash, an x-only key, a compressed one, an uncompressed one. */
const KEY_SIZES = new Set([20, 32, 33, 65]);

/** What a script pushes that may be a key or a key's hash, as hex: whether a key is in it is one look-up. */
export function keysPushedBy(script: Uint8Array): ReadonlySet<string> {
  const found = new Set<string>();
  const reader = new InstructionReader(script);
  while (reader.next()) {
    const { data } = reader;
    if (KEY_SIZES.has(data.length)) found.add(hex(data));
  }
  return found;
}
