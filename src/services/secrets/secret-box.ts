import { DomainError } from '../../core/errors.ts';
import type { EncryptedSecret, WalletId } from '../../store/records.ts';
import { decrypt, encrypt, IV_BYTES, KEY_BYTES } from './authenticated-encryption.ts';
import type { KeyProvider, WrapContext } from './key-provider.ts';

/** What a secret belongs to and is for; opening it as anything else fails. */
export type SecretBinding =
  | { readonly walletId: WalletId; readonly purpose: 'wallet-keys' }
  | { readonly oracleId: string; readonly purpose: 'oracle-key' }
  | { readonly oracleId: string; readonly eventId: string; readonly purpose: 'oracle-nonces' }
  | { readonly connectionId: string; readonly purpose: 'connection-secrets' };

/** Secrets at rest: each under a data key of its own, which the key provider wraps. */
export function createSecretBox(deps: { provider: KeyProvider; randomBytes: (size: number) => Uint8Array }) {
  const { provider, randomBytes } = deps;

  return {
    async encrypt(plaintext: Uint8Array, binding: SecretBinding) {
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

    /**
     * The caller overwrites the answer when done. Throws where the secret was changed or belongs elsewhere; `unavailable` where the master key
     * was changed since this process started.
     */
    async decrypt(secret: EncryptedSecret, binding: SecretBinding) {
      if (!provider.opens(secret.keyId)) {
        throw new DomainError(
          'unavailable',
          `the secret of ${keyContext(binding)} is wrapped by key ${secret.keyId}, which is not here: start with that master key`,
        );
      }
      const dataKey = await provider.unwrap(Buffer.from(secret.wrappedKey, 'base64url'), keyContext(binding));
      try {
        const encrypted = {
          iv: Buffer.from(secret.iv, 'base64url'),
          ciphertext: Buffer.from(secret.ciphertext, 'base64url'),
          tag: Buffer.from(secret.tag, 'base64url'),
        };
        return decrypt(dataKey, encrypted, associatedData(binding));
      } finally {
        dataKey.fill(0);
      }
    },
  };
}

export type SecretBox = ReturnType<typeof createSecretBox>;

function keyContext(binding: SecretBinding): WrapContext {
  if (binding.purpose === 'wallet-keys') return `wallet ${binding.walletId}`;
  if (binding.purpose === 'oracle-key') return `oracle ${binding.oracleId}`;
  if (binding.purpose === 'connection-secrets') return `connection ${binding.connectionId}`;
  return `nonces ${binding.oracleId} ${binding.eventId}`;
}

/** An event's id is free text: it stands last. */
function associatedData(binding: SecretBinding): string {
  const { purpose } = binding;
  if (purpose === 'wallet-keys') return `ashlar secret v1\n${binding.walletId}\n${purpose}`;
  if (purpose === 'connection-secrets') return `ashlar secret v1\n${binding.connectionId}\n${purpose}`;
  const { oracleId } = binding;
  if (purpose === 'oracle-key') return `ashlar secret v1\n${oracleId}\n${purpose}`;
  return `ashlar secret v1\n${oracleId}\n${purpose}\n${binding.eventId}`;
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
