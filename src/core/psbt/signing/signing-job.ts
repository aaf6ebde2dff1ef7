import type { Secp256k1 } from '../../keys/secp256k1.ts';
import type { SighashName } from '../../scripts/sighash-type.ts';
import type { PsbtV2 } from '../psbt.ts';
import type { PsbtEntry, PsbtMap } from '../psbt-map.ts';
import type { PsbtSigner } from './signing-key.ts';
import type { SigningView } from './signing-view.ts';

export interface PsbtSigningTools {
  readonly ecc: Secp256k1;
  /** For BIP340's auxiliary randomness. */
  readonly randomBytes: (size: number) => Uint8Array;
}

export interface PsbtSigningOptions {
  /** Sighash types besides ALL and DEFAULT that may be signed with where the PSBT asks for them. */
  readonly allowSighash?: readonly SighashName[];
}

export interface SignedPsbt {
  readonly psbt: PsbtV2;
  /** Those that were given a signature now, ascending. */
  readonly signedInputs: readonly number[];
}

/** Fields to add to an input's map, and with which hash types; or why there are none. */
export type InputSigning =
  | { readonly added: readonly PsbtEntry[]; readonly hashType: number }
  | { readonly reason: string };

export interface SigningJob {
  readonly view: SigningView;
  readonly index: number;
  readonly input: PsbtMap;
  readonly signer: PsbtSigner;
  readonly tools: PsbtSigningTools;
  readonly allowed: readonly SighashName[];
  /** Announces Schnorr signatures before they are made. Throws `too_large` above what one PSBT may ask for. */
  readonly announce: (schnorrSignatures: number) => void;
}
