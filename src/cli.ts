#!/usr/bin/env node
/** `ashlar`: the operator's tool. Results are JSON on stdout, everything else goes to stderr. */
import module from 'node:module';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { nodeProblem } from './app/node-version.ts';
import { packageFacts } from './app/package-facts.ts';
import { commandProblem, help } from './cli/help.ts';
import { printable, type Terminal } from './cli/terminal.ts';
import { UsageError } from './cli/usage-error.ts';
import type { Config } from './config.ts';

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
  login: done(async () => (await import('./cli/login.ts')).login),
  logout: done(async () => (await import('./cli/login.ts')).logout),
  request: async (...input) => (await import('./cli/request.ts')).request(...input),
  audit: async (...input) => (await import('./cli/audit.ts')).audit(...input),
  approvals: async (...input) => (await import('./cli/approvals.ts')).approvals(...input),
  reserves: async (...input) => (await import('./cli/reserves.ts')).reserves(...input),
  governance: async (...input) => (await import('./cli/governance.ts')).governance(...input),
  backup: done(async () => (await import('./cli/backup.ts')).backup),
  restore: done(async () => (await import('./cli/backup.ts')).restore),
};

async function run(args: string[]): Promise<number> {
  const problem = nodeProblem(process.versions.node);
  if (problem !== null) throw new Error(problem);
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || args.includes('--help') || args.includes('-h')) {
    const words = args.filter((word) => word !== 'help' && !word.startsWith('-'));
    const told = help(words);
    if (told === null) throw new UsageError(commandProblem(words) ?? 'ashlar help lists the commands');
    terminal.out(told);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === 'version') {
    terminal.out(packageFacts().version);
    return 0;
  }
  const wrong = commandProblem(args);
  if (wrong !== null) throw new UsageError(wrong);
  keepCompiled();
  const { parseConfig, readEnvironment } = await import('./config.ts');
  terminal.env = readEnvironment();
  const config = parseConfig(terminal.env);
  goToCaller(terminal.env);
  return COMMANDS[name]!(config, rest, terminal);
}

/**
 * A command line's files are meant from the folder where it was given. npm starts its scripts in the checkout and keeps that folder in
 * INIT_CWD. What .env names is found from the checkout.
 */
function goToCaller(env: NodeJS.ProcessEnv): void {
  const { npm_lifecycle_event: script, INIT_CWD: folder, ASHLAR_CREDENTIALS: own } = process.env;
  if (script !== 'ashlar' || folder === undefined) return;
  if (own === undefined && env.ASHLAR_CREDENTIALS) env.ASHLAR_CREDENTIALS = resolve(env.ASHLAR_CREDENTIALS);
  process.chdir(folder);
}

/**
 * Half of what a command takes is compiling what it loads. It is kept beside the modules themselves, where nobody else can put code; where
 * that cannot be written, nothing is kept.
 */
function keepCompiled(): void {
  module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/ashlar', import.meta.url)));
}

/** 2 for a wrong command line, 1 for a refusal. */
function exitCodeOf(error: unknown): number {
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
  env: process.env,
  out: (line) => process.stdout.write(`${printable(line)}\n`),
  err: (line) => process.stderr.write(`${printable(line)}\n`),
  stdin: () => text(process.stdin),
};

run(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = exitCodeOf(error);
  },
);
