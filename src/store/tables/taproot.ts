import type { Network } from '../../core/network.ts';
import { flag, integer, json, named, orNull, type RecordOf, type RowOf, table, text, time } from './columns.ts';

export const MUSIG_STATES = ['awaiting_nonces', 'awaiting_signatures', 'complete', 'cancelled'] as const;

export type MusigState = (typeof MUSIG_STATES)[number];

/** All in hex. */
export interface MusigParticipant {
  /** Compressed. */
  readonly publicKey: string;
  readonly publicNonce: string | null;
  readonly partialSignature: string | null;
}

export interface MusigSessionFilter {
  state?: MusigState;
  name?: string;
  externalId?: string;
}

/** A leaf, or the two halves of a branch; scripts in hex. */
export type StoredTree = { readonly script: string; readonly leafVersion: number } | readonly [StoredTree, StoredTree];

export interface TaprootOutputFilter {
  name?: string;
  externalId?: string;
  address?: string;
}

export const taprootOutputs = table('taproot_outputs', ['outputId'], {
  outputId: text(),
  accountId: text(),
  name: orNull(text()),
  externalId: orNull(text()),
  network: text<Network>(),
  /** x-only */
  internalKey: text(),
  tree: named('script_tree', orNull(json<StoredTree>())),
  leafCount: integer,
  merkleRoot: orNull(text()),
  /** x-only */
  outputKey: text(),
  parity: { load: (stored: bigint): 0 | 1 => (stored === 1n ? 1 : 0), store: BigInt },
  scriptPubKey: named('script_pubkey', text()),
  address: text(),
  createdAt: time,
  updatedAt: time,
});
/** All keys and hashes in hex. */
export type TaprootOutputRecord = RecordOf<typeof taprootOutputs>;

export const musigSessions = table('musig_sessions', ['sessionId'], {
  sessionId: text(),
  accountId: text(),
  name: orNull(text()),
  externalId: orNull(text()),
  state: text<MusigState>(),
  message: text(),
  /** Whether the participants were sorted for aggregation. */
  sorted: flag,
  /** Without taproot's. */
  tweaks: json<readonly { readonly tweak: string; readonly xOnly: boolean }[]>(),
  taproot: orNull(json<{ readonly merkleRoot: string | null }>()),
  /** In the order of aggregation. */
  participants: json<readonly MusigParticipant[]>(),
  /** x-only, tweaked. */
  aggregateKey: text(),
  /** x-only, before the taproot tweak. */
  internalKey: orNull(text()),
  aggregateNonce: orNull(text()),
  signature: orNull(text()),
  createdAt: time,
  updatedAt: time,
});
/** All keys, nonces and signatures in hex. */
export type MusigSessionRecord = RecordOf<typeof musigSessions>;

/** Outputs kept for their script trees, and MuSig2 sessions. Nothing here is secret: hex and JSON text. */
export interface TaprootTables {
  taproot_outputs: RowOf<typeof taprootOutputs>;
  musig_sessions: RowOf<typeof musigSessions>;
  /** Every public nonce that a session or payment of the account was given; used_by: its session's id, or its unsigned txid. */
  musig_nonces: { account_id: string; public_nonce: string; used_by: string };
}
