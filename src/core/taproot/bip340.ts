import { signSchnorr } from '@scure/btc-signer/utils.js';
import { pointMultiply } from 'tiny-secp256k1';
import { sameBytes } from '../bytes.ts';
import { taggedHash } from '../hashes.ts';
import { ecc } from '../keys/ecc.ts';
import { CURVE_ORDER, scalarBytes, scalarOf } from '../keys/scalars.ts';
import { invalidPrivateKey } from './tweak.ts';

const FIELD_SIZE = 2n ** 256n - 2n ** 32n - 977n;
const challenge = taggedHash('BIP0340/challenge');

/**
 * Signs a message of any length (BIP340; taproot's are 32 bytes). `auxiliaryRandomness`: 32 bytes. Throws `invalid_key`.
 * The caller overwrites the key when done.
 */
export function schnorrSign(message: Uint8Array, privateKey: Uint8Array, auxiliaryRandomness: Uint8Array): Uint8Array {
  if (!ecc.isPrivate(privateKey)) throw invalidPrivateKey();
  return message.length === 32
    ? ecc.signSchnorr(message, privateKey, auxiliaryRandomness)
    : signSchnorr(message, privateKey, auxiliaryRandomness);
}

/** Why a signature does not hold. */
export type SchnorrProblem =
  | 'public_key_not_on_curve'
  | 'signature_size'
  | 'r_out_of_range'
  | 's_out_of_range'
  | 'signature_mismatch';

/** BIP340's verification of a message of any length; null where the signature (64 bytes) holds. */
export function schnorrProblem(
  message: Uint8Array,
  publicKey: Uint8Array,
  signature: Uint8Array,
): SchnorrProblem | null {
  if (signature.length !== 64) return 'signature_size';
  if (publicKey.length !== 32 || !ecc.isXOnlyPoint(publicKey)) return 'public_key_not_on_curve';
  if (scalarOf(signature.subarray(0, 32)) >= FIELD_SIZE) return 'r_out_of_range';
  if (scalarOf(signature.subarray(32)) >= CURVE_ORDER) return 's_out_of_range';
  const holds =
    message.length === 32
      ? ecc.verifySchnorr(message, publicKey, signature)
      : holdsByEquation(message, publicKey, signature);
  return holds ? null : 'signature_mismatch';
}

/** R = s·G − e·P has an even y, and the x that the signature names. Nothing of it is secret. */
function holdsByEquation(message: Uint8Array, publicKey: Uint8Array, signature: Uint8Array): boolean {
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)];
  const negated = (CURVE_ORDER - (scalarOf(challenge(r, publicKey, message)) % CURVE_ORDER)) % CURVE_ORDER;
  if (negated === 0n) return false;
  const point = pointMultiply(Buffer.concat([Uint8Array.of(2), publicKey]), scalarBytes(negated), true);
  const nonce = point === null ? null : ecc.pointAddScalar(point, s, true);
  return nonce !== null && nonce[0] === 2 && sameBytes(nonce.subarray(1), r);
}
