/**
 * E-mail: within the operator's domains. An administrator sets any address for a user, so that a user has it proves nothing: with the domain `*`
 * the operator trusts the accounts, and mail goes to whatever address a user has. This is no open relay.
 */

import { hash } from 'node:crypto';
import { DomainError } from '../../../core/errors.ts';
import type { AccountId } from '../../../core/ids.ts';
import { base62 } from '../../../core/ids.ts';
import { foldLoginName } from '../../../core/users/login-name.ts';
import type { MailReply, SendMail } from '../../../engines/mailing/mailing.ts';
import { createOutage, type OutageLog } from '../../../outages/outage.ts';
import type { Repositories } from '../../../store/store.ts';
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

  async function isOfAccount(from: Read, accountId: AccountId, address: string): Promise<boolean> {
    const loginName = foldLoginName(address);
    const { data } = await from.users.list(accountId, { loginName, disabled: false }, { limit: 1, offset: 0 });
    const user = data[0] ?? null;
    return isLetIn(user, clock()) && user.email !== null && foldLoginName(user.email) === loginName;
  }
  const isWithin = (address: string): boolean => domains.includes(address.split('@').at(-1)!.toLowerCase());
  const mayReach = async (from: Read, accountId: AccountId, address: string): Promise<boolean> =>
    isWithin(address) || (domains.includes('*') && (await isOfAccount(from, accountId, address)));

  /** null where the person has none that may be reached, or is not let in any more. */
  async function addressOf(from: Read, accountId: AccountId, userId: string): Promise<string | null> {
    const user = await from.users.find(accountId, userId);
    if (!isLetIn(user, clock()) || user.email === null) return null;
    return domains.includes('*') || isWithin(user.email) ? user.email : null;
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
    needs: 'the operator sets SMTP_URL, NOTIFICATION_EMAIL_FROM and NOTIFICATION_EMAIL_DOMAINS',
    async assertReaches(from, { kind, id }, { accountId }) {
      if (kind === 'user' && (await addressOf(from, accountId, id)) === null)
        throw new DomainError(
          'policy_refused',
          'the person is disabled, or has no `email` within the domains that the operator lists in NOTIFICATION_EMAIL_DOMAINS',
          { field: 'to.user_id' },
        );
      if (kind === 'address' && !(await mayReach(from, accountId, id))) {
        throw new DomainError('policy_refused', `${id} is not within NOTIFICATION_EMAIL_DOMAINS of the operator`, {
          field: 'to.address',
        });
      }
    },
    async deliver({ notification, recipient }, signal) {
      const { accountId, notificationId, subject, body: text, html } = notification;
      const isAddress = recipient.includes('@');
      const to = isAddress ? recipient : await addressOf(read, accountId, recipient);
      if (to === null) return refusedFor('the person has no e-mail address that may be reached, or is disabled');
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
