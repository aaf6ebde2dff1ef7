/** What creators, constructors and updaters are given, and its fields as they stand in maps. */
import type { Outpoint } from '../../outpoint.ts';
import type { TapLeafScript } from '../codec/input-fields.ts';
import type { Bip32Derivation, TapBip32Derivation } from '../codec/key-derivations.ts';
import type { TapTreeLeaf } from '../codec/output-fields.ts';
import type { PsbtEntry } from '../psbt-map.ts';

interface SpentOutputDraft {
  readonly amountSats: bigint;
  /** scriptPubKey */
  readonly script: Uint8Array;
}

/** What an updater may add to an input. What is left out stays as it is. */
export interface PsbtInputFacts {
  readonly witnessUtxo?: SpentOutputDraft | undefined;
  /** The whole transaction that made the output, in network serialization. */
  readonly nonWitnessUtxo?: Uint8Array | undefined;
  readonly redeemScript?: Uint8Array | undefined;
  readonly witnessScript?: Uint8Array | undefined;
  readonly bip32Derivations?: readonly Bip32Derivation[] | undefined;
  readonly sighashType?: number | undefined;
  readonly tapInternalKey?: Uint8Array | undefined;
  readonly tapMerkleRoot?: Uint8Array | undefined;
  readonly tapLeafScripts?: readonly TapLeafScript[] | undefined;
  readonly tapBip32Derivations?: readonly TapBip32Derivation[] | undefined;
  /** Any others, as they stand in the map: preimages, MuSig2's fields, proprietary ones. */
  readonly fields?: readonly PsbtEntry[] | undefined;
}

export interface PsbtInputDraft extends PsbtInputFacts {
  readonly outpoint: Outpoint;
  /** Final (0xffffffff) where left out. */
  readonly sequence?: number | undefined;
  /** Unix seconds, at least 500000000. */
  readonly requiredTimeLocktime?: number | undefined;
  /** A block height above 0, below 500000000. */
  readonly requiredHeightLocktime?: number | undefined;
}

/** What an updater may add to an output. */
export interface PsbtOutputFacts {
  readonly redeemScript?: Uint8Array | undefined;
  readonly witnessScript?: Uint8Array | undefined;
  readonly bip32Derivations?: readonly Bip32Derivation[] | undefined;
  readonly tapInternalKey?: Uint8Array | undefined;
  /** Depth first. */
  readonly tapTree?: readonly TapTreeLeaf[] | undefined;
  readonly tapBip32Derivations?: readonly TapBip32Derivation[] | undefined;
  readonly fields?: readonly PsbtEntry[] | undefined;
}

export interface PsbtOutputDraft extends PsbtOutputFacts {
  readonly amountSats: bigint;
  /** scriptPubKey */
  readonly script: Uint8Array;
}

export interface PsbtDraft {
  /** The transaction's own; 2 where left out. */
  readonly version?: number | undefined;
  readonly inputs: readonly PsbtInputDraft[];
  readonly outputs: readonly PsbtOutputDraft[];
  /** The locktime where no input requires one. */
  readonly fallbackLocktime?: number | undefined;
  /** What others may still add and remove; left out, nothing, and the PSBT does not say so. */
  readonly modifiable?: { readonly inputs: boolean; readonly outputs: boolean } | undefined;
  /** Further global fields: extended public keys, proprietary ones. */
  readonly fields?: readonly PsbtEntry[] | undefined;
}
