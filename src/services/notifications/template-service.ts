/** Templates of notifications as requests make, show, change and delete them. */
import { roleReaches, scopeAllows } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import { type Template, templateProblem } from '../../core/notifications/templates.ts';
import type { PageRequest } from '../../store/records.ts';
import type { TemplateRecord } from '../../store/repositories/notification-templates.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { Credential, RequestContext } from '../requests/request-context.ts';
import { madeBy } from '../webhooks/webhook-rights.ts';

export type { TemplateRecord };

const MAX_TEMPLATES = 100;

export interface NewTemplate extends Template {
  readonly name: string;
}

/** Throws `not_found`. */
export async function foundTemplate(
  read: Pick<Repositories, 'notificationTemplates'>,
  accountId: AccountId,
  templateId: string,
): Promise<TemplateRecord> {
  const found = await read.notificationTemplates.find(accountId, templateId);
  if (found === null) throw new DomainError('not_found', 'there is no such template', { field: 'template_id' });
  return found;
}

/** What a template says others' programs send: its maker changes it, or who has all rights that it was made with. Throws `forbidden`. */
function assertMayChange({ makerKind, makerId, makerRole, makerScopes }: TemplateRecord, by: Credential): void {
  const isMaker = by.kind === makerKind && by.id === makerId;
  const hasScopes = isMaker || (makerScopes ?? []).every((scope) => scopeAllows(by.scopes, scope));
  if (roleReaches(by.role, makerRole ?? 'admin') && hasScopes) return;
  const whose =
    makerId === null
      ? 'was made before its maker was stored: only administrators'
      : `was made by ${makerId}: only they, or who has all rights that they had,`;
  throw new DomainError('forbidden', `the template ${whose} can change or delete it`, { field: 'template_id' });
}

export function createTemplates(deps: {
  store: Store;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
}) {
  const { store, clock, randomBytes } = deps;

  async function assertFits(tx: Repositories, template: TemplateRecord): Promise<void> {
    const problem = templateProblem(template);
    if (problem !== null)
      throw new DomainError('invalid_value', `${problem.field} ${problem.reason}`, { field: problem.field });
    const named = await tx.notificationTemplates.findByName(template.accountId, template.name);
    if (named !== null && named.templateId !== template.templateId)
      throw new DomainError('already_exists', 'the account has a template of this name', { field: 'name' });
  }

  return {
    /** Throws `invalid_value`, `already_exists`, `policy_refused`. */
    create: (given: NewTemplate, context: RequestContext): Promise<TemplateRecord> =>
      store.write(async (tx) => {
        const { accountId, credential } = context;
        await tx.accounts.lock(accountId);
        if ((await tx.notificationTemplates.count(accountId)) >= MAX_TEMPLATES)
          throw new DomainError('policy_refused', `an account has at most ${MAX_TEMPLATES} templates: delete one`);
        const at = clock();
        const ids = { templateId: newId('tpl', randomBytes), accountId };
        const result: TemplateRecord = { ...ids, ...given, ...madeBy(credential), createdAt: at, updatedAt: at };
        await assertFits(tx, result);
        await tx.notificationTemplates.insert(result);
        await recordRequest(tx, context, { result, target: result.templateId });
        return result;
      }),

    get: (templateId: string, { accountId }: RequestContext) => foundTemplate(store.read, accountId, templateId),

    /** Newest first. */
    list: (page: PageRequest, { accountId }: RequestContext) => store.read.notificationTemplates.list(accountId, page),

    /** What was sent by it stays as it was, and so does its maker. Throws as `create`, and `not_found`, `forbidden`. */
    update: (templateId: string, change: Partial<NewTemplate>, context: RequestContext): Promise<TemplateRecord> =>
      store.write(async (tx) => {
        const { accountId } = context;
        await tx.notificationTemplates.findForUpdate(accountId, templateId);
        const before = await foundTemplate(tx, accountId, templateId);
        assertMayChange(before, context.credential);
        const result: TemplateRecord = { ...before, ...change, updatedAt: clock() };
        await assertFits(tx, result);
        await tx.notificationTemplates.update(accountId, templateId, result);
        await recordRequest(tx, context, { result, target: templateId });
        return result;
      }),

    /** Throws `not_found`, `forbidden`. */
    delete: (templateId: string, context: RequestContext): Promise<void> =>
      store.write(async (tx) => {
        assertMayChange(await foundTemplate(tx, context.accountId, templateId), context.credential);
        await tx.notificationTemplates.delete(context.accountId, templateId);
        await recordRequest(tx, context, { result: undefined, target: templateId });
      }),
  };
}

export type TemplateService = ReturnType<typeof createTemplates>;
