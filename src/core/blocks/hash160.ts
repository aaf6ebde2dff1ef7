import { hash } from 'node:crypto';

/** RIPEMD-160 of SHA-256, Bitcoin's hash of keys and redeem scripts. 20 bytes. */
export function hash160(bytes: Uint8Array): Buffer {
  return hash('ripemd160', hash('sha256', bytes, 'buffer'), 'buffer');
}
