export const MUSIG_STATES = ['awaiting_nonces', 'awaiting_signatures', 'complete', 'cancelled'] as const;
export type MusigState = (typeof MUSIG_STATES)[number];

/** All in hex. */
export interface MusigParticipant {
  /** Compressed. */
  readonly publicKey: string;
  readonly publicNonce: string | null;
  readonly partialSignature: string | null;
}

/** All keys, nonces and signatures in hex. */
export interface MusigSessionRecord {
  readonly sessionId: string;
  readonly accountId: string;
  readonly name: string | null;
  readonly externalId: string | null;
  readonly state: MusigState;
  readonly message: string;
  /** Whether the participants were sorted for aggregation. */
  readonly sorted: boolean;
  /** Without taproot's. */
  readonly tweaks: readonly { readonly tweak: string; readonly xOnly: boolean }[];
  readonly taproot: { readonly merkleRoot: string | null } | null;
  /** In the order of aggregation. */
  readonly participants: readonly MusigParticipant[];
  /** x-only, tweaked. */
  readonly aggregateKey: string;
  /** x-only, before the taproot tweak. */
  readonly internalKey: string | null;
  readonly aggregateNonce: string | null;
  readonly signature: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface MusigSessionFilter {
  state?: MusigState;
  name?: string;
  externalId?: string;
}
