import { DomainError } from '../../core/errors.ts';
import type { EncryptedSecret } from '../../store/records.ts';
import { decrypt, encrypt, IV_BYTES, KEY_BYTES } from './authenticated-encryption.ts';
import type { KeyProvider } from './key-provider.ts';

/** What a secret belongs to and is for; opening it as anything else fails. */
export interface SecretBinding {
  readonly walletId: string;
  readonly purpose: 'wallet-keys';
}

/** Wallet secrets at rest: each under a data key of its own, which the key provider wraps. */
export interface SecretBox {
  seal(plaintext: Uint8Array, binding: SecretBinding): Promise<EncryptedSecret>;
  /**
   * The caller overwrites the answer when done. Throws where the secret was changed or belongs elsewhere; `unavailable` where the master key
   * was changed since this process started.
   */
  open(secret: EncryptedSecret, binding: SecretBinding): Promise<Uint8Array>;
}

export function createSecretBox(deps: { provider: KeyProvider; randomBytes: (size: number) => Uint8Array }): SecretBox {
  const { provider, randomBytes } = deps;
  const keyContext = ({ walletId }: SecretBinding) => `wallet ${walletId}` as const;
  const associatedData = ({ walletId, purpose }: SecretBinding) => `ashlar secret v1\n${walletId}\n${purpose}`;

  return {
    async seal(plaintext, binding) {
      const dataKey = randomBytes(KEY_BYTES);
      try {
        const wrapped = await provider.wrap(dataKey, keyContext(binding));
        const { iv, ciphertext, tag } = encrypt(dataKey, randomBytes(IV_BYTES), plaintext, associatedData(binding));
        return {
          keyId: provider.keyId,
          wrappedKey: base64url(wrapped),
          iv: base64url(iv),
          ciphertext: base64url(ciphertext),
          tag: base64url(tag),
        };
      } finally {
        dataKey.fill(0);
      }
    },

    async open(secret, binding) {
      if (!provider.opens(secret.keyId)) {
        throw new DomainError(
          'unavailable',
          `the secret of wallet ${binding.walletId} is wrapped by key ${secret.keyId}, which is not here: start with that master key`,
        );
      }
      const dataKey = await provider.unwrap(Buffer.from(secret.wrappedKey, 'base64url'), keyContext(binding));
      try {
        const sealed = {
          iv: Buffer.from(secret.iv, 'base64url'),
          ciphertext: Buffer.from(secret.ciphertext, 'base64url'),
          tag: Buffer.from(secret.tag, 'base64url'),
        };
        return decrypt(dataKey, sealed, associatedData(binding));
      } finally {
        dataKey.fill(0);
      }
    },
  };
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
