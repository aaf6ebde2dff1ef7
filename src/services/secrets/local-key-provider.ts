import { createHmac } from 'node:crypto';
import { decrypt, encrypt, IV_BYTES, KEY_BYTES, TAG_BYTES } from './authenticated-encryption.ts';
import type { KeyProvider } from './key-provider.ts';

/** Wraps data keys with a master key held in memory. Wrapped: IV, ciphertext, tag. */
export function createLocalKeyProvider(deps: {
  masterKey: Uint8Array;
  randomBytes: (size: number) => Uint8Array;
}): KeyProvider {
  const { masterKey, randomBytes } = deps;
  if (masterKey.length !== KEY_BYTES) throw new RangeError(`a master key has ${KEY_BYTES} bytes`);
  const derive = (purpose: string) =>
    createHmac('sha256', masterKey).update(`ashlar master key ${purpose}`).digest('hex');
  const associatedData = (context: string) => `ashlar data key v1\n${context}`;

  return {
    keyId: `local-${derive('id').slice(0, 16)}`,

    async wrap(dataKey, context) {
      const { iv, ciphertext, tag } = encrypt(masterKey, randomBytes(IV_BYTES), dataKey, associatedData(context));
      return Buffer.concat([iv, ciphertext, tag]);
    },

    async unwrap(wrapped, context) {
      const sealed = {
        iv: wrapped.subarray(0, IV_BYTES),
        ciphertext: wrapped.subarray(IV_BYTES, -TAG_BYTES),
        tag: wrapped.subarray(-TAG_BYTES),
      };
      return decrypt(masterKey, sealed, associatedData(context));
    },

    async checkValue() {
      return derive('check value');
    },
  };
}
