import { isScalarBytes } from '../../keys/scalars.ts';

/** R || R_a || s_a || proof (dlcspecs ECDSA-adaptor.md): two compressed points, a scalar, the proof's challenge and response. */
export const ADAPTOR_SIGNATURE_BYTES = 162;

export interface AdaptorSignature {
  /** k·Y, compressed; its x is the r of the signature that comes out. */
  readonly noncePoint: Uint8Array;
  /** k·G, compressed. */
  readonly nonce: Uint8Array;
  readonly scalar: Uint8Array;
  /** That both points have one k. */
  readonly challenge: Uint8Array;
  readonly response: Uint8Array;
}

/** The parts, as views of the bytes. null for another length and for scalars that are none; whether points are on the curve shows in use. */
export function parseAdaptorSignature(bytes: Uint8Array): AdaptorSignature | null {
  if (bytes.length !== ADAPTOR_SIGNATURE_BYTES) return null;
  const parsed: AdaptorSignature = {
    noncePoint: bytes.subarray(0, 33),
    nonce: bytes.subarray(33, 66),
    scalar: bytes.subarray(66, 98),
    challenge: bytes.subarray(98, 130),
    response: bytes.subarray(130),
  };
  if (!isCompressed(parsed.noncePoint) || !isCompressed(parsed.nonce)) return null;
  return [parsed.scalar, parsed.challenge, parsed.response].every(isScalarBytes) ? parsed : null;
}

/** Its 162 bytes, into `bytes` from `at`. */
export function writeAdaptorSignature(signature: AdaptorSignature, bytes: Uint8Array, at: number): void {
  bytes.set(signature.noncePoint, at);
  bytes.set(signature.nonce, at + 33);
  bytes.set(signature.scalar, at + 66);
  bytes.set(signature.challenge, at + 98);
  bytes.set(signature.response, at + 130);
}

const isCompressed = (point: Uint8Array): boolean => point[0] === 2 || point[0] === 3;
