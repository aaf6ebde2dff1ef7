/** Whom a transaction's inputs are of, by what they show: outputs that they spend are not looked up. */
import type { ParsedInput } from '../blocks/transaction.ts';
import { hex } from '../bytes.ts';
import { p2pkh, p2sh, p2wpkh, p2wsh } from '../scripts/output-scripts.ts';
import { pushesOf } from '../scripts/script-elements.ts';
import { screeningKey } from './screening-key.ts';

/**
 * Keys (screening-key.ts) of all output scripts that this could be the spend of: P2PKH, P2WPKH, P2SH and P2WSH tell theirs; P2PK, bare multisig
 * and taproot tell none. Pushes that are not in their shortest form, which nodes do not relay, are not read.
 */
export function payerKeys({ scriptSig, witness }: Pick<ParsedInput, 'scriptSig' | 'witness'>): string[] {
  const pushed = pushesOf(scriptSig)?.at(-1) ?? null;
  const last = witness.at(-1);
  const scripts: Uint8Array[] = [];
  if (pushed !== null) scripts.push(p2sh(pushed), ...(isPublicKey(pushed) ? [p2pkh(pushed)] : []));
  if (scriptSig.length === 0 && last !== undefined) {
    scripts.push(p2wsh(last));
    if (witness.length === 2 && isPublicKey(last)) scripts.push(p2wpkh(last));
  }
  return scripts.map((script) => screeningKey(hex(script)));
}

const isPublicKey = (bytes: Uint8Array): boolean =>
  (bytes.length === 33 && (bytes[0] === 2 || bytes[0] === 3)) || (bytes.length === 65 && bytes[0] === 4);
