/** A real SMTP server on loopback that keeps what it is sent, and refuses as it is told. */
import { createHash, createVerify } from 'node:crypto';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import type { Certificate } from './certificates.ts';

export interface Taken {
  readonly raw: string;
  readonly mail: ParsedMail;
  readonly to: string[];
  readonly secure: boolean;
}

export interface MailServer {
  readonly url: string;
  readonly taken: Taken[];
  /** Addresses of all attempts. */
  readonly tried: string[];
  /** Of the next attempts: an SMTP code to refuse the address with, or to break off when all has come; 'login' refuses that. */
  answer: (address: string) => number | 'break' | 'take' | Promise<'take'>;
  /** Of the next attempts. */
  refusesSender: boolean;
  close(): Promise<void>;
}

const USER = { username: 'ash@lar', password: 'p:ss/word' };

export async function startMailServer(tls?: Certificate): Promise<MailServer> {
  const taken: Taken[] = [];
  const tried: string[] = [];
  const refusal = (code: number) => Object.assign(new Error(`no\u0007 ${code}`), { responseCode: code });
  const server = new SMTPServer({
    ...(tls === undefined ? { disabledCommands: ['STARTTLS'] } : { secure: true, key: tls.key, cert: tls.certificate }),
    authOptional: tls === undefined,
    onAuth: ({ username, password }, _, done) =>
      username === USER.username && password === USER.password ? done(null, { user: username }) : done(refusal(535)),
    onMailFrom: (_, __, done) => done(self.refusesSender ? refusal(550) : null),
    async onRcptTo({ address }, _, done) {
      tried.push(address);
      const answer = await self.answer(address);
      done(typeof answer === 'number' ? refusal(answer) : null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        if ((await self.answer(to[0]!)) === 'break') {
          for (const one of server.connections) one.close();
          return;
        }
        const raw = Buffer.concat(chunks).toString('latin1');
        taken.push({ raw, mail: await simpleParser(Buffer.concat(chunks)), to, secure: session.secure });
        done(null, 'queued');
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };
  const login = `${encodeURIComponent(USER.username)}:${encodeURIComponent(USER.password)}@`;
  const self: MailServer = {
    url: tls === undefined ? `smtp://127.0.0.1:${port}` : `smtps://${login}127.0.0.1:${port}`,
    ...{ taken, tried, answer: () => 'take' as const, refusesSender: false },
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
  return self;
}

/** RFC 6376 for relaxed/relaxed and rsa-sha256: whether the signature over these headers and this body is by the key. */
export function dkimHolds(raw: string, publicKey: string): boolean {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = head.replace(/\r\n(?=[ \t])/g, '').split('\r\n');
  const relaxed = (line: string): string => {
    const [name = '', ...value] = line.split(':');
    return `${name.toLowerCase().trim()}:${value
      .join(':')
      .replace(/[ \t]+/g, ' ')
      .trim()}`;
  };
  const named = (name: string) => headers.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`)) ?? '';
  const signature = named('DKIM-Signature');
  const tags = Object.fromEntries(
    signature
      .slice('DKIM-Signature:'.length)
      .split(';')
      .map((tag) => [tag.split('=')[0]!.trim(), tag.split('=').slice(1).join('=').replace(/\s/g, '')]),
  );
  const lines = rest
    .join('\r\n\r\n')
    .split('\r\n')
    .map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''));
  const body = `${lines.join('\r\n').replace(/(\r\n)*$/, '')}\r\n`;
  if (createHash('sha256').update(body, 'latin1').digest('base64') !== tags.bh) return false;
  const signed = tags.h!.split(':').map(named).filter(Boolean).map(relaxed);
  const own = relaxed(signature.replace(/(\bb=)[^;]*/, '$1'));
  return createVerify('sha256')
    .update([...signed, own].join('\r\n'), 'latin1')
    .verify(publicKey, tags.b!, 'base64');
}
