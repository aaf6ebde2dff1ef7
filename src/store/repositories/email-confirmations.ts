import type { AccountId } from '../../core/ids.ts';
import { integer, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const confirmationsTable = table('email_confirmations', ['email'], {
  /** Folded (core/users/login-name.ts): one user of the whole service has it. */
  email: text(),
  accountId: text<AccountId>(),
  userId: text(),
  /** SHA-256 of the code, hex; null: it was used, or is good no more. */
  digest: orNull(text()),
  /** Wrong codes. */
  tries: integer,
  /** Days since 1970 (UTC), and the mails of that day, whichever account asked for them. */
  day: integer,
  sent: integer,
  /** Of the code, and of the row. */
  expiresAt: time,
});
export type EmailConfirmation = RecordOf<typeof confirmationsTable>;

declare module '../schema.ts' {
  interface Schema {
    email_confirmations: RowOf<typeof confirmationsTable>;
  }
}

const confirmations = rowsOf(confirmationsTable);
const sentOn = prepared((db, p: { accountId: AccountId; day: bigint }) =>
  db
    .selectFrom('email_confirmations')
    .select((eb) => eb.fn.sum<bigint | null>('sent').as('sent'))
    .where('account_id', '=', p.accountId)
    .where('day', '=', p.day),
);
const deleteExpired = prepared((db, p: { now: bigint }) =>
  db.deleteFrom('email_confirmations').where('expires_at', '<=', p.now),
);

export function emailConfirmationRepository(session: Session) {
  return {
    /** Whatever the account: the address may have been another user's today. */
    find: (email: string) => confirmations.find(session, { email }),
    /** Takes the place of the one that the address had. */
    put: async (confirmation: EmailConfirmation) => {
      await confirmations.delete(session, { email: confirmation.email });
      await confirmations.insert(session, [confirmation]);
    },
    update: async (
      { accountId, email }: Pick<EmailConfirmation, 'accountId' | 'email'>,
      patch: Partial<Pick<EmailConfirmation, 'digest' | 'tries' | 'sent'>>,
    ) => {
      await confirmations.update(session, { accountId, email }, patch);
    },
    /** Mails of an account on a day. */
    sentOn: async (accountId: AccountId, day: number) =>
      Number((await sentOn.first(session, { accountId, day: BigInt(day) }))?.sent ?? 0),
    deleteExpired: async (now: number) => Number(await deleteExpired.run(session, { now: BigInt(now) })),
  };
}
