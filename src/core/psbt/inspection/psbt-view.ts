/** What a PSBT says, put for people and for answers: made by inspect-psbt.ts. */
import type { Outpoint, Txid } from '../../outpoint.ts';
import type { PsbtV2 } from '../psbt.ts';
import type { DerivedBy } from './own-scripts.ts';

export interface PsbtView {
  readonly psbt: PsbtV2;
  /** Every input is final: the transaction can be extracted. */
  readonly complete: boolean;
  /** null where an input's amount is not known. */
  readonly feeSats: bigint | null;
  /** Every input has its whole previous transaction, which has the txid that the input names. */
  readonly feeVerified: boolean;
  /** null where the locktimes that inputs require have no common one. */
  readonly unsignedTxid: Txid | null;
  /** Serialized; null where the txid is, and where there are no inputs: other programs could not read that. */
  readonly unsignedTransaction: Uint8Array | null;
  readonly locktime: number | null;
  readonly fallbackLocktime: number | null;
  readonly txVersion: number;
  readonly txModifiable: { readonly inputs: boolean; readonly outputs: boolean; readonly hasSighashSingle: boolean };
  readonly inputs: readonly InputView[];
  readonly outputs: readonly OutputView[];
  /** What somebody who is asked to sign should know, as sentences. */
  readonly warnings: readonly string[];
}

export interface KeyOriginView {
  /** Hex; x-only for taproot. */
  readonly publicKey: string;
  /** 8 hex digits. */
  readonly fingerprint: string;
  readonly path: readonly number[];
  /** Hex; null where the key is not taproot's. */
  readonly leafHashes: readonly string[] | null;
}

export interface SignatureView {
  readonly publicKey: string;
  /** Of the master key, where the PSBT tells it. */
  readonly fingerprint: string | null;
  /** Of the leaf that is signed for; null for every other signature. */
  readonly leafHash: string | null;
  readonly sighashType: number;
  /** null where it cannot be checked, for lack of the outputs that are spent. */
  readonly valid: boolean | null;
}

export interface MissingSignatureView {
  readonly publicKey: string;
  readonly fingerprint: string | null;
  readonly path: readonly number[] | null;
}

export interface InputView {
  readonly outpoint: Outpoint;
  readonly sequence: number;
  readonly requiredTimeLocktime: number | null;
  readonly requiredHeightLocktime: number | null;
  readonly address: string | null;
  readonly amountSats: bigint | null;
  /** By the whole previous transaction. */
  readonly amountVerified: boolean;
  readonly scriptPubKey: Uint8Array | null;
  /** p2wpkh, p2sh-p2wsh, …; null where the spent output is not known. */
  readonly scriptType: string | null;
  readonly redeemScript: Uint8Array | null;
  readonly witnessScript: Uint8Array | null;
  readonly sighashType: number | null;
  readonly derivations: readonly KeyOriginView[];
  readonly signatures: readonly SignatureView[];
  /** How many signatures make it final; null where the script does not simply count them. */
  readonly requiredSignatures: number | null;
  /** Keys whose signature is still of use. */
  readonly missing: readonly MissingSignatureView[];
  /** What must still come before it is final, as a phrase; null where it is. */
  readonly lacks: string | null;
  readonly finalized: boolean;
  readonly derivedBy: DerivedBy | null;
}

export interface OutputView {
  readonly address: string | null;
  readonly amountSats: bigint;
  /** null where a silent payment's is not computed yet (BIP375). */
  readonly scriptPubKey: Uint8Array | null;
  readonly scriptType: string | null;
  readonly redeemScript: Uint8Array | null;
  readonly witnessScript: Uint8Array | null;
  readonly derivations: readonly KeyOriginView[];
  /** proved: a descriptor that was given derives its script. unproved: only the PSBT says that keys of a wallet are in it. */
  readonly change: 'proved' | 'unproved' | null;
  readonly derivedBy: DerivedBy | null;
}
