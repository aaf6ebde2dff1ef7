import { hex, sameBytes } from '../../bytes.ts';

interface KeptNonce {
  readonly secret: Uint8Array;
  /** What it was made for: nothing else is signed with it. */
  readonly message: Uint8Array;
}

/**
 * The secret nonces of one signer between BIP327's two rounds. They can neither be read nor written anywhere: a round takes each once,
 * for the message that it was made for, and it is overwritten then. A second signature by the same nonce would give the key away.
 */
export class MusigNonces {
  readonly #nonces = new Map<string, KeptNonce>();

  /** How many were not used yet. */
  get left(): number {
    return this.#nonces.size;
  }

  /** Takes the buffer over. `publicNonce` is what identifies it. */
  keep(publicNonce: Uint8Array, secret: Uint8Array, message: Uint8Array): void {
    this.#nonces.set(hex(publicNonce), { secret, message });
  }

  /** Gives the secret nonce to `use`, once. null where it is not here, was used, or was made for another message. */
  use<Result>(publicNonce: Uint8Array, message: Uint8Array, sign: (secret: Uint8Array) => Result): Result | null {
    const name = hex(publicNonce);
    const kept = this.#nonces.get(name);
    if (kept === undefined || !sameBytes(kept.message, message)) return null;
    this.#nonces.delete(name);
    try {
      return sign(kept.secret);
    } finally {
      kept.secret.fill(0);
    }
  }

  dispose(): void {
    for (const { secret } of this.#nonces.values()) secret.fill(0);
    this.#nonces.clear();
  }

  toJSON(): Record<string, never> {
    return {};
  }
}
