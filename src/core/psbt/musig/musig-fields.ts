import { INPUT } from '../codec/key-types.ts';
import type { PsbtEntry, PsbtMap } from '../psbt-map.ts';
import type { MusigTarget } from './musig-targets.ts';

/** Key data of a participant's nonce and partial signature (BIP373). */
export const musigKeyData = (participant: Uint8Array, { key, leafHash }: MusigTarget): Buffer =>
  Buffer.concat([participant, key, leafHash ?? NOTHING]);

const NOTHING = new Uint8Array(0);

export const publicNonceOf = (input: PsbtMap, participant: Uint8Array, target: MusigTarget): Uint8Array | null =>
  input.get(INPUT.MUSIG2_PUB_NONCE, musigKeyData(participant, target));

export const partialSignatureOf = (input: PsbtMap, participant: Uint8Array, target: MusigTarget): Uint8Array | null =>
  input.get(INPUT.MUSIG2_PARTIAL_SIG, musigKeyData(participant, target));

export const publicNonceEntry = (participant: Uint8Array, target: MusigTarget, nonce: Uint8Array): PsbtEntry => ({
  type: INPUT.MUSIG2_PUB_NONCE,
  keyData: musigKeyData(participant, target),
  value: nonce,
});

export const partialSignatureEntry = (
  participant: Uint8Array,
  target: MusigTarget,
  partial: Uint8Array,
): PsbtEntry => ({
  type: INPUT.MUSIG2_PARTIAL_SIG,
  keyData: musigKeyData(participant, target),
  value: partial,
});
