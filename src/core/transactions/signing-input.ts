import type { Outpoint } from '../outpoint.ts';
import type { ScriptType } from '../script-type.ts';

/** A coin that a transaction spends, with what is needed to size and sign it. */
export interface SpendableCoin extends Outpoint {
  readonly amountSats: bigint;
  /** hex */
  readonly scriptPubKey: string;
  readonly scriptType: ScriptType;
  /** Branch (0 external, 1 change) and index of its key within the wallet. */
  readonly change: boolean;
  readonly index: number;
}

/** Gives the private key of a branch and index for the length of one call; the caller zeroes what it was given when done. */
export interface KeyRing {
  privateKey(change: boolean, index: number): Uint8Array;
  publicKey(change: boolean, index: number): Uint8Array;
  /** Overwrites the secret material; the ring is unusable afterwards. */
  dispose(): void;
}
