import type { Network } from '../../core/network.ts';

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
