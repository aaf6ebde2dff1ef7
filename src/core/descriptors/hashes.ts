import { createHash } from 'node:crypto';
import { crypto } from 'bitcoinjs-lib';

export const sha256 = (data: Uint8Array): Buffer => createHash('sha256').update(data).digest();
export const hash160 = (data: Uint8Array): Buffer => Buffer.from(crypto.hash160(data));
