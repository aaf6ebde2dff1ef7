import { hex } from '../../bytes.ts';
import { DomainError } from '../../errors.ts';
import { ecc } from '../../keys/ecc.ts';
import { compactFromDer } from '../../scripts/der-signature.ts';
import { isEcdsaSighash, isSchnorrSighash, SIGHASH_DEFAULT } from '../../scripts/sighash-type.ts';
import type { SignatureHashes } from '../../scripts/signature-hash.ts';
import { partialSignatures, tapScriptSignatures } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
import type { InputSpend } from '../signing/input-spend.ts';
import { isObstacle, type Obstacle } from '../signing/spent-part.ts';
import type { CheckBudget } from './check-budget.ts';
import type { InputFacts } from './psbt-facts.ts';
import type { KeyOriginView, SignatureView } from './psbt-view.ts';

export interface SignatureCheckTools {
  readonly hashes: () => SignatureHashes;
  readonly budget: CheckBudget;
  /** Names of signatures that were checked when they were made. */
  readonly known: ReadonlySet<string>;
}

/** Which signature of which input. */
export const signatureName = (index: number, signature: Uint8Array): string => `${index}:${hex(signature)}`;

/** Every signature of an input that is not final, checked where what it signs is known. */
export function signatureViews(
  facts: InputFacts,
  origins: ReadonlyMap<string, KeyOriginView>,
  tools: SignatureCheckTools,
): SignatureView[] {
  const { hashes, budget, known } = tools;
  const isKnown = (signature: Uint8Array): boolean =>
    known.size > 0 && known.has(signatureName(facts.index, signature));
  const fingerprintOf = (publicKey: string): string | null => origins.get(publicKey)?.fingerprint ?? null;
  const check: Check = { facts, hashes, budget };
  const { map, spend } = facts;
  const views: SignatureView[] = [];
  for (const { publicKey, signature } of partialSignatures(map)) {
    const key = hex(publicKey);
    const sighashType = signature[signature.length - 1] as number;
    const valid = isKnown(signature) || ecdsaValid(check, publicKey, signature.subarray(0, -1), sighashType);
    views.push({ publicKey: key, fingerprint: fingerprintOf(key), leafHash: null, sighashType, valid });
  }
  const keyPath = map.get(INPUT.TAP_KEY_SIG);
  if (keyPath !== null) {
    const key = hex(map.get(INPUT.TAP_INTERNAL_KEY) ?? outputKeyOf(spend) ?? new Uint8Array(0));
    const outputKey = outputKeyOf(spend);
    const valid = isKnown(keyPath) || (outputKey === null ? null : schnorrValid(check, outputKey, keyPath, null));
    views.push({
      publicKey: key,
      fingerprint: fingerprintOf(key),
      leafHash: null,
      sighashType: typeOf(keyPath),
      valid,
    });
  }
  for (const { xOnlyKey, leafHash, signature } of tapScriptSignatures(map)) {
    const key = hex(xOnlyKey);
    const valid = isKnown(signature) || schnorrValid(check, xOnlyKey, signature, leafHash);
    views.push({
      publicKey: key,
      fingerprint: fingerprintOf(key),
      leafHash: hex(leafHash),
      sighashType: typeOf(signature),
      valid,
    });
  }
  return views;
}

interface Check {
  readonly facts: InputFacts;
  readonly hashes: () => SignatureHashes;
  readonly budget: CheckBudget;
}

function ecdsaValid(
  { facts, hashes, budget }: Check,
  publicKey: Uint8Array,
  der: Uint8Array,
  type: number,
): boolean | null {
  const { spend, index } = facts;
  if (isObstacle(spend)) return null;
  if (spend.scheme === 'taproot' || !isEcdsaSighash(type)) return false;
  const compact = compactFromDer(der);
  if (compact === null) return false;
  if (!budget.take(spend.scheme === 'legacy' ? 1 : 0)) return null;
  const { scriptCode } = spend;
  const hash = orNull(
    () =>
      spend.scheme === 'legacy' ? hashes().legacy(index, scriptCode, type) : hashes().segwitV0(index, scriptCode, type),
    budget,
  );
  return hash === null ? null : ecc.verifyEcdsa(hash, publicKey, compact);
}

function schnorrValid(
  { facts, hashes, budget }: Check,
  xOnlyKey: Uint8Array,
  signature: Uint8Array,
  leafHash: Uint8Array | null,
): boolean | null {
  const { spend, index } = facts;
  if (isObstacle(spend)) return null;
  const type = typeOf(signature);
  // BIP341: the default type is the one of 64 bytes.
  if (spend.scheme !== 'taproot' || !isSchnorrSighash(type) || (signature.length === 65 && type === SIGHASH_DEFAULT))
    return false;
  if (!budget.take(0, 'schnorr')) return null;
  const hash = orNull(() => hashes().taproot(index, type, leafHash === null ? {} : { leafHash }), budget);
  if (hash === null) return null;
  return ecc.isXOnlyPoint(xOnlyKey) && ecc.verifySchnorr(hash, xOnlyKey, signature.subarray(0, 64));
}

const typeOf = (signature: Uint8Array): number =>
  signature.length === 65 ? (signature[64] as number) : SIGHASH_DEFAULT;

const outputKeyOf = (spend: InputSpend | Obstacle): Uint8Array | null =>
  !isObstacle(spend) && spend.scheme === 'taproot' ? spend.outputKey : null;

/** null where what is signed cannot be made, for lack of an output, or took too long. */
function orNull(make: () => Uint8Array, budget: CheckBudget): Uint8Array | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return null;
    if (!(error instanceof DomainError && error.code === 'too_large')) throw error;
    budget.exhaust();
    return null;
  }
}
