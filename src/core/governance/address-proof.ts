/** How a holder shows that a Bitcoin address is its own: a signed message (BIP322) that names both. */
import { DomainError } from '../errors.ts';
import { verifyMessage } from '../messages/verify-message.ts';
import type { Network } from '../network.ts';
import { decodeAddress } from '../relay-policy/address.ts';

export interface AddressClaim {
  /** The account's id: an account has one DAO. */
  readonly dao: string;
  readonly holderId: string;
  readonly address: string;
  readonly network: Network;
  readonly nonce: string;
}

/** Longer ones, which could take long to verify, are no signature of one address. */
export const MAX_PROOF_LENGTH = 2_000;

export const addressText = ({ dao, holderId, address, network, nonce }: AddressClaim): string =>
  ['ashlar-governance-address', `dao: ${dao}`, `holder: ${holderId}`, `address: ${address}`]
    .concat(`network: ${network}`, `nonce: ${nonce}`)
    .join('\n');

/** Why the signature does not prove it; null where it does. */
function proofProblem(claim: AddressClaim, signature: string): string | null {
  const script = Buffer.from(decodeAddress(claim.address, claim.network).scriptPubKey, 'hex');
  const { state, format, reason, validAt } = verifyMessage(script, Buffer.from(addressText(claim), 'utf8'), signature);
  if (state !== 'valid') return reason ?? state;
  if (format === 'proof-of-funds') return 'a proof of funds also claims coins: sign the message alone';
  const later = validAt !== null && (validAt.locktime !== 0 || validAt.sequence !== 0);
  return later ? 'it is valid only later: sign with locktime and sequence 0' : null;
}

/** Throws `invalid_signature`. */
export function assertProof(claims: readonly AddressClaim[], signature: string): void {
  const problems = claims.map((claim) => proofProblem(claim, signature));
  if (problems.includes(null)) return;
  const message = `the signature does not prove the address: ${problems[0]}; sign the message of GET /v1/governance/address-proof`;
  throw new DomainError('invalid_signature', message, { field: 'signature' });
}
