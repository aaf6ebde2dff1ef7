/**
 * What a MuSig2 session takes in each of its states. The service is the coordinator: it holds public nonces, partial signatures and nothing
 * secret (docs/decisions/1141).
 *
 * | state               | nonce      | partial signature | key of the last signer | cancel    |
 * |---------------------|------------|-------------------|------------------------|-----------|
 * | awaiting_nonces     | taken      | 409               | taken, where only its nonce is missing | cancelled |
 * | awaiting_signatures | 409        | verified, taken   | 409                    | cancelled |
 * | complete            | 409        | 409               | 409                    | 409       |
 * | cancelled           | 409        | 409               | 409                    | stays so  |
 */
import { DomainError } from '../../../core/errors.ts';
import { tapTweakHash } from '../../../core/taproot/leaf-hash.ts';
import type { MusigPlan } from '../../../core/taproot/musig/signing-session.ts';
import type { MusigParticipant, MusigSessionRecord, MusigState } from '../../../store/repositories/musig-sessions.ts';

const SAYS: Readonly<Record<MusigState, string>> = {
  awaiting_nonces: 'not every participant has given a public nonce yet',
  awaiting_signatures: 'every nonce is given and none can change: partial signatures are awaited',
  complete: 'its signature is made',
  cancelled: 'it was cancelled: what was given to it serves for nothing else',
};

/** Throws `state_conflict`, naming the state. */
export function requireState(session: MusigSessionRecord, ...states: readonly MusigState[]): void {
  if (!states.includes(session.state)) throw isIn(session);
}

export const isIn = ({ state }: Pick<MusigSessionRecord, 'state'>): DomainError =>
  new DomainError('state_conflict', `the session is in state ${state}: ${SAYS[state]}`, { field: 'musig_session_id' });

/** The place of a participant. Throws `not_a_participant` at public_key. */
export function signerOf({ participants }: MusigSessionRecord, publicKey: string): number {
  const signer = participants.findIndex((one) => one.publicKey === publicKey);
  if (signer >= 0) return signer;
  throw new DomainError('not_a_participant', "this public key is none of the session's participants", {
    field: 'public_key',
  });
}

/** Throws `already_exists` where the participant has given one before, the same or another. */
export function requireMissing(
  session: MusigSessionRecord,
  signer: number,
  what: 'publicNonce' | 'partialSignature',
): void {
  const { [what]: given } = session.participants[signer] as MusigParticipant;
  if (given === null) return;
  const said = what === 'publicNonce' ? 'a public nonce: it stands' : 'its partial signature';
  throw new DomainError('already_exists', `this participant has given ${said}`, { field: 'public_key' });
}

/** The session with more of one participant. */
export function withShare(
  session: MusigSessionRecord,
  signer: number,
  share: Partial<Pick<MusigParticipant, 'publicNonce' | 'partialSignature'>>,
): MusigSessionRecord {
  const participants = session.participants.map((one, place) => (place === signer ? { ...one, ...share } : one));
  return { ...session, participants };
}

export function planOf(session: MusigSessionRecord): MusigPlan {
  const { participants, tweaks, taproot, internalKey, message } = session;
  const own = tweaks.map(({ tweak, xOnly }) => ({ tweak: bytes(tweak), xOnly }));
  const last =
    taproot === null
      ? []
      : [
          {
            tweak: tapTweakHash(
              bytes(internalKey as string),
              taproot.merkleRoot === null ? null : bytes(taproot.merkleRoot),
            ),
            xOnly: true,
          },
        ];
  return {
    publicKeys: participants.map(({ publicKey }) => bytes(publicKey)),
    tweaks: [...own, ...last],
    message: bytes(message),
  };
}

/** Those that are given, in the participants' order. */
export const noncesOf = ({ participants }: MusigSessionRecord): Uint8Array[] =>
  participants.flatMap(({ publicNonce }) => (publicNonce === null ? [] : [bytes(publicNonce)]));

/** In the participants' order; null where one has given none yet. */
export const partialSignaturesOf = ({ participants }: MusigSessionRecord): (Uint8Array | null)[] =>
  participants.map(({ partialSignature }) => (partialSignature === null ? null : bytes(partialSignature)));

/** As Uint8Array, not Buffer: what takes it apart may slice it. */
const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
