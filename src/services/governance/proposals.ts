/** Proposals as requests make, see and cancel them. */
import { type Role, roleReaches } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import { votingEnd } from '../../core/governance/proposal-outcome.ts';
import { formatTokens, parseTokens } from '../../core/governance/tokens.ts';
import { newId, type ProposalId } from '../../core/ids.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { DaoRecord } from '../../store/repositories/governance.ts';
import {
  type ListedProposal,
  NO_EXECUTION,
  type ProposalFilter,
  type ProposalRecord,
} from '../../store/repositories/proposals.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { daoTime } from './dao-time.ts';
import type { Daos, GovernanceDeps } from './daos.ts';
import { datingTime, type Ends, openForVotes } from './ends.ts';
import { withExecution } from './execution-view.ts';
import { tell, updated } from './governance-events.ts';
import type { Holders } from './holders.ts';
import { endOf } from './record-end.ts';
import { executionFields } from './settle.ts';
import type { Snapshots } from './snapshots.ts';
import type { ProposalTypes } from './types/index.ts';

export type { ListedProposal, ProposalRecord };

/** That can be voted on at a time, of an account: what ends in one second is ended in seconds. */
const MOST_ACTIVE = 1_000;
const OF_HOLDER = { active: 50, most: 100, inMs: 3_600_000 };

