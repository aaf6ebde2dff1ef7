/** How a holder shows that a Bitcoin address is its own: a signed message (BIP322) that names both. */
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import { signedTextProblem } from './signed-text.ts';

export interface AddressClaim {
  /** The account's id: an account has one DAO. */
  readonly dao: string;
  readonly holderId: string;
  readonly address: string;
  readonly network: Network;
  readonly nonce: string;
}

export const addressText = ({ dao, holderId, address, network, nonce }: AddressClaim): string =>
  ['ashlar-governance-address', `dao: ${dao}`, `holder: ${holderId}`, `address: ${address}`]
    .concat(`network: ${network}`, `nonce: ${nonce}`)
    .join('\n');

/** Throws `invalid_signature`. */
export function assertProof(claims: readonly AddressClaim[], signature: string): void {
  const problems = claims.map((claim) => signedTextProblem({ ...claim, text: addressText(claim) }, signature));
  if (problems.includes(null)) return;
  const message = `the signature does not prove the address: ${problems[0]}; sign the message of GET /v1/governance/address-proof, which is good for one registration`;
  throw new DomainError('invalid_signature', message, { field: 'signature' });
}
