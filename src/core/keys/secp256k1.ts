export type RandomBytes = (size: number) => Uint8Array;

export interface XOnlyTweak {
  readonly parity: 0 | 1;
  readonly xOnlyPubkey: Uint8Array;
}

/**
 * secp256k1 as bip32, ecpair and bitcoinjs-lib expect it (tiny-secp256k1's names), so that one object serves all,
 * plus Bitcoin Core's way of signing. Points are 33 or 65 bytes, x-only points and scalars 32, signatures 64 (r, s).
 * A result outside the group (zero, infinity) is null; an argument that is no scalar or point throws.
 */
export interface Secp256k1 {
  /** Which implementation does ECDSA and point arithmetic; Schnorr is tiny-secp256k1's on both. */
  readonly implementation: 'native' | 'wasm';
  isPrivate(scalar: Uint8Array): boolean;
  isPoint(point: Uint8Array): boolean;
  isXOnlyPoint(xOnly: Uint8Array): boolean;
  pointFromScalar(scalar: Uint8Array, compressed?: boolean): Uint8Array | null;
  pointAddScalar(point: Uint8Array, tweak: Uint8Array, compressed?: boolean): Uint8Array | null;
  pointCompress(point: Uint8Array, compressed?: boolean): Uint8Array;
  /** For public scalars: its time depends on them. Compressed as the point is where nothing is said. */
  pointMultiply(point: Uint8Array, scalar: Uint8Array, compressed?: boolean): Uint8Array | null;
  /** Of one point or more. */
  pointSum(points: readonly Uint8Array[], compressed?: boolean): Uint8Array | null;
  /** For secret scalars, compressed. The native addon takes the same time for each; of WASM see wasm-secp256k1.ts. */
  pointTimesSecret(point: Uint8Array, scalar: Uint8Array, randomBytes: RandomBytes): Uint8Array;
  xOnlyPointFromScalar(scalar: Uint8Array): Uint8Array;
  xOnlyPointAddTweak(xOnly: Uint8Array, tweak: Uint8Array): XOnlyTweak | null;
  privateAdd(scalar: Uint8Array, tweak: Uint8Array): Uint8Array | null;
  privateSub(scalar: Uint8Array, tweak: Uint8Array): Uint8Array | null;
  privateNegate(scalar: Uint8Array): Uint8Array;
  /** Of a secret scalar with any but zero; safe as pointTimesSecret is. */
  privateMultiply(scalar: Uint8Array, factor: Uint8Array, randomBytes: RandomBytes): Uint8Array;
  /** Of public scalars other than zero. */
  scalarMultiply(one: Uint8Array, other: Uint8Array): Uint8Array;
  /** ECDSA with RFC 6979's nonce; `entropy` (32 bytes) is its additional data. Always low-S (BIP62), not always low-R. */
  sign(hash: Uint8Array, scalar: Uint8Array, entropy?: Uint8Array): Uint8Array;
  /** Throws on what is no signature or point. Without `strict` a high S passes too. */
  verify(hash: Uint8Array, point: Uint8Array, signature: Uint8Array, strict?: boolean): boolean;
  /** The public key under which the signature (r, s) is valid (SEC 1, 4.1.6); `recoveryId` bit 0: R's y is odd, bit 1: r is its x less the order. */
  recover(hash: Uint8Array, signature: Uint8Array, recoveryId: 0 | 1 | 2 | 3, compressed?: boolean): Uint8Array | null;
  /** BIP340 over a 32-byte message; `auxiliaryRandomness` is 32 bytes, all zero when left out. */
  signSchnorr(hash: Uint8Array, scalar: Uint8Array, auxiliaryRandomness?: Uint8Array): Uint8Array;
  verifySchnorr(hash: Uint8Array, xOnly: Uint8Array, signature: Uint8Array): boolean;
  /** ECDSA as Bitcoin Core signs: RFC 6979, then a counter as additional data until R fits 32 bytes (DER of at most 70 bytes). */
  signEcdsa(hash: Uint8Array, scalar: Uint8Array): Uint8Array;
  /** Strict (low-S) verification; false for anything malformed. */
  verifyEcdsa(hash: Uint8Array, point: Uint8Array, signature: Uint8Array): boolean;
}

/** What an implementation brings; the two ECDSA functions of ours come on top. */
export type Secp256k1Primitives = Omit<Secp256k1, 'signEcdsa' | 'verifyEcdsa'>;
