import type { Network } from '../../core/network.ts';
import type { Page, PageRequest } from '../records.ts';

/** A leaf, or the two halves of a branch; scripts in hex. */
export type StoredTree = { readonly script: string; readonly leafVersion: number } | readonly [StoredTree, StoredTree];

/** All keys and hashes in hex. */
export interface TaprootOutputRecord {
  readonly outputId: string;
  readonly accountId: string;
  readonly name: string | null;
  readonly externalId: string | null;
  readonly network: Network;
  /** x-only */
  readonly internalKey: string;
  readonly tree: StoredTree | null;
  readonly leafCount: number;
  readonly merkleRoot: string | null;
  /** x-only */
  readonly outputKey: string;
  readonly parity: 0 | 1;
  readonly scriptPubKey: string;
  readonly address: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface TaprootOutputFilter {
  name?: string;
  externalId?: string;
  address?: string;
}

export interface TaprootOutputRepository {
  insert(output: TaprootOutputRecord): Promise<void>;
  find(accountId: string, outputId: string): Promise<TaprootOutputRecord | null>;
  /** Newest first. */
  list(accountId: string, filter: TaprootOutputFilter, page: PageRequest): Promise<Page<TaprootOutputRecord>>;
  /** What the owner calls it: the rest never changes. False where it is not the account's. */
  rename(
    accountId: string,
    outputId: string,
    names: Pick<TaprootOutputRecord, 'name' | 'externalId' | 'updatedAt'>,
  ): Promise<boolean>;
  /** False where it is not the account's, or a wallet of the account watches its script: the tree may be what spends a coin. */
  deleteUnwatched(accountId: string, outputId: string): Promise<boolean>;
  /** A wallet of the account that watches the script; null where none does. */
  watchedBy(accountId: string, scriptPubKey: string): Promise<string | null>;
}
