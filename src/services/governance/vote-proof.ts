/** What shows later that a holder cast a vote, kept as it was cast, and bound by the audit record of its request. */
import { DomainError } from '../../core/errors.ts';
import { asksFor, signedAt, votePath } from '../../core/governance/cast-proof.ts';
import { NO_VOTES, votesCommitment, withVote } from '../../core/governance/commitments.ts';
import type { VoteProof, VoteStatement } from '../../core/governance/export-file.ts';
import { signedTextProblem } from '../../core/governance/signed-text.ts';
import type { Side } from '../../core/governance/tally.ts';
import { type VoteClaim, voteText } from '../../core/governance/vote-text.ts';
import type { AccountId, ProposalId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Snapshots } from './snapshots.ts';

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
  /** BIP322, by the address that the holder had at the snapshot; undefined: the request's own signature is kept. */
  readonly signature?: string | undefined;
  /** The request's body as it was sent. */
  readonly body: string;
  /** When the holder's last signed request to vote on this was signed, Unix seconds; 0: there is none. */
  readonly signedBefore: number;
}

export function createVoteProofs({ network, snapshots }: { network: Network; snapshots: Pick<Snapshots, 'leafOf'> }) {
  /** What the holder signs. Throws `state_conflict` where it had no Bitcoin address at the snapshot. */
  async function claimOf(
    tx: Pick<Repositories, 'recounts'>,
    { accountId }: { accountId: AccountId },
    { proposalId, holderId, vote, power, revision }: Omit<CastVote, 'castAt' | 'body' | 'signedBefore'>,
  ): Promise<VoteClaim & { readonly address: string }> {
    const { root, leaf } = await snapshots.leafOf(tx, { accountId, proposalId }, holderId);
    if (leaf === null || leaf.address.startsWith('gov1'))
      throw new DomainError(
        'state_conflict',
        'you had no Bitcoin address when the proposal was made: sign the request, and leave `signature` out',
        { field: 'signature' },
      );
    return { dao: accountId, network, proposalId, vote, power, revision, snapshot: root, address: leaf.address };
  }

  async function proofOf(
    tx: Repositories,
    context: Pick<RequestContext, 'accountId' | 'facts'>,
    cast: CastVote,
  ): Promise<VoteProof> {
    if (cast.signature !== undefined) {
      const claim = await claimOf(tx, context, cast);
      const problem = signedTextProblem({ ...claim, text: voteText(claim) }, cast.signature);
      if (problem === null) return { kind: 'message', signature: cast.signature };
      const message = `the signature is not by ${claim.address} over this vote: ${problem}; sign the text of GET /v1/governance/proposals/${cast.proposalId}/vote-text`;
      throw new DomainError('invalid_signature', message, { field: 'signature' });
    }
    const { signature } = context.facts;
    if (signature === null || signature.base === null || signature.value === null) return { kind: 'none' };
    const path = votePath(cast.proposalId);
    if (context.facts.target !== path)
      throw new DomainError(
        'invalid_value',
        `a signed vote goes to ${path}, as it is written here: that is what the signature covers`,
      );
    const { keyId, base, value } = signature;
    // What a recount refuses would spoil the whole export.
    if (signedAt(base) < cast.signedBefore)
      throw new DomainError(
        'state_conflict',
        'it was signed before the vote that it would replace: sign it again, by a clock that is right',
      );
    if (!asksFor(cast.body, { vote: cast.vote, power: String(cast.power) }))
      throw new DomainError('invalid_value', 'the body as it was signed says another vote than it is read as');
    return { kind: 'request', key_id: keyId, base, value, body: cast.body };
  }

  return {
    /** What a holder signs by its address, with the number that this vote would be. */
    async text(
      tx: Pick<Repositories, 'recounts'>,
      context: { accountId: AccountId },
      cast: Omit<CastVote, 'castAt' | 'body' | 'signedBefore'>,
    ) {
      const claim = await claimOf(tx, context, cast);
      return { ...claim, text: voteText(claim) };
    },

    /**
     * In the job that counts the vote, which has the DAO's row: keeps it. Answers the proof, and what the audit record of the request commits
     * to. Throws `invalid_signature`, `invalid_value`, `state_conflict`, `too_large`.
     */
    async voteProof(
      tx: Repositories,
      context: Pick<RequestContext, 'accountId' | 'facts'>,
      cast: CastVote,
    ): Promise<{ proof: VoteProof; signedAt: number; commitment: string }> {
      if (cast.body.length > MAX_BODY)
        throw new DomainError('too_large', `the body of a vote has at most ${MAX_BODY} characters`);
      const proof = await proofOf(tx, context, cast);
      const { accountId } = context;
      const { proposalId, holderId, vote, power, revision, castAt } = cast;
      const before = (await tx.recounts.lastCast(accountId, proposalId)) ?? NO_VOTES;
      const statement: VoteStatement = {
        ...{ number: before.number + 1, holder_id: holderId, revision, vote, power: String(power) },
        ...{ cast_at: new Date(castAt).toISOString(), proof },
      };
      const after = withVote(before, statement);
      await tx.recounts.insertCast({ accountId, proposalId, ...after, statement });
      const signed = proof.kind === 'request' ? signedAt(proof.base) : cast.signedBefore;
      return { proof, signedAt: signed, commitment: votesCommitment(proposalId, after) };
    },
  };
}
export type VoteProofs = ReturnType<typeof createVoteProofs>;
