/** What changes who may decide passes here, in the job that writes it, whichever operation it is of. */
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { EnterpriseConfig } from '../../core/policies/account-rules.ts';
import { SPENDING_OPERATIONS } from '../../core/policies/policy.ts';
import { type RulesChangeText, rulesChangeText, sameChange } from '../../core/policies/rules-change.ts';
import type { Repositories } from '../../store/store.ts';
import type { Credential, RequestContext } from '../requests/request-context.ts';

type PolicyChange = EnterpriseConfig['policyChange'];

/** Records, of which approvers read what requests for them are answered. */
export interface RulesChange {
  /** null: it is made. */
  readonly before: object | null;
  /** null: it is deleted. */
  readonly after: object | null;
  /** Which record was there before, where it is not the one that the request's effect names. */
  readonly of?: string;
  /** What the records do not show, by its name on the wire; no secret: what stays as it is, and what comes with the change. */
  readonly besides?: Readonly<Record<string, unknown>>;
  readonly gains?: Readonly<Record<string, unknown>>;
  /** What it waits for, where the change is of this itself: as it was before. */
  readonly policyChange?: PolicyChange;
}

/** Whose voice it is, of whoever asks. */
export const ownVoice = ({ countsAs, id }: Pick<Credential, 'countsAs' | 'id'>): string => countsAs ?? id;

/** Thrown in the job, so that nothing of it is written: the change waits for approvals. */
export class AwaitsApproval extends Error {
  readonly required: NonNullable<PolicyChange>;
  readonly signs: RulesChangeText;
  constructor(required: NonNullable<PolicyChange>, signs: RulesChangeText) {
    super('the change waits for approvals');
    this.required = required;
    this.signs = signs;
  }
}

/** Throws AwaitsApproval; `state_conflict` where what was approved is another change by now. */
export async function passChange(
  tx: Pick<Repositories, 'enterpriseConfig'>,
  { accountId, facts, changesRules: asked }: Pick<RequestContext, 'accountId' | 'facts' | 'changesRules'>,
  { change, target }: { readonly change?: RulesChange | null | undefined; readonly target: string | null },
): Promise<void> {
  if (asked === undefined) return;
  if (change === undefined) throw new Error(`${facts.operation} does not say how it changes who may decide`);
  if (change === null) return;
  const { policyChange = (await tx.enterpriseConfig.find(accountId))?.policyChange ?? null } = change;
  if (policyChange === null && asked.approved === null) return;
  const signs = rulesChangeText({
    target: change.before === null ? null : (change.of ?? target),
    before: change.before && { ...asked.present(change.before), ...change.besides },
    after: change.after && { ...asked.present(change.after), ...change.besides, ...change.gains },
  });
  if (asked.approved === null) {
    // What shows no difference has none that decides: the place of a rule, a record sent back as it was read.
    if (policyChange === null || sameChange(signs.before, signs.after)) return;
    throw new AwaitsApproval(policyChange, signs);
  }
  if (sameChange(signs, asked.approved.signs)) return;
  const message = 'what is to be changed, or what it would become, is not what it was when the change was asked for';
  throw new DomainError('state_conflict', `${message}: ask for it again`);
}

/** Whether another change waits: it may name what would be gone, or be called otherwise, by the time that it is approved. */
export const changesWait = async (tx: Pick<Repositories, 'approvals'>, accountId: AccountId): Promise<boolean> =>
  (await tx.approvals.held(accountId)).some(({ operation }) => !SPENDING_OPERATIONS.some((each) => each === operation));
