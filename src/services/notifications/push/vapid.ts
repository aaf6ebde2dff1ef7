/** The key pair that push services know this service by (RFC 8292). */
import { createECDH, createHmac } from 'node:crypto';

const CURVE = 'prime256v1';

export interface VapidKeys {
  /** Uncompressed, base64url: browsers' `applicationServerKey`. */
  readonly publicKey: string;
  /** 32 bytes, base64url. */
  readonly privateKey: string;
}

/** Of a key of the service, 32 bytes. */
export function vapidKeysOf(seed: Uint8Array): VapidKeys {
  const ecdh = createECDH(CURVE);
  for (let count = 0; ; count++) {
    const scalar = createHmac('sha256', seed).update(`vapid ${count}`).digest();
    try {
      ecdh.setPrivateKey(scalar);
    } catch {
      // Beyond the order of the curve: one of 2^32.
      continue;
    }
    return { publicKey: ecdh.getPublicKey('base64url'), privateKey: scalar.toString('base64url') };
  }
}
