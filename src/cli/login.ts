/** `ashlar login NAME FILE`: a user's session, kept beside their key pair, so that `ashlar request` acts as this user. `logout` ends it. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { parseArguments } from './arguments.ts';
import { callService, serviceOf } from './call-service.ts';
import { type Credentials, credentialsFile, readCredentials, writeCredentials } from './credentials.ts';
import { printJson, type Terminal } from './terminal.ts';
import { UsageError, usage } from './usage-error.ts';

const USAGE =
  'ashlar login NAME FILE [--totp CODE]: the password on standard input; FILE as ashlar signing-keys pair prints it';

const REFUSAL = z.object({
  error: z.object({ message: z.string(), details: z.object({ code: z.string() }).partial().optional() }),
});
const SESSION = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.int(),
  user: z.object({ user_id: z.string(), username: z.string(), role: z.string() }),
});

export async function login(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArguments({
    args,
    allowPositionals: true,
    options: { totp: { type: 'string' } },
  });
  const [username, file, ...more] = positionals;
  if (!username || !file || more.length > 0) throw usage(USAGE);
  const pair = keyPair(file);
  const password = await passwordFrom(terminal);
  const body = { username, password, ...(values.totp !== undefined && { totp: values.totp }) };
  const session = await exchanged('login', body, pair, serviceOf(config, terminal));
  writeCredentials(file, { ...pair, ...session.credentials });
  printJson(terminal, { credentials: file, user: session.user });
}

/** Ends the session; the key pair stays in the file. */
export async function logout(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const { positionals } = parseArguments({ args, allowPositionals: true });
  const [file, ...more] = positionals;
  if (!file || more.length > 0) throw usage('ashlar logout FILE: the file that ashlar login has written');
  const { access_token, refresh_token, expires_at, ...pair } = readCredentials(file, terminal);
  if (refresh_token === undefined) throw new UsageError(`${file} has no session: ashlar login starts one`);
  await answered('logout', { refresh_token }, pair, serviceOf(config, terminal));
  writeCredentials(file, pair);
  printJson(terminal, { credentials: file, session: 'ended' });
}

/** What a request goes out with: of a session, the next access token where this one has expired. */
export async function liveCredentials(config: Config, service: URL, terminal: Terminal): Promise<Credentials> {
  const file = credentialsFile(config, terminal);
  const kept = readCredentials(file, terminal);
  const { refresh_token, expires_at } = kept;
  if (refresh_token === undefined || !expires_at || Date.parse(expires_at) > Date.now()) return kept;
  const { credentials } = await exchanged('refresh', { refresh_token }, kept, service).catch((error: Error) => {
    throw new Error(`${error.message}: log in again with ashlar login`, { cause: error });
  });
  const live = { ...kept, ...credentials };
  writeCredentials(file, live);
  return live;
}

/** What a refusal means on the command line, by its code. */
const HINTS: Readonly<Record<string, string>> = {
  signature_invalid:
    '. If the key is not enrolled: ashlar signing-keys proof prints the body of POST /api/v1/signing-keys, which an administrator sends',
  totp_required: ': --totp CODE',
};

async function answered(exchange: 'login' | 'refresh' | 'logout', body: object, pair: Credentials, service: URL) {
  const { private_key, key_id } = pair;
  const url = new URL(`/api/v1/auth/${exchange}`, service);
  const request = { method: 'POST', url, headers: new Headers(), body: JSON.stringify(body) };
  const response = await callService(request, { private_key, key_id });
  const answer = await response.json().catch(() => null);
  if (!response.ok) {
    const { message, details } = REFUSAL.safeParse(answer).data?.error ?? { message: `status ${response.status}` };
    throw new Error(`${exchange}: ${message}${HINTS[details?.code ?? ''] ?? ''}`);
  }
  return answer;
}

async function exchanged(...exchange: Parameters<typeof answered>) {
  const { expires_in, user, ...tokens } = SESSION.parse(await answered(...exchange));
  // Ten seconds earlier than the service says, for the way there.
  const expires_at = new Date(Date.now() + (expires_in - 10) * 1000).toISOString();
  return { credentials: { ...tokens, expires_at }, user };
}

function keyPair(file: string): Credentials {
  try {
    const { key_id, private_key, public_key } = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof private_key === 'object') return { key_id, public_key, private_key };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw new UsageError(`${file} cannot be read (${code}): ${USAGE}`);
  }
  throw new UsageError(`${file} holds no private_key: ashlar signing-keys pair > ${file} makes one`);
}

/** Asked for without showing it on a terminal; else all of standard input. */
async function passwordFrom(terminal: Terminal): Promise<string> {
  if (!process.stdin.isTTY) return (await terminal.stdin()).replace(/\r?\n$/, '');
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  process.stderr.write('Password: ');
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
