import { hex, sameBytes } from '../../bytes.ts';
import { hash160 } from '../../hashes.ts';
import { decodeMiniscript } from '../../scripts/miniscript/decode-miniscript.ts';
import { miniscriptKeys } from '../../scripts/miniscript/miniscript.ts';
import { satisfyMiniscript } from '../../scripts/miniscript/satisfy-miniscript.ts';
import { pushData } from '../../scripts/push.ts';
import type { EcdsaSpend } from '../signing/input-spend.ts';
import type { SigningView } from '../signing/signing-view.ts';
import { isObstacle, lacking, type Obstacle } from '../signing/spent-part.ts';
import type { FinalScripts } from './final-scripts.ts';
import { knownFacts } from './satisfying-facts.ts';
import { ecdsaSignatures, type InputSignatures } from './valid-signatures.ts';

/** P2PK, P2PKH, multisig, P2SH, P2WPKH, P2WSH and miniscripts in them. */
export function finalizeEcdsaInput(view: SigningView, index: number, spend: EcdsaSpend): FinalScripts | Obstacle {
  const signatures = ecdsaSignatures(view, index, spend);
  if (signatures.mismatch) return MISMATCH;
  const stack = stackFor(view, index, spend, signatures);
  if (isObstacle(stack)) return stack;
  const { redeemScript, witnessScript } = spend;
  if (spend.scheme === 'legacy') {
    const pushes = redeemScript === null ? stack : [...stack, redeemScript];
    return { scriptSig: Buffer.concat(pushes.map(pushData)), witness: null };
  }
  return {
    scriptSig: redeemScript && pushData(redeemScript),
    witness: witnessScript === null ? stack : [...stack, witnessScript],
  };
}

export const MISMATCH = lacking('a signature is of another sighash type than its PSBT_IN_SIGHASH_TYPE says');

function stackFor(
  view: SigningView,
  index: number,
  { lock, scheme, scriptCode }: EcdsaSpend,
  signatures: InputSignatures,
): Uint8Array[] | Obstacle {
  const { valid } = signatures;
  if (lock.form === 'key-hash') {
    for (const [key, signature] of valid) {
      const publicKey = Buffer.from(key, 'hex');
      if (sameBytes(hash160(publicKey), lock.keyHash)) return [signature, publicKey];
    }
    return lacking(signaturesLacking(signatures, 'its signature is missing'));
  }
  const miniscript = decodeMiniscript(scriptCode, scheme);
  if (miniscript === null) return lacking('its script is neither a known form nor a miniscript');
  const stack = satisfyMiniscript(miniscript, {
    ...knownFacts(view, index, false),
    signature: (key) => valid.get(hex(key)) ?? null,
  });
  if (stack !== null) return stack;
  const keys = miniscriptKeys(miniscript).length;
  return lacking(
    signaturesLacking(signatures, `what its script wants is not all there (${valid.size} of ${keys} keys signed)`),
  );
}

/** A signature that does not hold is worth more words than one that is not there. */
export const signaturesLacking = ({ invalid }: InputSignatures, otherwise: string): string =>
  invalid.length === 0 ? otherwise : `the signature by ${invalid[0]} is not valid; ${otherwise}`;
