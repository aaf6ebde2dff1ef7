import { hex } from '../bytes.ts';
import { sha256 } from '../hashes.ts';
import { INPUT } from '../psbt/codec/key-types.ts';
import type { PsbtV2 } from '../psbt/psbt.ts';

/** What signers add to an input, by its names in BIP174, 371 and 373: all that mergeSignatures takes. */
const ADDED = {
  [INPUT.PARTIAL_SIG]: 'partial_sig',
  [INPUT.TAP_KEY_SIG]: 'tap_key_sig',
  [INPUT.TAP_SCRIPT_SIG]: 'tap_script_sig',
  [INPUT.MUSIG2_PUB_NONCE]: 'musig2_pub_nonce',
  [INPUT.MUSIG2_PARTIAL_SIG]: 'musig2_partial_sig',
  [INPUT.FINAL_SCRIPTSIG]: 'final_scriptsig',
  [INPUT.FINAL_SCRIPTWITNESS]: 'final_scriptwitness',
  [INPUT.RIPEMD160]: 'ripemd160',
  [INPUT.SHA256]: 'sha256',
  [INPUT.HASH160]: 'hash160',
  [INPUT.HASH256]: 'hash256',
} as const;

export const ADDED_FIELDS = Object.values(ADDED);

export interface AddedField {
  readonly input: number;
  readonly field: (typeof ADDED_FIELDS)[number];
  /** The field's key data, hex: a public key, with the leaf of a script path; MuSig2's participant and aggregate key. */
  readonly key: string;
  /** Of its value, hex: whoever reads a signature could complete the transaction elsewhere. */
  readonly sha256: string;
}

/** What the inputs of `after` have and those of `before` lack, in their order. */
export const addedFields = (before: PsbtV2, after: PsbtV2): AddedField[] =>
  after.inputs.flatMap((map, input) =>
    map.entries
      .filter(({ type, keyData }) => type in ADDED && before.inputs[input]?.get(type, keyData) === null)
      .map(({ type, keyData, value }) => ({
        ...{ input, field: ADDED[type as keyof typeof ADDED] },
        ...{ key: hex(keyData), sha256: hex(sha256(value)) },
      })),
  );
