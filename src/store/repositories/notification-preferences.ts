import type { AccountId } from '../../core/ids.ts';
import type { Hours } from '../../core/policies/hours.ts';
import { integer, json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const preferencesTable = table('notification_preferences', ['accountId', 'subject'], {
  accountId: text<AccountId>(),
  /** Whose they are: a person, or a credential that counts as nobody. */
  subject: text(),
  /** Grows with each change. */
  version: integer,
  channels: json<{ readonly push: boolean; readonly email: boolean }>(),
  quietHours: orNull(json<Hours>()),
  /** ISO 4217, or BTC. */
  currency: text(),
  updatedAt: time,
});
export type PreferencesRecord = RecordOf<typeof preferencesTable>;
export type PreferencesKey = Pick<PreferencesRecord, 'accountId' | 'subject'>;

declare module '../schema.ts' {
  interface Schema {
    notification_preferences: RowOf<typeof preferencesTable>;
  }
}

const preferences = rowsOf(preferencesTable, 'on conflict (account_id, subject) do nothing');

export function notificationPreferenceRepository(session: Session) {
  return {
    /** null where they were never set. */
    find: ({ accountId, subject }: PreferencesKey) => preferences.find(session, { accountId, subject }),
    /** Until the job ends no other job changes them. */
    lockOrMake: async (fresh: PreferencesRecord): Promise<PreferencesRecord> => {
      await preferences.insert(session, [fresh]);
      const { accountId, subject } = fresh;
      const record = await preferences.findForUpdate(session, { accountId, subject });
      if (record === null) throw new Error('the row that was just made is gone');
      return record;
    },
    update: async ({ accountId, subject, ...patch }: PreferencesRecord) => {
      await preferences.update(session, { accountId, subject }, patch);
    },
  };
}
