import { hash } from 'node:crypto';

/** SHA-256 twice, Bitcoin's hash of blocks and transactions, in internal byte order. */
export function hash256(bytes: Uint8Array): Buffer {
  return hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer');
}

export function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer');
}
