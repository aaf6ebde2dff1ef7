/** Which votes meet which requirements. */
import { type Role, roleReaches } from '../access.ts';
import { canonicalJson } from '../audit-log/canonical-json.ts';
import { type Approvers, type Requirement, voiceOf } from './policy.ts';

/** A voter, according to the records at one time. */
export interface Voter {
  /** The person that the credential belongs to or counts as; null: it counts as itself. */
  readonly userId: string | null;
  readonly credentialId: string;
  readonly role: Role;
  /** Ids. */
  readonly groups: readonly string[];
}

/** A role includes those above it. */
export function mayApprove({ roles, userIds, groups }: Approvers, voter: Voter): boolean {
  if (roles?.some((role) => roleReaches(voter.role, role))) return true;
  if (voter.userId !== null && userIds?.includes(voter.userId)) return true;
  return groups?.some((group) => voter.groups.includes(group)) ?? false;
}

/** A vote to approve: the voter `before`, when it was cast, and `now`; null if the credential has ended. */
export interface CastVote {
  readonly before: Voter;
  readonly now: Voter | null;
}

export interface RequirementState extends Pick<Requirement, 'policyId' | 'required' | 'from'> {
  /** Indices of the votes that count for it: the first of each voice. */
  readonly votes: readonly number[];
  readonly met: boolean;
}

/**
 * Each requirement is evaluated separately, and one vote may count for several. A vote counts if the voter was allowed to approve when they
 * voted and still is; the initiators' never count.
 */
export function requirementStates(
  requirements: readonly Pick<Requirement, 'policyId' | 'required' | 'from'>[],
  votes: readonly CastVote[],
  initiators: readonly Pick<Voter, 'userId' | 'credentialId'>[],
): RequirementState[] {
  const own = initiators.map(voiceOf);
  return requirements.map(({ policyId, required, from }) => {
    const counted = new Map<string, number>();
    for (const [place, vote] of votes.entries()) {
      const voice = voiceOf(vote.before);
      if (own.includes(voice) || counted.has(voice) || !counts(vote, from)) continue;
      counted.set(voice, place);
    }
    return { policyId, required, from, votes: [...counted.values()], met: counted.size >= required };
  });
}

/** A vote belongs to the voice that cast it: it is lost if the credential now counts as another one. */
function counts({ before, now }: CastVote, from: Approvers): boolean {
  return now !== null && voiceOf(now) === voiceOf(before) && mayApprove(from, before) && mayApprove(from, now);
}

/** What is required and was not met before: by a rule that has not been met, or is stricter by now. */
export const unmetBy = (wanted: readonly Requirement[], had: readonly Requirement[]): Requirement[] =>
  wanted.filter((one) => !had.some((met) => isMetBy(one, met)));

/** By the same people, at least as many. */
const isMetBy = (wanted: Requirement, had: Requirement): boolean =>
  wanted.policyId === had.policyId &&
  wanted.required <= had.required &&
  canonicalJson(wanted.from) === canonicalJson(had.from);
