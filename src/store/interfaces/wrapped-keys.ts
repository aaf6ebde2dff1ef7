import type { EncryptedSecret } from '../records.ts';

/** What the master key wraps, in whatever account: for changing that key and nothing else. */
export interface WrappedKeyRepository {
  /** Settings whose names begin so, in order of name. */
  settings(prefix: string): Promise<{ name: string; value: string }[]>;
  countWalletSecrets(): Promise<number>;
  /** Wallets with a secret, in order of id, after one. */
  walletSecrets(afterWalletId: string, limit: number): Promise<{ walletId: string; secret: EncryptedSecret }[]>;
  replaceWalletSecret(walletId: string, secret: EncryptedSecret): Promise<void>;
}
