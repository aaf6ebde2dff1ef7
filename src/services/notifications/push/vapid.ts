/** The key pair that push services know this service by (RFC 8292), and subscriptions as browsers give them. */
import { createECDH, createHmac, ECDH } from 'node:crypto';

const CURVE = 'prime256v1';

export interface VapidKeys {
  /** Uncompressed, base64url: browsers' `applicationServerKey`. */
  readonly publicKey: string;
  /** 32 bytes, base64url. */
  readonly privateKey: string;
}

/** What `PushSubscription.toJSON()` of the Push API gives. */
export interface PushSubscription {
  readonly endpoint: string;
  /** base64url: a point of P-256, and 16 random bytes (RFC 8291 §2). */
  readonly keys: { readonly p256dh: string; readonly auth: string };
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

const BASE64URL = /^[A-Za-z0-9_-]+$/;
const AUTH_BYTES = 16;
const UNCOMPRESSED_BYTES = 65;

export const isAuthSecret = (text: string): boolean =>
  BASE64URL.test(text) && Buffer.from(text, 'base64url').length === AUTH_BYTES;

/** An uncompressed point that is on the curve. */
export function isPushKey(text: string): boolean {
  const point = Buffer.from(text, 'base64url');
  if (!BASE64URL.test(text) || point.length !== UNCOMPRESSED_BYTES || point[0] !== 4) return false;
  try {
    ECDH.convertKey(point, CURVE);
    return true;
  } catch {
    return false;
  }
}
