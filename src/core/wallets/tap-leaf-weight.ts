import { compactSizeLength } from '../policy/dust.ts';
import { decodeMiniscript } from '../scripts/miniscript/decode-miniscript.ts';
import { satisfyMiniscript } from '../scripts/miniscript/satisfy-miniscript.ts';

export interface WeighedLeaf {
  readonly tapScript: Uint8Array;
  /** Branches above it. */
  readonly depth: number;
}

const KEY_PATH_INPUT = 4 * 41;
/** With a hash type. */
const SIGNATURE = new Uint8Array(65);
const KEY_OR_PREIMAGE = new Uint8Array(32);

/** Weight units of an input that is spent by this leaf, the cheapest way that nobody can change. */
export function tapLeafWeight({ tapScript, depth }: WeighedLeaf): number {
  const controlBlock = 33 + 32 * depth;
  const stack = cheapestStack(tapScript).reduce((size, item) => size + 1 + item.length, 0);
  const script = compactSizeLength(tapScript.length) + tapScript.length;
  return KEY_PATH_INPUT + 1 + stack + script + compactSizeLength(controlBlock) + controlBlock;
}

function cheapestStack(tapScript: Uint8Array): readonly Uint8Array[] {
  const miniscript = decodeMiniscript(tapScript, 'tapscript');
  const everything = {
    signature: () => SIGNATURE,
    keyOf: () => KEY_OR_PREIMAGE,
    preimage: () => KEY_OR_PREIMAGE,
    older: () => true,
    after: () => true,
  };
  return (miniscript && satisfyMiniscript(miniscript, everything)) ?? [];
}
