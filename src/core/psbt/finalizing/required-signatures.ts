import { hex, sameBytes } from '../../bytes.ts';
import { hash160 } from '../../hashes.ts';
import { decodeMiniscript } from '../../scripts/miniscript/decode-miniscript.ts';
import { miniscriptKeys, type ScriptContext } from '../../scripts/miniscript/miniscript.ts';
import { satisfyMiniscript } from '../../scripts/miniscript/satisfy-miniscript.ts';
import { isFinalized } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
import type { PsbtMap } from '../psbt-map.ts';
import type { EcdsaSpend } from '../signing/input-spend.ts';
import type { SigningView } from '../signing/signing-view.ts';
import { isObstacle } from '../signing/spent-part.ts';
import type { TaprootSpend } from '../signing/taproot-spend.ts';
import { type KnownFacts, knownFacts } from './satisfying-facts.ts';
import { ecdsaSignatures, type InputSignatures, taprootSignatures } from './valid-signatures.ts';

/** A key whose signature an input has a place for. */
interface PossibleSigner {
  /** 33 or 65 bytes; x-only in taproot. */
  readonly publicKey: Uint8Array;
  /** The leaf it signs; null for the key path and for every other input. */
  readonly leafHash: Uint8Array | null;
  /** Its signature is there and holds. */
  readonly signed: boolean;
}

export interface RequiredSignatures {
  readonly signers: readonly PossibleSigner[];
  /** How many more signatures make it final, at least; 0 where it can be finalized; null where signatures alone do not make it so. */
  readonly stillNeeded: number | null;
  /** Hex of keys whose signature there is and does not hold. */
  readonly invalid: readonly string[];
  /** Why `stillNeeded` is null. */
  readonly reason: string | null;
}

/**
 * Who can sign an input, who has, and how many signatures it still needs: of a multisig, a miniscript or the tapscript that needs the
 * fewest. Every signature is checked. An input that is final needs none.
 */
export function requiredSignatures(view: SigningView, index: number): RequiredSignatures {
  if (isFinalized(view.psbt.inputs[index] as PsbtMap)) return { ...NONE, stillNeeded: 0, reason: null };
  const spend = view.spend(index);
  if (isObstacle(spend)) return { ...NONE, reason: spend.reason };
  return spend.scheme === 'taproot' ? ofTaproot(view, index, spend) : ofEcdsa(view, index, spend);
}

const NONE: RequiredSignatures = { signers: [], stillNeeded: null, invalid: [], reason: null };

function ofEcdsa(view: SigningView, index: number, spend: EcdsaSpend): RequiredSignatures {
  const { valid, invalid } = ecdsaSignatures(view, index, spend);
  const { lock } = spend;
  if (lock.form === 'key-hash') {
    const publicKey = keyOfHash(view, index, lock.keyHash);
    const signers = publicKey === null ? [] : [{ publicKey, leafHash: null, signed: valid.size > 0 }];
    return { signers, stillNeeded: valid.size > 0 ? 0 : 1, invalid, reason: null };
  }
  const analysis = analyze(knownFacts(view, index, false), spend.scriptCode, spend.scheme, valid, '');
  if (analysis === null) return { ...NONE, invalid, reason: 'its script is neither a known form nor a miniscript' };
  const signers = analysis.keys.map((publicKey) => ({
    publicKey,
    leafHash: null,
    signed: valid.has(hex(publicKey)),
  }));
  return { signers, invalid, ...needed(analysis.missing) };
}

function ofTaproot(view: SigningView, index: number, spend: TaprootSpend): RequiredSignatures {
  const signatures = taprootSignatures(view, index, spend);
  const { valid, keyPath, invalid } = signatures;
  const signers: PossibleSigner[] = [
    { publicKey: spend.internalKey ?? spend.outputKey, leafHash: null, signed: keyPath !== null },
  ];
  const known = knownFacts(view, index, true);
  // The key path needs one signature, whoever can make it.
  let fewest = keyPath === null ? 1 : 0;
  for (const { script, leafHash } of spend.leaves) {
    const leaf = hex(leafHash);
    const analysis = analyze(known, script, 'tapscript', valid, leaf);
    if (analysis === null) continue;
    for (const publicKey of analysis.keys)
      signers.push({ publicKey, leafHash, signed: valid.has(hex(publicKey) + leaf) });
    if (analysis.missing !== null) fewest = Math.min(fewest, analysis.missing);
  }
  return { signers, stillNeeded: fewest, invalid, reason: null };
}

const needed = (missing: number | null): Pick<RequiredSignatures, 'stillNeeded' | 'reason'> =>
  missing === null
    ? {
        stillNeeded: null,
        reason: 'its script wants more than signatures: a preimage, or another locktime or sequence',
      }
    : { stillNeeded: missing, reason: null };

/** Far longer than any signature: the cheapest satisfaction has the fewest of these. */
const MISSING_SIGNATURE = new Uint8Array(10_000);
const UNKNOWN_KEY = new Uint8Array(33);

/** The keys of a script that are known, and how many signatures are missing; null where it is no miniscript. */
function analyze(
  facts: KnownFacts,
  script: Uint8Array,
  context: ScriptContext,
  valid: InputSignatures['valid'],
  suffix: string,
): { keys: Uint8Array[]; missing: number | null } | null {
  const miniscript = decodeMiniscript(script, context);
  if (miniscript === null) return null;
  // One stand-in for each key, however often the script names it.
  const standIns = new Map<string, Uint8Array>();
  const signature = (key: Uint8Array): Uint8Array => {
    const name = hex(key);
    const standIn = valid.get(name + suffix) ?? standIns.get(name) ?? MISSING_SIGNATURE.subarray();
    standIns.set(name, standIn);
    return standIn;
  };
  const stack = satisfyMiniscript(miniscript, {
    ...facts,
    signature,
    keyOf: (hash) => facts.keyOf(hash) ?? UNKNOWN_KEY,
  });
  const keys = miniscriptKeys(miniscript).flatMap((key) => (key.length === 20 ? (facts.keyOf(key) ?? []) : key));
  return { keys, missing: stack === null ? null : missingOnes(stack).size };
}

const missingOnes = (stack: readonly Uint8Array[]): Set<Uint8Array> =>
  new Set(stack.filter((item) => item.buffer === MISSING_SIGNATURE.buffer));

function keyOfHash(view: SigningView, index: number, keyHash: Uint8Array): Uint8Array | null {
  const input = view.psbt.inputs[index] as PsbtMap;
  for (const type of [INPUT.PARTIAL_SIG, INPUT.BIP32_DERIVATION])
    for (const { keyData } of input.all(type)) if (sameBytes(hash160(keyData), keyHash)) return keyData;
  return null;
}
