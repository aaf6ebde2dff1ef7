import { INPUT } from '../codec/key-types.ts';
import { psbtFromText } from '../codec/psbt-text.ts';
import type { PsbtMap } from '../psbt-map.ts';

/** What the participants of MuSig2 send next (BIP327): their nonces, and with all of these there, their partial signatures. */
export const MUSIG_ROUNDS = ['nonces', 'signatures'] as const;
export type MusigRound = (typeof MUSIG_ROUNDS)[number];

/** Longer ones, base64, are no payment of a MuSig2 wallet: refuseTooManyShares bounds its inputs, which hold no previous transactions. */
const LONGEST = 256 * 1024;
const KEY_SIZE = 33;

/** Of a PSBT that waits for signatures; null where no input is of an aggregate key. */
export function awaitedRound(psbt: string): MusigRound | null {
  if (psbt.length > LONGEST) return null;
  const shared = psbtFromText(psbt).inputs.filter((input) => input.all(INPUT.MUSIG2_PARTICIPANT_PUBKEYS).length > 0);
  if (shared.length === 0) return null;
  return shared.every(hasAllNonces) ? 'signatures' : 'nonces';
}

/** One of each participant at least (BIP373: PSBT_IN_MUSIG2_PUB_NONCE's key begins with the participant's). */
function hasAllNonces(input: PsbtMap): boolean {
  const given = input.all(INPUT.MUSIG2_PUB_NONCE).map(({ keyData }) => keyData.subarray(0, KEY_SIZE));
  const participants = input
    .all(INPUT.MUSIG2_PARTICIPANT_PUBKEYS)
    .flatMap(({ value }) =>
      Array.from({ length: value.length / KEY_SIZE }, (_, at) => value.subarray(at * KEY_SIZE, (at + 1) * KEY_SIZE)),
    );
  return participants.every((key) => given.some((one) => Buffer.compare(one, key) === 0));
}
