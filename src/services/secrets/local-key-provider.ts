import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { decrypt, encrypt, IV_BYTES, KEY_BYTES, TAG_BYTES } from './authenticated-encryption.ts';
import type { KeyProvider, WrapContext } from './key-provider.ts';

/**
 * Wraps data keys with a master key held in memory. Wrapped: IV, ciphertext, tag. `formerKeys` are the ones before it: they open what left
 * the database under them (backups), or was written by a process that had not heard of the change.
 */
export function createLocalKeyProvider(deps: {
  masterKey: Uint8Array;
  formerKeys?: readonly Uint8Array[];
  randomBytes: (size: number) => Uint8Array;
}): KeyProvider {
  const { masterKey, formerKeys = [], randomBytes } = deps;
  const keys = [masterKey, ...formerKeys];
  if (keys.some(({ length }) => length !== KEY_BYTES)) throw new RangeError(`a master key has ${KEY_BYTES} bytes`);
  const keyIds = keys.map((key) => masterKeyId(key));
  // As key objects they are taken in once: with bytes, that is most of what opening a data key costs.
  const opening = keys.map((key) => createSecretKey(key));
  const associatedData = (context: string) => `ashlar data key v1\n${context}`;

  return {
    keyId: keyIds[0] as string,
    opens: (keyId) => keyIds.includes(keyId),

    async wrap(dataKey, context) {
      const { iv, ciphertext, tag } = encrypt(
        opening[0] as KeyObject,
        randomBytes(IV_BYTES),
        dataKey,
        associatedData(context),
      );
      return Buffer.concat([iv, ciphertext, tag]);
    },

    async unwrap(wrapped: Uint8Array, context: WrapContext) {
      const encrypted = {
        iv: wrapped.subarray(0, IV_BYTES),
        ciphertext: wrapped.subarray(IV_BYTES, -TAG_BYTES),
        tag: wrapped.subarray(-TAG_BYTES),
      };
      let refusal: unknown;
      for (const key of opening) {
        try {
          return decrypt(key, encrypted, associatedData(context));
        } catch (error) {
          refusal ??= error;
        }
      }
      throw refusal;
    },

    checkValue: async () => derive(masterKey, 'check value'),
  };
}

/** Names a master key without telling anything of it. */
export const masterKeyId = (masterKey: Uint8Array): string => `local-${derive(masterKey, 'id').slice(0, 16)}`;

const derive = (masterKey: Uint8Array, purpose: string): string =>
  createHmac('sha256', masterKey).update(`ashlar master key ${purpose}`).digest('hex');
