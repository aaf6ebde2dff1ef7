import { hex } from '../../bytes.ts';
import { ecc } from '../../keys/ecc.ts';
import { SIGHASH_DEFAULT } from '../../scripts/sighash-type.ts';
import { isPublicNonce, openSigningRound } from '../../taproot/musig/signing-session.ts';
import { sighashTypeOf } from '../codec/input-fields.ts';
import type { PsbtMap } from '../psbt-map.ts';
import type { SigningView } from '../signing/signing-view.ts';
import type { TaprootSpend } from '../signing/taproot-spend.ts';
import { partialSignatureOf, publicNonceOf } from './musig-fields.ts';
import { type MusigTarget, musigTargets } from './musig-targets.ts';

/** The signatures whose partial signatures are all there and add up to one that holds (BIP373, finalizer; BIP327's PartialSigAgg). */
export function aggregateMusig(view: SigningView, index: number, spend: TaprootSpend) {
  const input = view.psbt.inputs[index] as PsbtMap;
  const leaves = new Map<string, Uint8Array>();
  let keyPath: Uint8Array | null = null;
  for (const target of musigTargets(input, spend, view.musig)) {
    const signature = aggregate(view, index, input, target);
    if (signature === null) continue;
    if (target.leafHash === null) keyPath = signature;
    else leaves.set(hex(target.key.subarray(1)) + hex(target.leafHash), signature);
  }
  return {
    keyPath,
    /** By x-only key and leaf hash in hex, one after the other. */
    leaves,
  };
}

function aggregate(view: SigningView, index: number, input: PsbtMap, target: MusigTarget): Uint8Array | null {
  const { participants, tweaks, leafHash } = target;
  const nonces = participants.map((participant) => publicNonceOf(input, participant, target));
  const partials = participants.map((participant) => partialSignatureOf(input, participant, target));
  if (!areAll(nonces) || !areAll(partials) || !nonces.every(isPublicNonce)) return null;
  const hashType = sighashTypeOf(input) ?? SIGHASH_DEFAULT;
  const message = musigMessage(view, index, hashType, leafHash);
  if (message === null) return null;
  view.musig.spend(participants.length);
  try {
    const signature = openSigningRound({ publicKeys: participants, tweaks, message }, nonces).finalSignature(partials);
    // It holds where all partial signatures do; whose does not is asked when they come (check-musig.ts).
    if (!ecc.verifySchnorr(message, target.key.subarray(1), signature)) return null;
    return hashType === SIGHASH_DEFAULT ? signature : Buffer.concat([signature, Buffer.of(hashType)]);
  } catch {
    return null; // out of range, or infinity: nobody signed with these
  }
}

const areAll = (list: readonly (Uint8Array | null)[]): list is Uint8Array[] => !list.includes(null);

/** What is signed; null where an output that the inputs spend, or the one output to sign, is not there. */
export function musigMessage(
  { hashes }: SigningView,
  index: number,
  hashType: number,
  leafHash: Uint8Array | null,
): Uint8Array | null {
  try {
    return hashes.taproot(index, hashType, leafHash === null ? {} : { leafHash });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
