/** What `ashlar help` says: every command with a line, and with its options where it is named. */
import { closestName } from '../core/closest-name.ts';

interface Entry {
  readonly name: string;
  readonly does: string;
  readonly takes: string;
}

const entry = (name: string, does: string, takes = ''): Entry => ({ name, does, takes });

const ENTRIES: readonly Entry[] = [
  entry(
    'keys create',
    'make an API key with the key pair that signs for it',
    '--name NAME [--account NAME] [--role viewer|operator|admin] [--scope wallets:read]… [--tier TIER] [--expires TIME] ' +
      '[--allow-ip ADDRESS|NETWORK]… [--require-signature false] [--may-grant] [--public-key FILE] [--out FILE]',
  ),
  entry('keys list', "show an account's API keys and what they may do", '[--account NAME]'),
  entry(
    'keys rotate',
    'make the successor of an API key',
    'API_KEY_ID [--account NAME] [--overlap-seconds N] [--expires TIME] [--public-key FILE] [--out FILE]',
  ),
  entry('keys revoke', 'end an API key at once', 'API_KEY_ID [--account NAME]'),
  entry(
    'accounts create',
    'make an account and its first API key',
    'NAME [--tier TIER] [--public-key FILE] [--out FILE]',
  ),
  entry('accounts list', 'show the accounts'),
  entry('accounts freeze', 'let an account be read and not changed', 'NAME [--reason TEXT]'),
  entry('accounts unfreeze', 'let it be changed again', 'NAME'),
  entry('master-key rotate', 'replace the master key, with the service stopped', '[--to FILE]'),
  entry('token-keys list', 'show the keys that sign access tokens'),
  entry('token-keys rotate', 'make the next of them'),
  entry('token-keys revoke', 'end one, and the tokens that it signed', 'KID'),
  entry('signing-keys pair', 'make a key pair that signs requests'),
  entry('signing-keys pem', 'show a private key as PEM, for openssl', '[FILE]'),
  entry('signing-keys proof', 'prove that you hold a key, to enrol it', '[FILE] --account ID --credential ID'),
  entry(
    'login',
    'log a user in, and keep the session in the file of their key pair',
    'NAME FILE [--totp CODE], the password on standard input',
  ),
  entry('logout', 'end that session, and keep the key pair', 'FILE'),
  entry(
    'request',
    'call the service, signed, and show its answer',
    'METHOD PATH [BODY|-|@FILE] [--idempotency-key KEY] [--header "Name: value"]…',
  ),
  entry('audit export', 'write the audit log to a file', 'FILE [--account NAME|service]'),
  entry('audit verify', 'check such a file, without the service', 'FILE [--key KEY]…'),
  entry('audit key', 'show the keys that sign the log', '[--account NAME]'),
  entry('audit rotate-key', 'sign the log with a new key from now on'),
  entry('approvals verify', 'check an exported approval, without the service', 'FILE'),
  entry(
    'reserves verify',
    "check a report of reserves and a customer's proof, without the service",
    'FILE [--proof CUSTOMER.json] [--chain URL [--cookie FILE]]',
  ),
  entry('governance verify', 'count the votes on a proposal anew, without the service', 'FILE [--key KEY]…'),
  entry('backup', 'copy the database of a service that may be running', 'FILE'),
  entry('restore', 'put such a copy back', 'FILE'),
  entry('version', 'show which version this is'),
];

const WIDTH = 2 + Math.max(...ENTRIES.map(({ name }) => name.length));

const ENVIRONMENT = `The database is found by DATA_DIR or DATABASE_URL, as the service finds it (.env is read). request calls ASHLAR_URL, by default
http://HOST:PORT, with the credentials in ASHLAR_CREDENTIALS, by default DATA_DIR/admin-credentials.json; its exit code is 0 for an
answer of 2xx, 4 for 4xx and 5 for 5xx. audit verify, approvals verify, reserves verify and governance verify need neither service nor
database; their exit code is 1 where something is wrong.`;

const begins = (words: readonly string[]) => ENTRIES.filter(({ name }) => `${name} `.startsWith(`${words.join(' ')} `));

/** Of all commands; with their options where some are named. null: none is called so. */
export function help(words: readonly string[]): string | null {
  if (words.length > 0) {
    const alone = ENTRIES.some(({ name }) => name === words[0]);
    const named = begins(words.slice(0, alone ? 1 : 2));
    const lines = named.map(({ name, takes, does }) => `ashlar ${`${name} ${takes}`.trim()}\n    ${does}`);
    return lines.length === 0 ? null : lines.join('\n');
  }
  const lines = ENTRIES.map(({ name, does }) => `  ${name.padEnd(WIDTH)}${does}`);
  return ['ashlar COMMAND', '', ...lines, '', 'ashlar help COMMAND shows what it takes.', '', ENVIRONMENT].join('\n');
}

/** Why there is no such command, with what may be meant; null where there is one. */
export function commandProblem([noun = '', verb]: readonly string[]): string | null {
  const nouns = [...new Set(ENTRIES.map(({ name }) => name.split(' ')[0]!))];
  if (!nouns.includes(noun))
    return `there is no command ${noun}${meant('', closestName(noun, nouns))}: ashlar help lists them`;
  const verbs = begins([noun]).flatMap(({ name }) => name.split(' ').slice(1));
  if (verbs.length === 0 || (verb !== undefined && verbs.includes(verb))) return null;
  if (verb === undefined) return `usage: ashlar ${noun} ${verbs.join('|')}`;
  return `there is no command ${noun} ${verb}${meant(`${noun} `, closestName(verb, verbs))}: ashlar ${noun} ${verbs.join('|')}`;
}

const meant = (before: string, near: string | null): string => (near === null ? '' : ` (is ${before}${near} meant?)`);
