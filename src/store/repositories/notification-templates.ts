import type { Role } from '../../core/access.ts';
import type { AccountId } from '../../core/ids.ts';
import type { PlaceholderType } from '../../core/notifications/templates.ts';
import { json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const templatesTable = table('notification_templates', ['templateId'], {
  /** `tpl_…` */
  templateId: text(),
  accountId: text<AccountId>(),
  name: text(),
  subject: text(),
  body: text(),
  placeholders: json<Readonly<Record<string, PlaceholderType>>>(),
  /** Whoever made it, with their rights; null: it was made before these were stored. */
  makerKind: orNull(text<'api_key' | 'oauth_client' | 'person'>()),
  makerId: orNull(text()),
  makerRole: orNull(text<Role>()),
  makerScopes: orNull(json<readonly string[]>()),
  createdAt: time,
  updatedAt: time,
});
export type TemplateRecord = RecordOf<typeof templatesTable>;

declare module '../schema.ts' {
  interface Schema {
    notification_templates: RowOf<typeof templatesTable>;
  }
}

const templates = rowsOf(templatesTable);

export function notificationTemplateRepository(session: Session) {
  return {
    insert: async (template: TemplateRecord) => {
      await templates.insert(session, [template]);
    },
    find: (accountId: AccountId, templateId: string) => templates.find(session, { accountId, templateId }),
    findForUpdate: (accountId: AccountId, templateId: string) =>
      templates.findForUpdate(session, { accountId, templateId }),
    findByName: (accountId: AccountId, name: string) => templates.find(session, { accountId, name }),
    count: (accountId: AccountId) => templates.count(session, { accountId }),
    /** Newest first. */
    list: (accountId: AccountId, page: PageRequest) =>
      templates.page(session, { name: 'notification-templates', where: { accountId } }, page),
    update: async (accountId: AccountId, templateId: string, patch: Partial<TemplateRecord>) => {
      await templates.update(session, { accountId, templateId }, patch);
    },
    delete: async (accountId: AccountId, templateId: string) =>
      (await templates.delete(session, { accountId, templateId })) > 0n,
  };
}
