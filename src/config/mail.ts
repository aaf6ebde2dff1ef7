/** E-mail. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { commaList, decodable, isDomain, MAILBOX, url } from './value-kinds.ts';

export const MAIL_VARIABLES = {
  SMTP_URL: url(['smtp', 'smtps'], 'smtps://user:password@mail.example.com').optional(),
  NOTIFICATION_EMAIL_FROM: z
    .string()
    .regex(MAILBOX, 'must be an address such as ashlar@example.com, or Ashlar <ashlar@example.com>')
    .optional(),
  NOTIFICATION_EMAIL_DOMAINS: commaList(
    (domain) => domain === '*' || isDomain(domain),
    'must be domains separated by commas, such as example.com,example.org, or * for whatever address a user has',
  ).default([]),
  NOTIFICATION_DKIM_DOMAIN: z.string().refine(isDomain, 'must be a domain such as example.com').optional(),
  NOTIFICATION_DKIM_SELECTOR: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i, 'must be a selector such as ashlar')
    .optional(),
  NOTIFICATION_DKIM_KEY_FILE: z.string().optional(),
};
type Variables = z.output<z.ZodObject<typeof MAIL_VARIABLES>>;

/** What each variable allows by itself but not together with the others. */
export function* mailProblems(variables: Variables): Generator<string> {
  const { SMTP_URL: smtp, NOTIFICATION_EMAIL_FROM: from, NOTIFICATION_EMAIL_DOMAINS: domains } = variables;
  const { NOTIFICATION_DKIM_DOMAIN: domain, NOTIFICATION_DKIM_SELECTOR: selector } = variables;
  const dkim = [domain, selector, variables.NOTIFICATION_DKIM_KEY_FILE].filter((one) => one !== undefined);
  if (smtp !== undefined && from === undefined)
    yield 'NOTIFICATION_EMAIL_FROM must be given with SMTP_URL, such as ashlar@example.com';
  if (smtp !== undefined && domains.length === 0)
    yield 'NOTIFICATION_EMAIL_DOMAINS must be given with SMTP_URL, such as example.com: elsewhere only confirmed addresses get mail';
  if (smtp === undefined && (from ?? dkim[0]) !== undefined)
    yield 'SMTP_URL must be given with NOTIFICATION_EMAIL_FROM and the DKIM variables, such as smtps://user:password@mail.example.com';
  if (smtp !== undefined && !decodable(new URL(smtp).username + new URL(smtp).password))
    yield 'SMTP_URL must have its user and password percent-encoded, such as p%40ss for p@ss';
  if (dkim.length > 0 && dkim.length < 3)
    yield 'NOTIFICATION_DKIM_DOMAIN, NOTIFICATION_DKIM_SELECTOR and NOTIFICATION_DKIM_KEY_FILE must be given together';
  if (from === undefined || domain === undefined) return;
  // Receivers believe a signature of the sender's domain, or of one above it (RFC 7489, relaxed alignment).
  const sender = mailboxOf(from).address.split('@')[1]!;
  if (!`.${sender}`.toLowerCase().endsWith(`.${domain}`.toLowerCase()))
    yield `NOTIFICATION_DKIM_DOMAIN must be the domain of NOTIFICATION_EMAIL_FROM, ${sender}, or one above it`;
}

function mailboxOf(text: string) {
  const [, name = '', named, bare] = MAILBOX.exec(text)!;
  return { name, address: named ?? bare! };
}

/** null: none is sent. */
export function mail(variables: Variables) {
  const { SMTP_URL: smtpUrl, NOTIFICATION_EMAIL_FROM: from, NOTIFICATION_DKIM_KEY_FILE: keyFile } = variables;
  if (smtpUrl === undefined || from === undefined) return null;
  const { NOTIFICATION_DKIM_DOMAIN: domainName = '', NOTIFICATION_DKIM_SELECTOR: keySelector = '' } = variables;
  const dkim = keyFile === undefined ? null : { domainName, keySelector, keyFile: resolve(keyFile) };
  return { smtpUrl, from: mailboxOf(from), dkim };
}
