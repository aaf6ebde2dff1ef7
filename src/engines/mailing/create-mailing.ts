/** Mail by nodemailer: a connection for each, so that none is sent twice where one breaks off. */
import { createTransport } from 'nodemailer';
import { createFairQueue } from '../../scheduling/fair-queue.ts';
import { untilAborted } from '../../scheduling/on-abort.ts';
import type { Mail, MailReply, SendMail } from './mailing.ts';

/** Connections to the server. */
const AT_ONCE = { all: 8, ofAccount: 3 };
/** Of a connection, without a sign of the server. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 };
const MAX_TEXT = 300;

export interface MailConfig {
  /** smtp (STARTTLS is required, but on loopback) or smtps, with user and password where there are some. */
  readonly smtpUrl: string;
  readonly from: { readonly name: string; readonly address: string };
  /** Signs each mail (RFC 6376). */
  readonly dkim: { readonly domainName: string; readonly keySelector: string; readonly privateKey: string } | null;
}

export function createMailing({ smtpUrl, from, dkim }: MailConfig, { ca }: { readonly ca?: string } = {}): SendMail {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const secure = protocol === 'smtps:';
  const isLoopback = /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  const transport = createTransport({
    ...{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (secure ? 465 : 587)), secure },
    requireTLS: !secure && !isLoopback,
    // A mail server on the same machine often has a self-signed certificate, and nobody is between.
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: !isLoopback, ...(ca !== undefined && { ca }) },
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    ...(dkim !== null && { dkim }),
    ...TIMEOUTS,
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  const connections = createFairQueue(AT_ONCE);
  const domain = from.address.split('@')[1];

  async function attempt({ to, subject, text, html, id }: Mail): Promise<MailReply> {
    try {
      const { response } = await transport.sendMail({
        ...{ from, to: { name: '', address: to }, envelope: { from: from.address, to: [to] } },
        ...{ subject, text, html, messageId: `<${id}@${domain}>` },
        // RFC 3834: nobody's absence notice answers it.
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      return { accepted: true, code: codeIn(response), text: plain(response), isFinal: false, isAway: false };
    } catch (error) {
      const { code, responseCode, command, message } = error as SMTPError;
      // A refusal of the login or the sender, or a server that greets with 554, is the operator's to mend.
      const isOfMail = (code === 'EENVELOPE' && command !== 'MAIL FROM') || code === 'EMESSAGE';
      const isFinal = isOfMail && responseCode !== undefined && responseCode >= 500;
      const isAway = !isOfMail || responseCode === 421;
      return { accepted: false, code: responseCode ?? null, text: plain(message), isFinal, isAway };
    }
  }

  return (mail, { accountId, signal }) =>
    connections.take({ accountId, signal }, () => untilAborted(attempt(mail), signal));
}

type SMTPError = Error & { code?: string; responseCode?: number; command?: string };

const codeIn = (response: string): number | null => (/^\d{3}/.test(response) ? Number(response.slice(0, 3)) : null);
/** Of another's text, no control characters. */
const plain = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, MAX_TEXT);
