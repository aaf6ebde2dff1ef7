import type { EncryptedSecret } from '../records.ts';

export interface EventKey {
  readonly oracleId: string;
  readonly eventId: string;
}

/** What the master key wraps, in whatever account: for changing that key and nothing else. */
export interface WrappedKeyRepository {
  /** Settings whose names begin so, in order of name. */
  settings(prefix: string): Promise<{ name: string; value: string }[]>;
  countWalletSecrets(): Promise<number>;
  /** Wallets with a secret, in order of id, after one. */
  walletSecrets(afterWalletId: string, limit: number): Promise<{ walletId: string; secret: EncryptedSecret }[]>;
  replaceWalletSecret(walletId: string, secret: EncryptedSecret): Promise<void>;
  countOracleSecrets(): Promise<number>;
  /** Local oracles, in order of id, after one. */
  oracleSecrets(afterOracleId: string, limit: number): Promise<{ oracleId: string; secret: EncryptedSecret }[]>;
  replaceOracleSecret(oracleId: string, secret: EncryptedSecret): Promise<void>;
  countEventNonces(): Promise<number>;
  /** Events with nonces, in order of oracle and id, after one. */
  eventNonces(after: EventKey, limit: number): Promise<(EventKey & { nonces: EncryptedSecret })[]>;
  replaceEventNonces(event: EventKey, nonces: EncryptedSecret): Promise<void>;
}