interface Asked {
  readonly title: string;
  readonly description: string;
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

interface Deps extends GovernanceDeps {
  readonly daos: Daos;
  readonly holders: Holders;
  readonly types: ProposalTypes;
  readonly ends: Ends;
  readonly snapshots: Pick<Snapshots, 'withSnapshot'>;
}

export function createProposals({ store: { read }, randomBytes, daos, holders, types, ends, snapshots }: Deps) {
  /** Throws `not_found`. */
  async function found(
    tx: Pick<Repositories, 'proposals'>,
    proposalId: ProposalId,
    { accountId }: Pick<RequestContext, 'accountId'>,
    field = 'id',
  ): Promise<ProposalRecord> {
    const proposal = await tx.proposals.find(accountId, proposalId);
    if (proposal !== null) return proposal;
    const message = 'there is no such proposal in this account: GET /v1/governance/proposals lists them';
    throw new DomainError('not_found', message, { field });
  }

  /** Throws `rate_limited`, `state_conflict`. */
  async function assertRoom(tx: Repositories, dao: DaoRecord, of: { proposerId: string; now: number }): Promise<void> {
    const made = await tx.proposals.madeSince(dao.accountId, of, of.now - OF_HOLDER.inMs);
    if (made.count >= OF_HOLDER.most) {
      const retryAfterSeconds = Math.ceil((made.oldest + OF_HOLDER.inMs - of.now) / 1_000);
      const message = `a holder makes at most ${OF_HOLDER.most} proposals in an hour`;
      throw new DomainError('rate_limited', message, { retryAfterSeconds });
    }
    if ((await tx.proposals.activeOf(dao.accountId, of)) >= OF_HOLDER.active) {
      const message = `a holder has at most ${OF_HOLDER.active} active proposals: wait until one has ended, or cancel one`;
      throw new DomainError('state_conflict', message);
    }
    if (dao.activeProposals >= MOST_ACTIVE)
      throw new DomainError('state_conflict', `there are ${MOST_ACTIVE} active proposals: wait until one has ended`);
  }

  /** Whoever asks, who may propose something. Throws `insufficient_funds`, `rate_limited`, `state_conflict`. */
  async function proposerIn(tx: Repositories, dao: DaoRecord, of: { now: number; context: RequestContext }) {
    const { holderId: proposerId, balance } = await holders.self(tx, of.context);
    const { proposal_threshold: threshold } = dao.parameters;
    if (balance < parseTokens(threshold)) {
      const message = `making a proposal takes a balance of ${threshold} tokens, and yours is ${formatTokens(balance)}`;
      throw new DomainError('insufficient_funds', message);
    }
    await assertRoom(tx, dao, { proposerId, now: of.now });
    return proposerId;
  }

  return {
    found,

    /** Throws `unsupported`, `insufficient_funds`, `rate_limited`, `state_conflict`, and as its type's check does. */
    async create(asked: Asked, context: RequestContext): Promise<ProposalRecord> {
      const type = types.typeOf(asked.type);
      const { accountId, credential } = context;
      await ends.endDue(accountId);
      // A snapshot goes through all holders: not for whoever may not propose anything.
      const dao = await daos.of(accountId);
      await proposerIn(read, dao, { now: await daoTime(read, dao), context });
      return snapshots.withSnapshot(context, (snapshot) =>
        daos.change(context, async (tx, dao) => {
          const now = await datingTime(tx, dao);
          const proposerId = await proposerIn(tx, dao, { now, context });
          const parameters = await type.check(tx, dao, asked.parameters);
          const { kind, id, role, countsAs } = credential;
          const result: ProposalRecord = {
            ...{
              accountId,
              proposalId: newId('prp', randomBytes),
              proposerId,
              initiator: { kind, id, role, countsAs },
            },
            ...{ ...asked, parameters },
            ...{ settings: dao.parameters, snapshotSeq: dao.seq, totalPower: dao.totalPower },
            ...{ status: 'active', votesFor: 0n, votesAgainst: 0n, voters: 0, ballots: 0 },
            ...{ createdAt: now, expiresAt: votingEnd(now, dao.parameters) },
            ...{ endedAt: null, cancelledAt: null, cancelReason: null },
            ...NO_EXECUTION,
          };
          await tx.proposals.insert(result);
          const commitment = await snapshot.keep(tx, dao, result);
          const counts = { activeProposals: dao.activeProposals + 1, proposals: dao.proposals + 1 };
          await tx.governance.updateDao(accountId, counts);
          await tell(tx, accountId, {
            ...{ event: 'proposal_created', proposal_id: result.proposalId, title: result.title, type: result.type },
            ...{ proposer_id: proposerId, status: 'active', expires_at: new Date(result.expiresAt).toISOString() },
          });
          return { result, target: result.proposalId, commitment };
        }),
      );
    },

    /** Newest first. */
    async list(
      filter: ProposalFilter,
      page: PageRequest,
      { accountId }: RequestContext,
    ): Promise<Page<ListedProposal>> {
      await ends.endDue(accountId);
      return read.proposals.page(await daos.of(accountId), filter, page);
    },

    /** Throws `not_found`. */
    async get(proposalId: ProposalId, context: RequestContext): Promise<ProposalRecord> {
      await daos.of(context.accountId);
      await ends.endDue(context.accountId);
      return found(read, proposalId, context);
    },

    /** By its proposer before the first vote, or by an administrator who says why. Throws `not_found`, `forbidden`, `state_conflict`. */
    async cancel(
      proposalId: ProposalId,
      { reason = null }: { reason?: string | null | undefined },
      context: RequestContext,
    ): Promise<ProposalRecord> {
      const { accountId, credential } = context;
      await ends.endDue(accountId);
      return daos.change(context, async (tx, dao) => {
        const proposal = await found(tx, proposalId, context);
        const now = await datingTime(tx, dao);
        await openForVotes(tx, dao, proposal);
        const { holderId } = await holders.self(tx, context);
        assertMayCancel(proposal, { holderId, role: credential.role, reason });
        const end = { status: 'rejected', endedAt: now, cancelledAt: now, cancelReason: reason } as const;
        const result = await withExecution(tx, { ...proposal, ...end }, now);
        await tx.proposals.update(proposal, { ...end, ...executionFields(result, now) });
        await tx.governance.updateDao(accountId, { activeProposals: dao.activeProposals - 1 });
        await tell(tx, accountId, updated(result));
        const commitment = await endOf(tx, proposal, 'cancelled');
        return { result, target: proposalId, commitment };
      });
    },
  };
}

/** Who proposed with a higher role than one has is as another. Throws `forbidden`, `state_conflict`, `invalid_value`. */
function assertMayCancel(
  { proposerId, initiator, voters }: ProposalRecord,
  by: { holderId: string; role: Role; reason: string | null },
): void {
  const own = by.holderId === proposerId && roleReaches(by.role, initiator.role);
  if (own && voters === 0) return;
  if (by.role !== 'admin')
    throw own
      ? new DomainError('state_conflict', 'it has votes: an administrator can cancel it, and says why', { field: 'id' })
      : new DomainError(
          'forbidden',
          'its proposer cancels it, with the role that it was made with, or an administrator',
        );
  if (by.reason === null)
    throw new DomainError('invalid_value', 'an administrator says why', { field: 'query.reason' });
}
export type Proposals = ReturnType<typeof createProposals>;
