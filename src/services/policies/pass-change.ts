/** Every change of rules or of who may approve passes here, in the job that writes it. It waits if the account requires approvals for that. */
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { EnterpriseConfig } from '../../core/policies/account-rules.ts';
import { SPENDING_OPERATIONS } from '../../core/policies/policy.ts';
import { type RulesChangeText, rulesChangeText, sameChange } from '../../core/policies/rules-change.ts';
import type { Repositories } from '../../store/store.ts';
import type { Credential, RequestContext } from '../requests/request-context.ts';

type PolicyChange = EnterpriseConfig['policyChange'];

/** The records before and after a change. Approvers read them as GET requests answer them. */
export interface RulesChange {
  /** null: it is created. */
  readonly before: object | null;
  /** null: it is deleted. */
  readonly after: object | null;
  /** The id of the record before, if it is not the one that the request's effect names. */
  readonly of?: string;
  /** What the records do not show, by its name on the wire, never a secret: what stays the same, and what the change adds. */
  readonly besides?: Readonly<Record<string, unknown>>;
  readonly gains?: Readonly<Record<string, unknown>>;
  /** The proposal that it carries out. */
  readonly proposal?: RulesChangeText['proposal'];
  /** Set if the change is of `policy_change` itself: its value before, for which the change waits. */
  readonly policyChange?: PolicyChange;
}

/** The voice of the caller. */
export const ownVoice = ({ countsAs, id }: Pick<Credential, 'countsAs' | 'id'>): string => countsAs ?? id;

/** Thrown in the job, so that nothing is written: the change waits for approvals. */
export class AwaitsApproval extends Error {
  readonly required: NonNullable<PolicyChange>;
  readonly signs: RulesChangeText;
  constructor(required: NonNullable<PolicyChange>, signs: RulesChangeText) {
    super('the change waits for approvals');
    this.required = required;
    this.signs = signs;
  }
}

/** Throws AwaitsApproval; `state_conflict` if it is no longer the change that was approved. */
export async function passChange(
  tx: Pick<Repositories, 'enterpriseConfig'>,
  { accountId, facts, changesRules: asked }: Pick<RequestContext, 'accountId' | 'facts' | 'changesRules'>,
  { change, target }: { readonly change?: RulesChange | null | undefined; readonly target: string | null },
): Promise<void> {
  if (asked === undefined) return;
  if (change === undefined) throw new Error(`${facts.operation} does not describe its change of the rules`);
  if (change === null) return;
  const { policyChange = (await tx.enterpriseConfig.find(accountId))?.policyChange ?? null } = change;
  if (policyChange === null && asked.approved === null) return;
  const signs = rulesChangeText({
    target: change.before === null ? null : (change.of ?? target),
    before: change.before && { ...asked.present(change.before), ...change.besides },
    after: change.after && { ...asked.present(change.after), ...change.besides, ...change.gains },
    proposal: change.proposal,
  });
  if (asked.approved === null) {
    // No visible difference, so nothing to approve: the position of a rule, a record sent back as it was read.
    if (policyChange === null || sameChange(signs.before, signs.after)) return;
    throw new AwaitsApproval(policyChange, signs);
  }
  if (sameChange(signs, asked.approved.signs)) return;
  const message = 'the record has changed since this change was requested';
  throw new DomainError('state_conflict', `${message}: repeat the request`);
}

/** Whether another change waits. It may name records that would be deleted or renamed by the time it is approved. */
export const changesWait = async (tx: Pick<Repositories, 'approvals'>, accountId: AccountId): Promise<boolean> =>
  (await tx.approvals.held(accountId)).some(({ operation }) => !SPENDING_OPERATIONS.some((each) => each === operation));
