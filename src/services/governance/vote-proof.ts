/** What shows later that a holder cast a vote. */
import { DomainError } from '../../core/errors.ts';
import type { Side } from '../../core/governance/tally.ts';
import type { ProposalId } from '../../core/ids.ts';
import type { VoteProof } from '../../store/repositories/governance-votes.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';

/** Characters of a vote's body: it is kept with each. */
const MAX_BODY = 4_096;

export interface CastVote {
  readonly proposalId: ProposalId;
  readonly holderId: string;
  readonly vote: Side;
  readonly power: bigint;
  /** Of this holder on this proposal, from 1 on. */
  readonly revision: number;
  /** Epoch milliseconds. */
  readonly castAt: number;
  /** The request's body as it was sent. */
  readonly body: string;
}

/** In the job that counts the vote. The request as it was signed; of a credential that need not sign there is none. Throws `too_large`. */
export async function voteProof(
  _: Repositories,
  { facts: { signature } }: Pick<RequestContext, 'accountId' | 'facts'>,
  { body }: CastVote,
): Promise<{ proof: VoteProof }> {
  if (body.length > MAX_BODY)
    throw new DomainError('too_large', `the body of a vote has at most ${MAX_BODY} characters`);
  if (signature === null || signature.base === null || signature.value === null) return { proof: { kind: 'none' } };
  const { keyId, base, value } = signature;
  return { proof: { kind: 'request', key_id: keyId, base, value, body } };
}
