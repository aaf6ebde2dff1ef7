/**
 * What a run of the tests collects for the scan at its end (scan.ts): every line that a service under test logs, every error body, and
 * every secret that was made or sent. Each process writes files of its own.
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createLog } from '../../src/app/log.ts';

/** Set by the global setup; without it nothing is collected. */
export const COLLECTED_IN = 'ASHLAR_TEST_COLLECTED';

/** Shorter ones are in any log by chance. */
const SHORTEST = 8;

const open = new Map<string, number>();

function append(name: 'log' | 'secrets', text: string): void {
  const folder = process.env[COLLECTED_IN];
  if (folder === undefined) return;
  let file = open.get(name);
  if (file === undefined) {
    mkdirSync(folder, { recursive: true });
    file = openSync(join(folder, `${process.pid}.${name}`), 'a');
    open.set(name, file);
    process.once('exit', () => closeSync(file as number));
  }
  writeSync(file, text);
}

/** A secret that must show up in no log line and no error. */
export function noteSecret(kind: string, value: string): void {
  if (value.length >= SHORTEST) append('secrets', `${JSON.stringify([kind, value])}\n`);
}

/** Text that a service wrote, or an error body that it answered. */
export function noteOutput(text: string): void {
  append('log', text.endsWith('\n') ? text : `${text}\n`);
}

/** The service's own log, every level of it, into the collection; silent where nothing is collected (benches). */
export const collectedLog = (): Logger =>
  createLog(process.env[COLLECTED_IN] === undefined ? 'silent' : 'trace', { write: noteOutput });

/** Members of requests and answers that are secret. */
const SECRET_MEMBERS = new Set([
  'api_key',
  'client_secret',
  'hmac_secret',
  'secret_access_key',
  'private_key',
  'access_token',
  'refresh_token',
  'token',
  'reset_token',
  'id_token',
  'password',
  'new_password',
  'current_password',
  'mnemonic',
  'passphrase',
  'backup_passphrase',
  'secret',
  'recovery_code',
  'recovery_codes',
  'otpauth_uri',
  'xprv',
  'wif',
  'd',
]);

/** Notes what is secret in a request's or an answer's JSON, however deep. */
export function noteSecretsOf(body: unknown, name = ''): void {
  if (typeof body === 'string') {
    // PEM goes to a log with its line ends escaped: each line by itself, and not the first, which all have.
    for (const line of SECRET_MEMBERS.has(name) ? body.split('\n') : [])
      if (!line.startsWith('-----')) noteSecret(name, line);
  } else if (Array.isArray(body)) {
    for (const member of body) noteSecretsOf(member, name);
  } else if (typeof body === 'object' && body !== null) {
    for (const [member, value] of Object.entries(body)) noteSecretsOf(value, member);
  }
}

/** What a call was sent and answered. Refusals are output: no secret may be in them. */
export function noteExchange(sent: unknown, answer: { status: number; text: string; body: unknown }): void {
  if (typeof sent === 'object' && !Buffer.isBuffer(sent)) noteSecretsOf(sent);
  if (answer.status >= 400) noteOutput(answer.text);
  else noteSecretsOf(answer.body);
}
