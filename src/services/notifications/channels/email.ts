/**
 * E-mail: to addresses that a user of the account has confirmed, and within the operator's domains. An administrator sets any address for a
 * user, so that a user has it proves nothing: with the domain `*` the operator trusts the accounts, and mail goes to whatever address a
 * user has. This is no open relay.
 */

import { hash } from 'node:crypto';
import { DomainError } from '../../../core/errors.ts';
import type { AccountId } from '../../../core/ids.ts';
import { base62 } from '../../../core/ids.ts';
import { foldLoginName } from '../../../core/users/login-name.ts';
import type { MailReply, SendMail } from '../../../engines/mailing/mailing.ts';
import { createOutage, type OutageLog } from '../../../outages/outage.ts';
import type { UserRecord } from '../../../store/repositories/users.ts';
import type { Repositories } from '../../../store/store.ts';
import { NEEDS_MAIL } from '../../users/email-confirmation.ts';
import { isLetIn } from '../recipients.ts';
import { type Channel, refusedFor } from './channel.ts';

type Read = Pick<Repositories, 'users'>;
/** An outage has ended when the server answers so long after the last failure. */
const CALM_MS = 60_000;
/** Within this of a mail that was taken there is no outage. */
const HEALTHY_MS = 300_000;

export function createEmail(deps: {
  read: Read;
  /** null: not configured. */
  sendMail: SendMail | null;
  /** In lower case. */
  domains: readonly string[];
  clock: () => number;
  log: OutageLog;
}): Channel & { isFailing(): boolean } {
  const { read, sendMail, domains, clock, log } = deps;
  let isBack = false;
  let acceptedAt = Number.NEGATIVE_INFINITY;
  const outage = createOutage({
    ...{ part: 'mail', log, clock, calmMs: CALM_MS },
    began: 'the mail server takes no mail: it is tried again',
    ended: 'the mail server takes mail again',
  });

  /** One address at which the server hangs, beside others that it takes, is no outage. */
  function note({ accepted, isAway, text }: MailReply): void {
    const wasFailing = outage.goesOn();
    if (!isAway) outage.ended();
    else if (Math.abs(clock() - acceptedAt) > HEALTHY_MS) outage.began(new Error(text));
    if (accepted) acceptedAt = clock();
    if (wasFailing && !outage.goesOn()) isBack = true;
  }

  const isWithin = (address: string): boolean => domains.includes(address.split('@').at(-1)!.toLowerCase());

  /** null where the person has none that may be reached, or is not let in any more. */
  function addressOf(user: UserRecord | null): string | null {
    if (!isLetIn(user, clock()) || user.email === null) return null;
    const may = user.emailVerifiedAt !== null || domains.includes('*') || isWithin(user.email);
    return may ? user.email : null;
  }
  async function mayReach(from: Read, accountId: AccountId, address: string): Promise<boolean> {
    if (isWithin(address)) return true;
    const loginName = foldLoginName(address);
    const { data } = await from.users.list(accountId, { loginName, disabled: false }, { limit: 1, offset: 0 });
    const reached = addressOf(data[0] ?? null);
    return reached !== null && foldLoginName(reached) === loginName;
  }

  return {
    name: 'email',
    isFailing: outage.goesOn,
    cameBack() {
      const was = isBack;
      isBack = false;
      return was;
    },
    configured: () => sendMail !== null,
    needs: NEEDS_MAIL,
    async assertReaches(from, { kind, id }, { accountId }) {
      if (kind === 'user' && addressOf(await from.users.find(accountId, id)) === null)
        throw new DomainError(
          'policy_refused',
          'the person is disabled, or has no address that mail may be sent to: they confirm their `email` (POST /api/v1/auth/email), or the operator adds its domain to NOTIFICATION_EMAIL_DOMAINS',
          { field: 'to.user_id' },
        );
      if (kind === 'address' && !(await mayReach(from, accountId, id))) {
        throw new DomainError(
          'policy_refused',
          `${id} is the confirmed address of no user of the account (POST /api/v1/auth/email), nor within NOTIFICATION_EMAIL_DOMAINS of the operator`,
          { field: 'to.address' },
        );
      }
    },
    async deliver({ notification, recipient }, signal) {
      const { accountId, notificationId, subject, body: text, html } = notification;
      const isAddress = recipient.includes('@');
      const to = isAddress ? recipient : addressOf(await read.users.find(accountId, recipient));
      if (to === null)
        return refusedFor(
          'the person is disabled, or has no confirmed e-mail address, nor one in NOTIFICATION_EMAIL_DOMAINS',
        );
      if (isAddress && !(await mayReach(read, accountId, to)))
        return refusedFor('the address may not be reached any more');
      const id = `${notificationId}.${base62(hash('sha256', recipient, 'buffer'), 22)}`;
      const reply = await sendMail!({ to, subject, text, html, id }, { accountId, signal });
      note(reply);
      const code = reply.code === null || reply.isAway ? null : String(reply.code);
      return reply.accepted
        ? { delivered: true, code }
        : { delivered: false, code, error: `the mail server: ${reply.text}`, isFinal: reply.isFinal };
    },
  };
}
