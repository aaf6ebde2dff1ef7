import { hex, sameBytes } from '../../bytes.ts';
import { isPublicNonce, signLast } from '../../taproot/musig/signing-session.ts';
import { tapBip32Derivations } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
import type { PsbtEntry, PsbtMap } from '../psbt-map.ts';
import { hashTypeToSign } from '../signing/sighash-policy.ts';
import type { SigningJob } from '../signing/signing-job.ts';
import type { PsbtSigner, SigningKey } from '../signing/signing-key.ts';
import type { TaprootSpend } from '../signing/taproot-spend.ts';
import { musigMessage } from './aggregate-musig.ts';
import { partialSignatureEntry, publicNonceEntry, publicNonceOf } from './musig-fields.ts';
import { type MusigTarget, musigTargets } from './musig-targets.ts';

/**
 * Both rounds at once, for the participant who comes last: where every other nonce is there and its own is not, BIP327's deterministic
 * signing makes nonce and partial signature without any state that could be used twice. [] where it cannot.
 */
export function signMusigLast(job: SigningJob, spend: TaprootSpend): { added: PsbtEntry[]; hashType: number } | null {
  const { view, index, input, signer, tools } = job;
  if (!input.has(INPUT.MUSIG2_PARTICIPANT_PUBKEYS)) return null;
  const targets = musigTargets(input, spend, view.musig);
  const keys = keysOf(signer, input, targets);
  try {
    const added: PsbtEntry[] = [];
    let hashType = 0;
    for (const { key, target } of partsOf(keys, targets)) {
      if (publicNonceOf(input, key.publicKey, target) !== null) continue;
      const others = target.participants.filter((participant) => !sameBytes(participant, key.publicKey));
      const nonces = others.map((participant) => publicNonceOf(input, participant, target));
      if (!nonces.every((nonce) => nonce !== null && isPublicNonce(nonce)) || nonces.length === 0) continue;
      hashType = hashTypeToSign(input, index, view.parts.outputs.length, true, job.allowed);
      const message = musigMessage(view, index, hashType, target.leafHash);
      if (message === null) continue;
      view.musig.spend(target.participants.length * 2);
      const plan = { publicKeys: target.participants, tweaks: target.tweaks, message };
      const made = signLast(plan, nonces as Uint8Array[], key.privateKey, tools.randomBytes(32));
      added.push(
        publicNonceEntry(key.publicKey, target, made.publicNonce),
        partialSignatureEntry(key.publicKey, target, made.partialSignature),
      );
    }
    return added.length === 0 ? null : { added, hashType };
  } finally {
    for (const { privateKey } of keys) privateKey.fill(0);
  }
}

/** The signer's keys that are participants. */
export function keysOf(signer: PsbtSigner, input: PsbtMap, targets: readonly MusigTarget[]): SigningKey[] {
  const named = new Set(targets.flatMap(({ participants }) => participants.map((key) => hex(key.subarray(1)))));
  if (named.size === 0) return [];
  const derivations = tapBip32Derivations(input, INPUT.TAP_BIP32_DERIVATION)
    .filter(({ xOnlyKey }) => named.has(hex(xOnlyKey)))
    .map(({ xOnlyKey, fingerprint, path }) => ({ publicKey: xOnlyKey, fingerprint, path }));
  return signer.keysFor(derivations);
}

export const partsOf = (keys: readonly SigningKey[], targets: readonly MusigTarget[]) =>
  targets.flatMap((target) => keys.filter((key) => positionOf(key, target) >= 0).map((key) => ({ key, target })));

export const positionOf = ({ publicKey }: SigningKey, { participants }: MusigTarget): number =>
  participants.findIndex((participant) => sameBytes(participant, publicKey));
