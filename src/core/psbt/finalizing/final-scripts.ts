import { ByteWriter } from '../../blocks/byte-writer.ts';
import { INPUT } from '../codec/key-types.ts';
import { PsbtMap } from '../psbt-map.ts';

export interface FinalScripts {
  /** null where it is empty. */
  readonly scriptSig: Uint8Array | null;
  /** null where there is none. */
  readonly witness: readonly Uint8Array[] | null;
}

/**
 * What a finalizer clears (BIP174, 371, 373). All else stays: UTXOs, what says which output is spent and when (BIP370), what silent payments
 * are checked by (BIP375), proprietary and unknown fields.
 */
const CLEARED: ReadonlySet<number> = new Set([
  INPUT.PARTIAL_SIG,
  INPUT.SIGHASH_TYPE,
  INPUT.REDEEM_SCRIPT,
  INPUT.WITNESS_SCRIPT,
  INPUT.BIP32_DERIVATION,
  INPUT.POR_COMMITMENT,
  INPUT.RIPEMD160,
  INPUT.SHA256,
  INPUT.HASH160,
  INPUT.HASH256,
  INPUT.TAP_KEY_SIG,
  INPUT.TAP_SCRIPT_SIG,
  INPUT.TAP_LEAF_SCRIPT,
  INPUT.TAP_BIP32_DERIVATION,
  INPUT.TAP_INTERNAL_KEY,
  INPUT.TAP_MERKLE_ROOT,
  INPUT.MUSIG2_PARTICIPANT_PUBKEYS,
  INPUT.MUSIG2_PUB_NONCE,
  INPUT.MUSIG2_PARTIAL_SIG,
]);

/** The input's map once it is final. */
export function withFinalScripts(input: PsbtMap, { scriptSig, witness }: FinalScripts): PsbtMap {
  const kept = new PsbtMap(input.entries.filter(({ type }) => !CLEARED.has(type)));
  if (scriptSig !== null) kept.set(INPUT.FINAL_SCRIPTSIG, scriptSig);
  if (witness !== null) kept.set(INPUT.FINAL_SCRIPTWITNESS, witnessBytes(witness));
  return kept;
}

function witnessBytes(witness: readonly Uint8Array[]): Buffer {
  let size = 9;
  for (const item of witness) size += item.length + 5;
  const writer = new ByteWriter(size).compactSize(witness.length);
  for (const item of witness) writer.prefixed(item);
  return writer.done();
}
