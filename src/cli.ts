#!/usr/bin/env node
/** `ashlar`: the operator's tool. Results are JSON on stdout, everything else goes to stderr. */
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { nodeProblem } from './app/node-version.ts';
import type { Terminal } from './cli/terminal.ts';
import { UsageError } from './cli/usage-error.ts';
import { type Config, parseConfig, readEnvironment } from './config.ts';

const USAGE = `ashlar COMMAND

  keys create --name NAME [--account NAME] [--role viewer|operator|admin] [--scope wallets:read]…
              [--tier TIER] [--expires TIME] [--allow-ip ADDRESS|NETWORK]… [--require-signature false]
              [--may-grant] [--public-key FILE] [--out FILE]
  keys list [--account NAME]
  keys rotate API_KEY_ID [--account NAME] [--overlap-seconds N] [--expires TIME] [--public-key FILE] [--out FILE]
  keys revoke API_KEY_ID [--account NAME]
  accounts create NAME [--tier TIER] [--public-key FILE] [--out FILE]
  accounts list
  accounts freeze NAME [--reason TEXT]
  accounts unfreeze NAME
  master-key rotate [--to FILE]
  token-keys list
  token-keys rotate
  token-keys revoke KID
  signing-keys pair
  signing-keys pem [FILE]
  signing-keys proof [FILE] --account ID --credential ID
  request METHOD PATH [BODY|-|@FILE] [--idempotency-key KEY] [--header "Name: value"]…
  audit export FILE [--account NAME|service]
  audit verify FILE [--key KEY]…
  audit key [--account NAME]
  audit rotate-key
  backup FILE
  restore FILE

The database is found by DATA_DIR or DATABASE_URL, as the service finds it (.env is read). request calls ASHLAR_URL, by default
http://HOST:PORT, with the credentials in ASHLAR_CREDENTIALS, by default DATA_DIR/admin-credentials.json; its exit code is 0 for an
answer of 2xx, 4 for 4xx and 5 for 5xx. audit verify needs neither service nor database; its exit code is 1 where something is wrong.`;

/** Answers the exit code. */
type Command = (config: Config, args: string[], terminal: Terminal) => Promise<number>;
/** A command that does its work or throws. */
const done =
  (load: () => Promise<(...input: Parameters<Command>) => Promise<void>>): Command =>
  async (...input) => {
    await (await load())(...input);
    return 0;
  };

/** Each loads what it needs: a request has no use for the database. */
const COMMANDS: Record<string, Command> = {
  keys: done(async () => (await import('./cli/keys.ts')).keys),
  accounts: done(async () => (await import('./cli/accounts.ts')).accounts),
  'master-key': done(async () => (await import('./cli/master-key.ts')).masterKey),
  'token-keys': done(async () => (await import('./cli/token-keys.ts')).tokenKeys),
  'signing-keys': done(async () => (await import('./cli/signing-keys.ts')).signingKeys),
  request: async (...input) => (await import('./cli/request.ts')).request(...input),
  audit: async (...input) => (await import('./cli/audit.ts')).audit(...input),
  backup: done(async () => (await import('./cli/backup.ts')).backup),
  restore: done(async () => (await import('./cli/backup.ts')).restore),
};

async function run(args: string[], terminal: Terminal): Promise<number> {
  const problem = nodeProblem(process.versions.node);
  if (problem !== null) throw new Error(problem);
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    terminal.out(USAGE);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === 'version') {
    terminal.out(
      (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version,
    );
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(`there is no command ${name}: ashlar help lists them`);
  return command(parseConfig(terminal.env), rest, terminal);
}

/** 2 for a wrong command line, 1 for a refusal. */
function exitCodeOf(error: unknown, terminal: Terminal): number {
  if (error instanceof UsageError || isParseArgsError(error)) {
    terminal.err(`ashlar: ${(error as Error).message}`);
    return 2;
  }
  terminal.err(`ashlar: ${error instanceof Error ? error.message : 'it failed'}`);
  return 1;
}

const isParseArgsError = (error: unknown): boolean =>
  String((error as { code?: unknown } | null)?.code).startsWith('ERR_PARSE_ARGS');

const terminal: Terminal = {
  env: readEnvironment(),
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  stdin: () => text(process.stdin),
};

run(process.argv.slice(2), terminal).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = exitCodeOf(error, terminal);
  },
);
