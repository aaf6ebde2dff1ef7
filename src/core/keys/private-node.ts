import { createHmac } from 'node:crypto';
import { ecc } from './ecc.ts';

export const HARDENED = 0x80000000;

/**
 * A private key with its chain code (BIP32), in buffers that `dispose` overwrites. Kept apart from npm `bip32`, whose nodes copy
 * their keys and hash in JavaScript.
 */
export class PrivateNode {
  readonly privateKey: Uint8Array;
  readonly chainCode: Uint8Array;
  private point: Uint8Array | null = null;

  /** The buffers are taken over, not copied. */
  constructor(privateKey: Uint8Array, chainCode: Uint8Array) {
    this.privateKey = privateKey;
    this.chainCode = chainCode;
  }

  /** 33 bytes */
  get publicKey(): Uint8Array {
    this.point ??= ecc.pointFromScalar(this.privateKey, true) as Uint8Array;
    return this.point;
  }

  /** CKDpriv; hardened indexes have bit 31. Throws RangeError for the one index in 2^127 that has no key. */
  child(index: number): PrivateNode {
    const data = Buffer.alloc(37);
    if (index >= HARDENED) data.set(this.privateKey, 1);
    else data.set(this.publicKey, 0);
    data.writeUInt32BE(index, 33);
    const digest = createHmac('sha512', this.chainCode).update(data).digest();
    data.fill(0);
    try {
      const key = ecc.isPrivate(digest.subarray(0, 32))
        ? ecc.privateAdd(this.privateKey, digest.subarray(0, 32))
        : null;
      if (!key) throw new RangeError('there is no key of this index');
      return new PrivateNode(key, Uint8Array.prototype.slice.call(digest, 32));
    } finally {
      digest.fill(0);
    }
  }

  dispose(): void {
    this.privateKey.fill(0);
    this.chainCode.fill(0);
  }
}
