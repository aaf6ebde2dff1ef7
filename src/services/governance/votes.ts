/** Votes on proposals: what a vote counts for follows from the snapshot and everybody's last vote (core/governance/tally.ts). */
import { DomainError } from '../../core/errors.ts';
import { holdingOf } from '../../core/governance/snapshot.ts';
import { NO_HOLDING, partsOf, type Side, takenMore, tallyChange, votingPower } from '../../core/governance/tally.ts';
import type { ProposalId } from '../../core/ids.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { VoteRecord } from '../../store/repositories/governance-votes.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Daos, GovernanceDeps } from './daos.ts';
import { type Ends, openForVotes } from './ends.ts';
import { tell } from './governance-events.ts';
import type { Holders } from './holders.ts';
import type { Proposals } from './proposals.ts';
import type { Snapshots } from './snapshots.ts';
import type { VoteProofs } from './vote-proof.ts';

export type { VoteRecord };

export interface Ballot {
  readonly proposalId: ProposalId;
  readonly vote: Side;
  /** 0: the vote is withdrawn. */
  readonly power: bigint;
  /** BIP322 over the vote's text; undefined: the request's own shows who voted. */
  readonly signature?: string | undefined;
  /** The body's text. */
  readonly sent: () => string;
}

/** Of a holder on a proposal: each is kept for recounts. */
const MOST_REVISIONS = 1_000;

interface Deps extends GovernanceDeps {
  readonly daos: Daos;
  readonly holders: Holders;
  readonly proposals: Proposals;
  readonly ends: Ends;
  readonly snapshots: Pick<Snapshots, 'leafOf'>;
  readonly voteProofs: VoteProofs;
}

export function createVotes({ store: { read }, daos, holders, proposals, ends, snapshots, voteProofs }: Deps) {
  /** The sums' change; keeps what the vote takes back from others. */
  async function count(tx: Repositories, { before, vote }: { before: VoteRecord | null; vote: VoteRecord }) {
    const { accountId, proposalId, holderId, takenBack } = vote;
    const was = before?.takenBack ?? 0n;
    if (was === takenBack) return tallyChange([{ before, after: vote }]);
    const { leaf } = await snapshots.leafOf(tx, vote, holderId);
    const more = takenMore((leaf && holdingOf(leaf)?.given) ?? [], was, takenBack);
    const taken = await tx.votes.taken(vote, more.keys());
    const after = (delegateId: string) => (taken.get(delegateId) ?? 0n) + (more.get(delegateId) ?? 0n);
    const theirs = await tx.votes.among(vote, more.keys());
    await tx.votes.putTaken(
      [...more.keys()].map((delegateId) => ({ accountId, proposalId, delegateId, taken: after(delegateId) })),
    );
    const changed = theirs.map((one) => ({ before: one, after: { ...one, taken: after(one.holderId) } }));
    return tallyChange([{ before, after: vote }, ...changed]);
  }

  return {
    /** Throws `not_found`, `state_conflict`, `insufficient_funds`, `too_large`, `invalid_signature`. */
    async cast(
      { proposalId, vote: side, power, signature, sent }: Ballot,
      context: RequestContext,
    ): Promise<VoteRecord> {
      await ends.endDue(context.accountId);
      return daos.change(context, async (tx, dao) => {
        const { accountId } = dao;
        const proposal = await proposals.found(tx, proposalId, context);
        const createdAt = await openForVotes(tx, dao, proposal);
        const { holderId, address: holderAddress } = await holders.self(tx, context);
        const holding = (await tx.governance.entryAt(accountId, holderId, proposal.snapshotSeq)) ?? NO_HOLDING;
        const most = votingPower(holding);
        if (power > most) {
          const message = `your voting power on this proposal is ${most}: what you and those who delegate to you had when it was made`;
          throw new DomainError('insufficient_funds', message, { field: 'voting_power' });
        }
        const before = await tx.votes.find(accountId, { proposalId, holderId });
        const taken =
          before?.taken ?? (await tx.votes.taken({ accountId, proposalId }, [holderId])).get(holderId) ?? 0n;
        const revision = (before?.revision ?? 0) + 1;
        if (revision > MOST_REVISIONS)
          throw new DomainError('state_conflict', `a holder votes at most ${MOST_REVISIONS} times on a proposal`);
        const cast = {
          ...{ proposalId, holderId, vote: side, power, revision, castAt: createdAt, signature, body: sent() },
          signedBefore: before?.signedAt ?? 0,
        };
        const { proof, signedAt, ...kept } = await voteProofs.voteProof(tx, context, cast);
        const result: VoteRecord = {
          ...{ accountId, proposalId, holderId, holderAddress, vote: side, power, ...partsOf(holding, power) },
          ...{ powerIn: holding.powerIn, taken, revision, proof, signedAt, createdAt },
        };
        await tx.votes.put(result);
        const more = await count(tx, { before, vote: result });
        const sums = { votesFor: proposal.votesFor + more.for, votesAgainst: proposal.votesAgainst + more.against };
        const voters = proposal.voters + Number(power > 0n) - Number((before?.power ?? 0n) > 0n);
        const ballots = proposal.ballots + Number(before === null);
        await tx.proposals.update(proposal, { ...sums, voters, ballots });
        await tell(tx, accountId, {
          ...{ event: 'vote_cast', proposal_id: proposalId, holder_id: holderId, vote: side, revision },
          ...{ voting_power: Number(power) },
          ...{ votes_for: Number(sums.votesFor), votes_against: Number(sums.votesAgainst) },
        });
        return { result, target: proposalId, ...kept };
      });
    },

    /** What whoever asks signs with their address's key to vote so next. Throws `not_found`, `state_conflict`. */
    async text({ proposalId, vote, power }: Omit<Ballot, 'sent' | 'signature'>, context: RequestContext) {
      const { accountId } = context;
      await proposals.get(proposalId, context);
      const { holderId } = await holders.self(read, context);
      const before = await read.votes.find(accountId, { proposalId, holderId });
      const revision = (before?.revision ?? 0) + 1;
      return voteProofs.text(read, context, { proposalId, holderId, vote, power, revision });
    },

    /** Of whoever asks, newest first. */
    async own(page: PageRequest, context: RequestContext): Promise<Page<VoteRecord>> {
      const { accountId } = context;
      await daos.of(accountId);
      const { holderId } = await holders.self(read, context);
      return read.votes.page({ accountId, holderId }, page);
    },

    /** Newest first. Throws `not_found`. */
    async on(proposalId: ProposalId, page: PageRequest, context: RequestContext): Promise<Page<VoteRecord>> {
      const { accountId } = context;
      await daos.of(accountId);
      const { ballots } = await proposals.found(read, proposalId, context, 'proposal_id');
      return read.votes.page({ accountId, proposalId }, page, ballots);
    },
  };
}
export type Votes = ReturnType<typeof createVotes>;
