/** What of MuSig2 takes milliseconds for each participant, as functions from plain data to plain data, so that it runs in any thread. */
import { type MusigPlan, openSigningRound, signLast } from './signing-session.ts';

export interface PartialSignatureParams {
  readonly plan: MusigPlan;
  readonly nonces: readonly Uint8Array[];
  /** The place of the participant whose it is. */
  readonly signer: number;
  readonly partialSignature: Uint8Array;
  /** In the order of the plan's keys; null where one has not signed yet. */
  readonly others: readonly (Uint8Array | null)[];
}

export interface PartialSignatureResult {
  readonly valid: boolean;
  /** The final one, where it was the last that lacked. */
  readonly signature: Uint8Array | null;
}

function addPartialSignature(given: PartialSignatureParams): PartialSignatureResult {
  const { plan, nonces, signer, partialSignature, others } = given;
  const round = openSigningRound(plan, nonces);
  if (!round.verifyPartial(signer, partialSignature)) return { valid: false, signature: null };
  const all = others.map((other, place) => (place === signer ? partialSignature : other));
  const complete = all.every((one) => one !== null);
  return { valid: true, signature: complete ? round.finalSignature(all as Uint8Array[]) : null };
}

export interface LastSignerParams {
  readonly plan: MusigPlan;
  readonly nonces: readonly Uint8Array[];
  /** In memory of its own, which is overwritten. */
  readonly privateKey: Uint8Array<ArrayBuffer>;
  readonly randomness: Uint8Array;
}

/** Throws as signLast. */
function signAsLast({ plan, nonces, privateKey, randomness }: LastSignerParams): ReturnType<typeof signLast> {
  try {
    return signLast(plan, nonces, privateKey, randomness);
  } finally {
    privateKey.fill(0);
  }
}

/** What the workers do of MuSig2 sessions. */
export const musigJobs = { 'musig.addPartialSignature': addPartialSignature, 'musig.signLast': signAsLast };
export type MusigJobs = typeof musigJobs;
