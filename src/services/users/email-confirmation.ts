/**
 * A person confirms their e-mail address with a code that is mailed to it. Mail to an address that nobody has confirmed may go anywhere: its
 * text is fixed, it goes only to users' own addresses, and few are sent.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../../core/errors.ts';
import { base62 } from '../../core/ids.ts';
import { htmlOf } from '../../core/notifications/markdown.ts';
import { dayOf, secondsLeftOf } from '../../core/notifications/notification.ts';
import { foldLoginName } from '../../core/users/login-name.ts';
import type { SendMail } from '../../engines/mailing/mailing.ts';
import type { EmailConfirmation } from '../../store/repositories/email-confirmations.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Repositories } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userOf } from './user-of.ts';

const CODE_LIFE_MS = 24 * 3_600_000;
const TRIES = 5;
/** Mails a day (UTC). */
const OF_ADDRESS = 3;
const OF_ACCOUNT = 20;
const CODE_LENGTH = 12;

export const NEEDS_MAIL = 'the operator sets SMTP_URL, NOTIFICATION_EMAIL_FROM and NOTIFICATION_EMAIL_DOMAINS';

export interface SentCode {
  readonly email: string;
  readonly expiresAt: number;
}

const digestOf = (code: string): Buffer => hash('sha256', code, 'buffer');

export function createEmailConfirmation(
  deps: Pick<UserDependencies, 'store' | 'sendMail' | 'publicOrigin' | 'clock' | 'randomBytes'>,
) {
  const { store, sendMail, publicOrigin, clock, randomBytes } = deps;

  /** In a job: the asking person, who has an address that is not confirmed. */
  async function self(tx: Pick<Repositories, 'users'>, { accountId, credential }: RequestContext) {
    const user = await userOf(tx, accountId, credential.id);
    const conflict = (message: string) => new DomainError('state_conflict', message, { field: 'email' });
    if (user.email === null) throw conflict('you have no e-mail address: ask an administrator to set one');
    if (user.emailVerifiedAt !== null) throw conflict(`${user.email} is confirmed already`);
    return { ...user, email: user.email };
  }

  /** Counts a mail to them, with the code that is good from now on. Throws `rate_limited`. */
  const reserve = (digest: string, context: RequestContext): Promise<EmailConfirmation & { to: string }> =>
    store.write(async (tx) => {
      const { accountId } = context;
      const at = clock();
      const day = dayOf(at);
      await tx.accounts.lock(accountId);
      const { userId, email: to } = await self(tx, context);
      const email = foldLoginName(to);
      const before = await tx.emailConfirmations.find(email);
      const sent = before?.day === day ? before.sent : 0;
      const whose =
        sent >= OF_ADDRESS ? `an address gets at most ${OF_ADDRESS}` : `an account sends at most ${OF_ACCOUNT}`;
      if (sent >= OF_ADDRESS || (await tx.emailConfirmations.sentOn(accountId, day)) >= OF_ACCOUNT)
        throw new DomainError('rate_limited', `${whose} mails with a code a day (UTC)`, {
          retryAfterSeconds: secondsLeftOf(at),
        });
      const made = { email, accountId, userId, digest, tries: 0, day, sent: sent + 1, expiresAt: at + CODE_LIFE_MS };
      await tx.emailConfirmations.put(made);
      return { ...made, to };
    });

  /** Throws `unavailable`, and `policy_refused` where the server refuses the address for good. */
  async function mail(
    send: SendMail,
    to: string,
    code: string,
    { accountId, signal }: RequestContext,
  ): Promise<boolean> {
    const text = textOf(code, publicOrigin);
    const id = base62(randomBytes(32), 22);
    const subject = 'Confirm your e-mail address';
    const reply = await send({ to, subject, text, html: htmlOf(text), id }, { accountId, signal });
    if (reply.accepted || reply.isAway) return reply.accepted;
    const message = `the mail server: ${reply.text}`;
    if (reply.isFinal) throw new DomainError('policy_refused', message, { field: 'email' });
    throw new DomainError('unavailable', `${message}: ask again later`);
  }

  return {
    /** Throws `not_configured`, `state_conflict`, `rate_limited`, `policy_refused`, `unavailable`. */
    async start(context: RequestContext): Promise<SentCode> {
      if (sendMail === null) throw new DomainError('not_configured', `e-mail is not configured: ${NEEDS_MAIL}`);
      const code = base62(randomBytes(2 * CODE_LENGTH), CODE_LENGTH);
      const { to, ...made } = await reserve(digestOf(code).toString('hex'), context);
      if (!(await mail(sendMail, to, code, context))) {
        // It was sent to nobody.
        await store.write(async (tx) => {
          const now = await tx.emailConfirmations.find(made.email);
          if (now?.day === made.day) await tx.emailConfirmations.update(now, { sent: now.sent - 1 });
        });
        throw new DomainError('unavailable', 'the mail server takes no mail at the moment: ask again later');
      }
      const result = { email: to, expiresAt: made.expiresAt };
      await store.write((tx) => recordRequest(tx, context, { result, target: made.userId }));
      return result;
    },

    /** Throws `forbidden` for a wrong code, `state_conflict` where none is good. */
    async confirm(code: string, context: RequestContext): Promise<UserRecord> {
      const made = await store.write(async (tx) => {
        const user = await self(tx, context);
        const { accountId, userId } = user;
        const sent = await tx.emailConfirmations.find(foldLoginName(user.email));
        const at = clock();
        if (sent === null || sent.digest === null || sent.userId !== userId || sent.expiresAt <= at) throw noCode();
        if (!timingSafeEqual(digestOf(code), Buffer.from(sent.digest, 'hex'))) {
          const tries = sent.tries + 1;
          await tx.emailConfirmations.update(sent, { tries, ...(tries >= TRIES && { digest: null }) });
          return TRIES - tries;
        }
        await tx.emailConfirmations.update(sent, { digest: null });
        const patch = { emailVerifiedAt: at, updatedAt: at };
        await tx.users.update(accountId, userId, patch);
        const result: UserRecord = { ...user, ...patch };
        await recordRequest(tx, context, { result, target: userId });
        return result;
      });
      if (typeof made !== 'number') return made;
      const left = made === 0 ? 'ask for another one' : `${made} ${made === 1 ? 'try is' : 'tries are'} left`;
      throw new DomainError('forbidden', `the code is wrong: ${left}`, { field: 'code' });
    },
  };
}
export type EmailConfirmationService = ReturnType<typeof createEmailConfirmation>;

const noCode = (): DomainError =>
  new DomainError('state_conflict', 'no code is valid: POST /api/v1/auth/email mails one, valid for a day', {
    field: 'code',
  });

/** Nothing of it is a tenant's: what strangers are mailed is not for tenants to write. */
const textOf = (code: string, origin: string): string =>
  `Your code is **${code}**. Enter it where you asked for it: notifications may then be sent to this address.

The code is valid for 24 hours. If you did not ask for it, ignore this mail.

Sent by ${origin}`;
