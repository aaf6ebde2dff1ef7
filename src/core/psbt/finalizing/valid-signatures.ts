import { hex } from '../../bytes.ts';
import { hash160 } from '../../hashes.ts';
import { ecc } from '../../keys/ecc.ts';
import { compactFromDer } from '../../scripts/der-signature.ts';
import { keysPushedBy } from '../../scripts/script-keys.ts';
import {
  isEcdsaSighash,
  isSchnorrSighash,
  SIGHASH_DEFAULT,
  signsOneInput,
  signsOneOutput,
} from '../../scripts/sighash-type.ts';
import { once } from '../../scripts/transaction-parts.ts';
import { partialSignatures, sighashTypeOf, tapScriptSignatures } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
import { aggregateMusig } from '../musig/aggregate-musig.ts';
import type { PsbtMap } from '../psbt-map.ts';
import type { EcdsaSpend } from '../signing/input-spend.ts';
import { ecdsaHash, keyFilter } from '../signing/sign-ecdsa-input.ts';
import type { SigningView } from '../signing/signing-view.ts';
import type { TaprootSpend } from '../signing/taproot-spend.ts';

/** Signatures of one input that hold. Those of keys that cannot sign it are left out. */
export interface InputSignatures {
  /** By public key in hex; by x-only key and leaf hash, one after the other, for leaves. */
  readonly valid: ReadonlyMap<string, Uint8Array>;
  /** Of the taproot key path. */
  readonly keyPath: Uint8Array | null;
  /** Keys whose signature does not hold, in hex. */
  readonly invalid: readonly string[];
  /** A signature is of another sighash type than PSBT_IN_SIGHASH_TYPE says: such an input must not be finalized (BIP174). */
  readonly mismatch: boolean;
}

/** Checks the ECDSA signatures of the keys that the input's script names. */
export function ecdsaSignatures(view: SigningView, index: number, spend: EcdsaSpend): InputSignatures {
  const input = view.psbt.inputs[index] as PsbtMap;
  const asked = sighashTypeOf(input);
  const wants = keyFilter(spend);
  const hashes = new Map<number, Uint8Array>();
  const valid = new Map<string, Uint8Array>();
  const invalid: string[] = [];
  let mismatch = false;
  for (const { publicKey, signature } of partialSignatures(input)) {
    if (!wants(publicKey)) continue;
    const hashType = signature[signature.length - 1] as number;
    if (asked !== null && asked !== hashType) mismatch = true;
    const compact = isEcdsaSighash(hashType) ? compactFromDer(signature.subarray(0, -1)) : null;
    const impossible = signsOneOutput(hashType) && index >= view.parts.outputs.length;
    if (compact === null || impossible) {
      invalid.push(hex(publicKey));
      continue;
    }
    let hash = hashes.get(hashType);
    if (hash === undefined) {
      hash = ecdsaHash({ view, index }, spend, hashType);
      hashes.set(hashType, hash);
    }
    view.announceCheck('ecdsa');
    if (ecc.verifyEcdsa(hash, publicKey, compact)) valid.set(hex(publicKey), signature);
    else invalid.push(hex(publicKey));
  }
  return { valid, keyPath: null, invalid, mismatch };
}

/** Checks the Schnorr signatures of the key path and of the leaves that are given. */
export function taprootSignatures(view: SigningView, index: number, spend: TaprootSpend): InputSignatures {
  const input = view.psbt.inputs[index] as PsbtMap;
  const asked = sighashTypeOf(input);
  const keysOf = new Map(spend.leaves.map(({ leafHash, script }) => [hex(leafHash), once(() => keysPushedBy(script))]));
  const valid = new Map<string, Uint8Array>();
  const invalid: string[] = [];
  let mismatch = false;
  const holds = (xOnlyKey: Uint8Array, signature: Uint8Array, leafHash: Uint8Array | null): boolean => {
    if (asked !== null && asked !== schnorrHashType(signature)) mismatch = true;
    return schnorrHolds(view, index, xOnlyKey, signature, leafHash);
  };
  let keyPath = input.get(INPUT.TAP_KEY_SIG);
  if (keyPath !== null && !holds(spend.outputKey, keyPath, null)) {
    invalid.push(hex(spend.outputKey));
    keyPath = null;
  }
  for (const { xOnlyKey, leafHash, signature } of tapScriptSignatures(input)) {
    const keys = keysOf.get(hex(leafHash))?.();
    if (!keys || !isAmong(keys, xOnlyKey)) continue;
    if (holds(xOnlyKey, signature, leafHash)) valid.set(hex(xOnlyKey) + hex(leafHash), signature);
    else invalid.push(hex(xOnlyKey));
  }
  if (input.has(INPUT.MUSIG2_PARTICIPANT_PUBKEYS)) {
    const together = aggregateMusig(view, index, spend);
    keyPath ??= together.keyPath;
    for (const [signer, signature] of together.leaves) if (!valid.has(signer)) valid.set(signer, signature);
  }
  return { valid, keyPath, invalid, mismatch };
}

/** null where the type is not defined, or DEFAULT is written out, which BIP341 forbids. */
function schnorrHashType(signature: Uint8Array): number | null {
  if (signature.length === 64) return SIGHASH_DEFAULT;
  const hashType = signature[64] as number;
  return hashType !== SIGHASH_DEFAULT && isSchnorrSighash(hashType) ? hashType : null;
}

/** The key itself or its hash. */
const isAmong = (keys: ReadonlySet<string>, xOnlyKey: Uint8Array): boolean =>
  keys.has(hex(xOnlyKey)) || keys.has(hash160(xOnlyKey).toString('hex'));

/** Whether a signature, with its hash type, holds: of the key path where `leafHash` is null. Throws `too_large`. */
export function schnorrHolds(
  view: SigningView,
  index: number,
  xOnlyKey: Uint8Array,
  signature: Uint8Array,
  leafHash: Uint8Array | null,
): boolean {
  const { parts, hashes, firstUnknown } = view;
  const hashType = schnorrHashType(signature);
  if (hashType === null) return false;
  if (signsOneOutput(hashType) && index >= parts.outputs.length) return false;
  const unknown = signsOneInput(hashType) ? parts.spent[index] === null : firstUnknown >= 0;
  if (unknown || !ecc.isXOnlyPoint(xOnlyKey)) return false;
  view.announceCheck('schnorr');
  const hash = hashes.taproot(index, hashType, leafHash === null ? {} : { leafHash });
  return ecc.verifySchnorr(hash, xOnlyKey, signature.subarray(0, 64));
}
