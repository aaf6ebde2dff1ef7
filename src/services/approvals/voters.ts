/** The voters, according to the current records. */
import type { AccountRules } from '../../core/policies/account-rules.ts';
import { voiceOf } from '../../core/policies/policy.ts';
import {
  type CastVote,
  type RequirementState,
  requirementStates,
  type Voter,
} from '../../core/policies/requirements.ts';
import { canVote } from '../../core/policies/rules-change.ts';
import type { ApprovalVoteRecord } from '../../store/repositories/approval-votes.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import { isActive } from '../credentials/credential-record.ts';
import type { Credential } from '../requests/request-context.ts';
import { isWithinTime } from '../users/may-log-in.ts';

type Groups = Pick<AccountRules, 'groupsOf'>;
type Reads = Pick<Repositories, 'apiKeys' | 'oauthClients' | 'users' | 'signingKeys'>;

export const voterOf = (
  { countsAs, id, role }: Pick<Credential, 'countsAs' | 'id' | 'role'>,
  rules: Groups,
): Voter => ({
  ...{ userId: countsAs, credentialId: id, role },
  groups: rules.groupsOf({ userId: countsAs, credentialId: id }),
});

/** null if the credential or its signing key has ended, or if it may no longer vote. */
async function voterNow(tx: Reads, vote: ApprovalVoteRecord, rules: Groups, at: number): Promise<Voter | null> {
  const { accountId, credentialId: id, keyId } = vote;
  const key = await tx.signingKeys.find(accountId, keyId);
  const found = key === null || key.revokedAt !== null ? null : await credentialNow(tx, vote, at);
  if (found === null || !canVote(found)) return null;
  return voterOf({ countsAs: found.countsAs, id, role: found.role }, rules);
}

/** null if it has ended. */
export async function credentialNow(
  tx: Pick<Reads, 'apiKeys' | 'oauthClients' | 'users'>,
  {
    accountId,
    credentialKind,
    credentialId: id,
  }: Pick<ApprovalVoteRecord, 'accountId' | 'credentialKind' | 'credentialId'>,
  at: number,
) {
  if (credentialKind === 'person') {
    const user = await tx.users.find(accountId, id);
    const stands = user !== null && user.deletedAt === null && user.disabledAt === null && isWithinTime(user, at);
    return stands ? { ...user, countsAs: id } : null;
  }
  const found = await (credentialKind === 'api_key'
    ? tx.apiKeys.find(accountId, id)
    : tx.oauthClients.find(accountId, id));
  return found !== null && isActive(found, at) ? found : null;
}

export interface CountedVotes {
  readonly states: readonly RequirementState[];
  /** Positions of the votes that count for any requirement. */
  readonly positions: readonly number[];
  /** The voices that cast them. */
  readonly voices: ReadonlySet<string>;
}

/** The result of the votes, according to the current records. */
export async function countVotes(
  tx: Reads,
  { requirements, initiator, asked }: Pick<ApprovalRecord, 'requirements' | 'initiator' | 'asked'>,
  votes: readonly ApprovalVoteRecord[],
  rules: Groups,
  at: number,
): Promise<CountedVotes> {
  const approving = votes.filter(({ decision }) => decision === 'approve');
  const cast: CastVote[] = [];
  for (const vote of approving) {
    const { countsAs: userId, credentialId, role, groupIds: groups } = vote;
    cast.push({ before: { userId, credentialId, role, groups }, now: await voterNow(tx, vote, rules, at) });
  }
  const asking = [initiator, ...(asked.proposer ? [asked.proposer] : [])];
  const initiators = asking.map(({ countsAs: userId, id: credentialId }) => ({ userId, credentialId }));
  const states = requirementStates(requirements, cast, initiators);
  const places = [...new Set(states.flatMap((state) => state.votes))];
  return {
    states,
    positions: places.map((place) => approving[place]!.position),
    voices: new Set(places.map((place) => voiceOf(cast[place]!.before))),
  };
}
