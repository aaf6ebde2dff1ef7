/** Whether a signed message (BIP322, or a compact signature of P2PKH) shows that an address's key agrees to a text now. */
import { verifyMessage } from '../messages/verify-message.ts';
import type { Network } from '../network.ts';
import { decodeAddress } from '../relay-policy/address.ts';

/** Longer ones, which could take long to verify, are no signature of one address. */
export const MAX_PROOF_LENGTH = 2_000;

/** Why it does not; null where it does. Throws as decodeAddress does. */
export function signedTextProblem(
  { address, network, text }: { address: string; network: Network; text: string },
  signature: string,
): string | null {
  const script = Buffer.from(decodeAddress(address, network).scriptPubKey, 'hex');
  const { state, format, reason, validAt } = verifyMessage(script, Buffer.from(text, 'utf8'), signature);
  if (state !== 'valid') return reason ?? state;
  if (format === 'proof-of-funds') return 'a proof of funds also claims coins: sign the message alone';
  const later = validAt !== null && (validAt.locktime !== 0 || validAt.sequence !== 0);
  return later ? 'it is valid only later: sign with locktime and sequence 0' : null;
}
