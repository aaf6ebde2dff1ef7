import { satisfier } from '@bitcoinerlab/miniscript';
import { compactSizeLength } from '../policy/dust.ts';

export interface WeighedLeaf {
  readonly tapScript: Uint8Array;
  /** Keys as placeholders; absent for what is no miniscript. */
  readonly expandedMiniscript?: string;
  /** Branches above it. */
  readonly depth: number;
}

const KEY_PATH_INPUT = 4 * 41;
/** With a hash type. */
const SIGNATURE = 1 + 65;
const PREIMAGE = 1 + 32;

/** Weight units of an input that is spent by this leaf, the cheapest way that nobody can change. */
export function tapLeafWeight({ tapScript, expandedMiniscript, depth }: WeighedLeaf): number {
  const controlBlock = 33 + 32 * depth;
  const stack = Math.min(...satisfactions(expandedMiniscript ?? '').map(stackSize));
  const script = compactSizeLength(tapScript.length) + tapScript.length;
  return (
    KEY_PATH_INPUT + 1 + (Number.isFinite(stack) ? stack : 0) + script + compactSizeLength(controlBlock) + controlBlock
  );
}

function satisfactions(miniscript: string): string[] {
  try {
    return satisfier(miniscript, { tapscript: true }).nonMalleableSats.map(({ asm }) => asm);
  } catch {
    return [];
  }
}

const stackSize = (asm: string): number =>
  asm
    .split(' ')
    .filter((item) => item !== '')
    .reduce(
      (size, item) =>
        size + (item.startsWith('<sig') ? SIGNATURE : item.startsWith('<') ? PREIMAGE : item === '0' ? 1 : 2),
      0,
    );
