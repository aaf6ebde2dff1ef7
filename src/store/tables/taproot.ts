import type { Network } from '../../core/network.ts';
import type { MusigSessionRecord, MusigState } from '../interfaces/musig-sessions.ts';
import type { StoredTree, TaprootOutputRecord } from '../interfaces/taproot-outputs.ts';
import { flag, integer, json, named, orNull, type RowOf, table, text, time } from './columns.ts';

export const taprootOutputs = table<TaprootOutputRecord>()('taproot_outputs', ['outputId'], {
  outputId: text(),
  accountId: text(),
  name: orNull(text()),
  externalId: orNull(text()),
  network: text<Network>(),
  internalKey: text(),
  tree: named('script_tree', orNull(json<StoredTree>())),
  leafCount: integer,
  merkleRoot: orNull(text()),
  outputKey: text(),
  parity: { load: (stored: bigint): 0 | 1 => (stored === 1n ? 1 : 0), store: BigInt },
  scriptPubKey: named('script_pubkey', text()),
  address: text(),
  createdAt: time,
  updatedAt: time,
});

export const musigSessions = table<MusigSessionRecord>()('musig_sessions', ['sessionId'], {
  sessionId: text(),
  accountId: text(),
  name: orNull(text()),
  externalId: orNull(text()),
  state: text<MusigState>(),
  message: text(),
  sorted: flag,
  tweaks: json<MusigSessionRecord['tweaks']>(),
  taproot: orNull(json<NonNullable<MusigSessionRecord['taproot']>>()),
  participants: json<MusigSessionRecord['participants']>(),
  aggregateKey: text(),
  internalKey: orNull(text()),
  aggregateNonce: orNull(text()),
  signature: orNull(text()),
  createdAt: time,
  updatedAt: time,
});

/** Outputs kept for their script trees, and MuSig2 sessions. Nothing here is secret: hex and JSON text. */
export interface TaprootTables {
  taproot_outputs: RowOf<typeof taprootOutputs>;
  musig_sessions: RowOf<typeof musigSessions>;
  /** Every public nonce that a session or payment of the account was given; used_by: its session's id, or its unsigned txid. */
  musig_nonces: { account_id: string; public_nonce: string; used_by: string };
}
