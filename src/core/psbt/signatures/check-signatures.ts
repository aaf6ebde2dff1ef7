import { hex, sameBytes } from '../../bytes.ts';
import { ecc } from '../../keys/ecc.ts';
import { compactFromDer } from '../../scripts/der-signature.ts';
import { keysPushedBy } from '../../scripts/script-keys.ts';
import { isEcdsaSighash, isSchnorrSighash, SIGHASH_DEFAULT } from '../../scripts/sighash-type.ts';
import { INPUT } from '../codec/key-types.ts';
import type { PsbtEntry, PsbtMap } from '../psbt-map.ts';
import type { EcdsaSpend } from '../signing/input-spend.ts';
import { ecdsaHash, keyFilter } from '../signing/sign-ecdsa-input.ts';
import type { SigningView } from '../signing/signing-view.ts';
import { isObstacle } from '../signing/spent-part.ts';
import type { TaprootSpend } from '../signing/taproot-spend.ts';
import { foreign, mismatch, refuseOpenSighash } from './refusals.ts';

export interface InputCheck {
  /** Of the PSBT that was given out. */
  readonly view: SigningView;
  readonly index: number;
  readonly input: PsbtMap;
  /** The same input as it came back. */
  readonly theirs: PsbtMap;
}

/**
 * The partial signatures that an input came back with and did not have before. Throws `psbt_mismatch` where one is not valid, or its key
 * cannot sign the input, and `unsafe_to_sign` for its sighash type.
 */
export function checkSignatures(check: InputCheck): PsbtEntry[] {
  const { input, theirs } = check;
  const isNew = ({ type, keyData }: PsbtEntry): boolean => input.get(type, keyData) === null;
  const ecdsa = theirs.all(INPUT.PARTIAL_SIG).filter(isNew);
  const taproot = [...theirs.all(INPUT.TAP_KEY_SIG), ...theirs.all(INPUT.TAP_SCRIPT_SIG)].filter(isNew);
  if (ecdsa.length + taproot.length === 0) return [];
  const spend = check.view.spend(check.index);
  if (isObstacle(spend)) throw mismatch(`input ${check.index} cannot be signed: ${spend.reason}`);
  if (spend.scheme === 'taproot') {
    if (ecdsa.length > 0) throw foreign(check, 'an ECDSA signature, and taproot takes none');
    for (const entry of taproot) checkTaproot(check, spend, entry);
    return taproot;
  }
  if (taproot.length > 0) throw foreign(check, 'a taproot signature, and its output is not taproot');
  const isKey = keyFilter(spend);
  for (const entry of ecdsa) checkEcdsa(check, spend, isKey, entry);
  return ecdsa;
}

function checkEcdsa(
  check: InputCheck,
  spend: EcdsaSpend,
  isKey: (publicKey: Uint8Array) => boolean,
  { keyData: publicKey, value }: PsbtEntry,
): void {
  const key = hex(publicKey);
  if (!isKey(publicKey)) throw foreign(check, `a signature of key ${key}, which is not one of its keys`);
  const hashType = value[value.length - 1] as number;
  const compact = compactFromDer(value.subarray(0, -1));
  if (compact === null || !isEcdsaSighash(hashType)) throw foreign(check, `a malformed signature of key ${key}`);
  refuseOpenSighash(hashType, check.index);
  if (!ecc.verifyEcdsa(ecdsaHash(check, spend, hashType), publicKey, compact)) throw invalid(check, key);
}

function checkTaproot(check: InputCheck, spend: TaprootSpend, { type, keyData, value }: PsbtEntry): void {
  const hashType = value.length === 65 ? (value[64] as number) : SIGHASH_DEFAULT;
  const isDefined = value.length === 64 || (hashType !== SIGHASH_DEFAULT && isSchnorrSighash(hashType));
  if (!isDefined) throw foreign(check, 'a malformed taproot signature');
  refuseOpenSighash(hashType, check.index);
  const verify = (hash: Uint8Array, xOnlyKey: Uint8Array): void => {
    if (!ecc.isXOnlyPoint(xOnlyKey) || !ecc.verifySchnorr(hash, xOnlyKey, value.subarray(0, 64)))
      throw invalid(check, hex(xOnlyKey));
  };
  const { hashes } = check.view;
  if (type === INPUT.TAP_KEY_SIG) {
    verify(hashes.taproot(check.index, hashType), spend.outputKey);
    return;
  }
  const [xOnlyKey, leafHash] = [keyData.subarray(0, 32), keyData.subarray(32)];
  const leaf = spend.leaves.find((one) => sameBytes(one.leafHash, leafHash));
  if (!leaf) throw foreign(check, 'a signature for a script that is not in its tree');
  if (!keysPushedBy(leaf.script).has(hex(xOnlyKey)))
    throw foreign(check, `a signature of key ${hex(xOnlyKey)}, which is not in that leaf`);
  verify(hashes.taproot(check.index, hashType, { leafHash }), xOnlyKey);
}

const invalid = ({ index }: InputCheck, key: string) =>
  mismatch(`input ${index}: the signature of key ${key} is not valid for this transaction`);
