/** A key for one signature or a few. The one who asked for it overwrites `privateKey` when done. */
export interface SigningKey {
  readonly privateKey: Uint8Array;
  /** As scripts have it: 33 bytes, or 65 where it is an uncompressed key. */
  readonly publicKey: Uint8Array;
}

/** What a PSBT says of where a key comes from (BIP174's and BIP371's derivation fields). */
export interface KeyDerivation {
  /** 33 or 65 bytes, or x-only with 32. */
  readonly publicKey: Uint8Array;
  /** Of the master key, 8 hex digits. */
  readonly fingerprint: string;
  /** Hardened steps have bit 31. */
  readonly path: readonly number[];
}

export interface PsbtSigner {
  /**
   * The keys that this signer has for an input, `derivations` being those of the keys that can sign it. A signer of one plain key gives
   * that whatever it is asked. Throws `too_large` where the paths are longer than any wallet's.
   */
  keysFor(derivations: readonly KeyDerivation[]): SigningKey[];
  /** What to say where it has none: "no derivation path of this key is given". */
  readonly without: string;
  /** Overwrites the secret; the signer is unusable afterwards. */
  dispose(): void;
}
