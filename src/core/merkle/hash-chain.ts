/** The chain beside the tree: each seal hashes the one before it, so that whoever reads along needs no tree. */
import { hash } from 'node:crypto';

/** Before the first. */
export const FIRST_PREVIOUS_HASH: Buffer = Buffer.alloc(32);

/** SHA-256 over the previous seal's hash and this leaf's hash. */
export const sealHash = (previous: Uint8Array, leaf: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([previous, leaf]), 'buffer');
