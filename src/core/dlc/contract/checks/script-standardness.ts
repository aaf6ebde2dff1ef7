import { outputKind, witnessProgram } from '../../../relay-policy/standard-scripts.ts';

/** dlcspecs Protocol.md, Script Pubkey Standardness Definition: P2PKH, P2SH, witness programs that may be paid to. */
export function scriptProblem(script: Uint8Array): string | null {
  const kind = outputKind(script);
  if (kind === 'p2pkh' || kind === 'p2sh') return null;
  // Of version 0 none but P2WPKH and P2WSH; later versions are anybody's to define.
  if (kind !== 'nonstandard' && witnessProgram(script) !== null) return null;
  return 'is none of P2PKH, P2SH, P2WPKH, P2WSH, or a witness program of version 1 to 16';
}
