import { hex } from '../../bytes.ts';
import { INPUT } from '../codec/key-types.ts';
import { psbtFromText } from '../codec/psbt-text.ts';
import type { PsbtMap } from '../psbt-map.ts';

/** What the participants of MuSig2 send next (BIP327): their nonces, and with all of these there, their partial signatures. */
export const MUSIG_ROUNDS = ['nonces', 'signatures'] as const;
export type MusigRound = (typeof MUSIG_ROUNDS)[number];

/** Longer ones, base64, are no payment of a MuSig2 wallet: refuseTooManyShares bounds its inputs, which hold no previous transactions. */
const MAX_LENGTH = 256 * 1024;
const KEY_SIZE = 33;

/** Of a PSBT that waits for signatures; null where no input is of an aggregate key. */
export function awaitedRound(psbt: string): MusigRound | null {
  if (psbt.length > MAX_LENGTH) return null;
  const shared = psbtFromText(psbt)
    .inputs.map(musigProgress)
    .filter((input) => input !== null);
  if (shared.length === 0) return null;
  return shared.every(({ nonces }) => nonces === 0) ? 'signatures' : 'nonces';
}

/** How many participants an input has, and how many of them have given no nonce, and no partial signature; null where it has none. */
export function musigProgress(input: PsbtMap): { participants: number; nonces: number; signatures: number } | null {
  const keys = input
    .all(INPUT.MUSIG2_PARTICIPANT_PUBKEYS)
    .flatMap(({ value }) =>
      Array.from({ length: value.length / KEY_SIZE }, (_, at) => value.subarray(at * KEY_SIZE, (at + 1) * KEY_SIZE)),
    );
  if (keys.length === 0) return null;
  const lacking = (type: number): number => {
    // BIP373: the key of either begins with the participant's.
    const given = new Set(input.all(type).map(({ keyData }) => hex(keyData.subarray(0, KEY_SIZE))));
    return keys.filter((key) => !given.has(hex(key))).length;
  };
  return {
    participants: keys.length,
    nonces: lacking(INPUT.MUSIG2_PUB_NONCE),
    signatures: lacking(INPUT.MUSIG2_PARTIAL_SIG),
  };
}
