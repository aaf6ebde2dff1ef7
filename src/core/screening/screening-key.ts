/** How a listed address and a payee are compared. */
import { hex } from '../bytes.ts';
import { hash160 } from '../hashes.ts';
import { outputKind } from '../relay-policy/standard-scripts.ts';
import { p2sh, witnessProgramScript } from '../scripts/output-scripts.ts';

/**
 * The same for all scripts that one key spends: P2PKH, P2WPKH, P2SH-P2WPKH and P2PK of it have the P2SH script, the only one of them that
 * tells nothing of the others. Every other script has itself.
 */
export function screeningKey(scriptPubKey: string): string {
  const script = Buffer.from(scriptPubKey, 'hex');
  const keyHash = keyHashOf(script);
  return keyHash === null ? scriptPubKey : hex(p2sh(witnessProgramScript(0, keyHash)));
}

function keyHashOf(script: Uint8Array): Uint8Array | null {
  switch (outputKind(script)) {
    case 'p2pkh':
      return script.subarray(3, 23);
    case 'p2wpkh':
      return script.subarray(2);
    case 'p2pk':
      return hash160(script.subarray(1, -1));
    default:
      return null;
  }
}
