/** AES-256-GCM with associated data; a fresh 12-byte IV for every message. */
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';

export const KEY_BYTES = 32;
export const IV_BYTES = 12;
export const TAG_BYTES = 16;

export interface Encrypted {
  readonly iv: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly tag: Uint8Array;
}

export function encrypt(
  key: Uint8Array | KeyObject,
  iv: Uint8Array,
  plaintext: Uint8Array,
  associatedData: string,
): Encrypted {
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(associatedData),
  );
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return { iv, ciphertext, tag: cipher.getAuthTag() };
}

/** Throws where key, data or tag do not belong together. The caller overwrites the answer when done. */
export function decrypt(key: Uint8Array | KeyObject, encrypted: Encrypted, associatedData: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.iv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(associatedData))
    .setAuthTag(encrypted.tag);
  const first = decipher.update(encrypted.ciphertext);
  try {
    // GCM gives everything in update; final only checks the tag.
    decipher.final();
    return first;
  } catch (error) {
    first.fill(0);
    throw error;
  }
}
