/** Verifying one RFC 9421 signature under a JWK. What a signature has to cover is not asked here (signature-rule.ts). */
import { createPublicKey, hash, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import {
  isSignatureError,
  type MessageDescriptor,
  type UntrustedSignatureCandidate,
  type Verifier,
  verifySignature,
} from 'http-message-sig';
import type { Secp256k1 } from '../keys/secp256k1.ts';
import { signatureMistake } from './signature-mistakes.ts';
import { algorithmOf, type PublicJwk, SIGNATURE_ALGORITHMS, type SignatureAlgorithm } from './signing-algorithm.ts';

interface VerifiedMessage {
  readonly algorithm: SignatureAlgorithm;
  /** What was signed (RFC 9421 §2.5), as text: it is ASCII. */
  readonly base: string;
  readonly value: Uint8Array;
  readonly parameters: UntrustedSignatureCandidate['parameters'];
}

/** The signature is malformed, fits no algorithm of ours, or does not hold. `base` where one was computed. */
export class SignatureInvalid extends Error {
  readonly base: string | null;
  constructor(message: string, base: string | null = null) {
    super(message);
    this.name = 'SignatureInvalid';
    this.base = base;
  }
}

export type VerifyMessage = (
  message: MessageDescriptor,
  /** The key that the candidate (not to be trusted yet) names. What it throws is thrown on. */
  resolveKey: (candidate: UntrustedSignatureCandidate) => PublicJwk | Promise<PublicJwk>,
) => Promise<VerifiedMessage>;

type Check = (base: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>;

/** Whether a signature by this key over these bytes holds. */
export type VerifyBytes = (jwk: PublicJwk, bytes: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>;

/** `ecc` verifies secp256k1: libsecp256k1 does it several times quicker than OpenSSL (docs/decisions/1001). */
export function createVerifyBytes(ecc: Pick<Secp256k1, 'verify'>): VerifyBytes {
  // By the JWK object: those of cached keys are parsed once.
  const checks = new WeakMap<PublicJwk, Check>();

  function checkOf(jwk: PublicJwk): Check {
    const known = checks.get(jwk);
    if (known !== undefined) return known;
    const check = jwk.crv === 'secp256k1' ? secp256k1Check(jwk, ecc) : nodeCheck(jwk);
    checks.set(jwk, check);
    return check;
  }

  return (jwk, bytes, signature) => checkOf(jwk)(bytes, signature);
}

export function createVerifyMessage(verifyBytes: VerifyBytes): VerifyMessage {
  return async (message, resolveKey) => {
    let base: string | null = null;
    try {
      const { verifier, signature, parameters } = await verifySignature(message, {
        // The time and the coverage are the rule's: it can say what is wrong with all of them at once.
        policy: {
          algorithms: SIGNATURE_ALGORITHMS,
          requiredComponents: [],
          requiredParameters: [],
          clockSkew: FOREVER,
        },
        async resolveVerifier(candidate): Promise<Verifier & { algorithm: SignatureAlgorithm }> {
          const jwk = await resolveKey(candidate);
          return {
            algorithm: algorithmOf(jwk),
            verify(data, value) {
              base = Buffer.from(data).toString('latin1');
              return verifyBytes(jwk, data, value);
            },
          };
        },
      });
      return { algorithm: verifier.algorithm, base: base ?? '', value: signature, parameters };
    } catch (error) {
      throw explained(error, message, base);
    }
  };
}

const FOREVER = Number.MAX_SAFE_INTEGER;

function nodeCheck(jwk: PublicJwk): Check {
  const key: KeyObject = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  const algorithm = jwk.crv === 'Ed25519' ? null : 'sha256';
  // A key object alone is taken as it is; within options it is looked for by exceptions, a fifth of the hand-over.
  const options = algorithm === null ? key : ({ key, dsaEncoding: 'ieee-p1363' } as const);
  // In the thread pool: OpenSSL takes 0.1 to 0.15 ms, the hand-over 0.02, and one of these is on every write.
  return (base, signature) => {
    if (inPool >= MAX_IN_POOL) return verify(algorithm, base, options, signature);
    inPool++;
    return new Promise((resolve, reject) => {
      verify(algorithm, base, options, signature, (error, holds) => {
        inPool--;
        if (error === null) resolve(holds);
        else reject(error);
      });
    });
  };
}

/** The pool's threads. Where so many checks are under way, others' work fills it: then the next are made here, and wait for nobody. */
const MAX_IN_POOL = 4;
let inPool = 0;

function secp256k1Check(jwk: PublicJwk & { readonly kty: 'EC' }, ecc: Pick<Secp256k1, 'verify'>): Check {
  const point = Buffer.concat([Buffer.of(4), Buffer.from(jwk.x, 'base64url'), Buffer.from(jwk.y, 'base64url')]);
  return (base, signature) => {
    try {
      return ecc.verify(hash('sha256', base, 'buffer'), point, signature);
    } catch {
      // It is no pair of scalars.
      return false;
    }
  };
}

function explained(error: unknown, message: MessageDescriptor, base: string | null): unknown {
  if (!isSignatureError(error)) return error;
  switch (error.code) {
    case 'ResolverFailed':
      return error.cause;
    case 'VerificationFailed':
      return new SignatureInvalid('it does not verify under its key', base);
    default:
      return new SignatureInvalid(signatureMistake(error.code, message));
  }
}
