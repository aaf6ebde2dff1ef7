/** Which votes meet which requirements. */
import { type Role, roleReaches } from '../access.ts';
import type { Approvers, Requirement } from './policy.ts';

/** Someone who votes, as the records have them at one time. */
export interface Voter {
  /** The person, or whom the credential counts as; null: it counts as itself. */
  readonly userId: string | null;
  readonly credentialId: string;
  readonly role: Role;
  /** Ids. */
  readonly groups: readonly string[];
}

/** Whose voice it is: a person has one, whatever credentials they hold. */
export const voiceOf = ({ userId, credentialId }: Pick<Voter, 'userId' | 'credentialId'>): string =>
  userId ?? credentialId;

/** A role stands for those above it, too. */
export function mayApprove({ roles, userIds, groups }: Approvers, voter: Voter): boolean {
  if (roles?.some((role) => roleReaches(voter.role, role))) return true;
  if (voter.userId !== null && userIds?.includes(voter.userId)) return true;
  return groups?.some((group) => voter.groups.includes(group)) ?? false;
}

/** A vote to approve: who it was `before`, when it was cast, and who they are `now`; null where their credential has ended. */
export interface CastVote {
  readonly before: Voter;
  readonly now: Voter | null;
}

export interface RequirementState extends Pick<Requirement, 'policyId' | 'required' | 'from'> {
  /** Which votes count for it, by their place in the list: the first of each voice. */
  readonly votes: readonly number[];
  readonly met: boolean;
}

/**
 * Each requirement is met by itself, and one vote may count for several. It counts where the voter might approve when they voted, and still
 * may; the initiator's never does.
 */
export function requirementStates(
  requirements: readonly Pick<Requirement, 'policyId' | 'required' | 'from'>[],
  votes: readonly CastVote[],
  initiator: Pick<Voter, 'userId' | 'credentialId'>,
): RequirementState[] {
  return requirements.map(({ policyId, required, from }) => {
    const counted = new Map<string, number>();
    for (const [place, vote] of votes.entries()) {
      const voice = voiceOf(vote.before);
      if (voice === voiceOf(initiator) || counted.has(voice) || !counts(vote, from)) continue;
      counted.set(voice, place);
    }
    return { policyId, required, from, votes: [...counted.values()], met: counted.size >= required };
  });
}

/** A vote is of the voice that it was cast with: a credential that counts as another since then has lost it. */
function counts({ before, now }: CastVote, from: Approvers): boolean {
  return now !== null && voiceOf(now) === voiceOf(before) && mayApprove(from, before) && mayApprove(from, now);
}
