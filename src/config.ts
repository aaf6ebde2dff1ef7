/** The configuration: one schema over the environment (and `.env`, which the environment overrides). The only reader of process.env. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { bitcoinRpc, CHAIN_VARIABLES, chainProblems } from './config/chain.ts';
import { MAIL_VARIABLES, mail, mailProblems } from './config/mail.ts';
import { SSO_VARIABLES, sso, ssoProblems } from './config/sso.ts';
import { TRACING_VARIABLES, tracing } from './config/tracing.ts';
import {
  commaList,
  count,
  isHost,
  isNetwork,
  isOrigin,
  isPort,
  jsonObject,
  oneOf,
  port,
  url,
  wholeNumber,
} from './config/value-kinds.ts';
import { parametersProblem } from './core/governance/parameters.ts';

/** Every problem at once, each with the variable's name and what would be right. Never a value that may hold a secret. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

const VARIABLES = z.object({
  HOST: z
    .string()
    .regex(/^[0-9A-Za-z.:-]+$/, 'must be an address to listen on such as 127.0.0.1')
    .default('127.0.0.1'),
  PORT: port('a port').default(3000),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: url(['postgres', 'postgresql'], 'postgres://user:password@host:5432/database').optional(),
  DATABASE_PASSWORD_FILE: z.string().optional(),
  REDIS_URL: url(['redis', 'rediss'], 'redis://127.0.0.1:6379').optional(),
  REDIS_TIMEOUT_MS: wholeNumber(10, 60_000).default(100),
  PUBLIC_ORIGINS: commaList(
    isOrigin,
    'must be origins separated by commas, without path or final slash, such as https://api.example.com',
  ).optional(),
  CORS_ORIGINS: commaList(
    isOrigin,
    'must be origins separated by commas, without path or final slash, such as https://dashboard.example.com',
  ).default([]),
  MAX_EVENT_LOOP_DELAY_MS: count('milliseconds').default(1_000),
  MAX_WRITER_QUEUE: count('waiting writes').default(5_000),
  MAX_WATCHED_SCRIPTS: wholeNumber(1_000, 100_000_000).default(1_000_000),
  SPEND_HISTORY_DAYS: wholeNumber(32, 36_500).default(400),
  NOTIFICATION_HISTORY_DAYS: wholeNumber(40, 3_650).default(90),
  DAO_PARAMETERS: jsonObject('{"voting_period_hours": 24}').default({}),
  STOP_DELAY_MS: wholeNumber(0, 600_000).default(0),
  TRUST_PROXY: commaList(isNetwork, 'must be addresses or networks separated by commas, such as 10.0.0.0/8').optional(),
  ...CHAIN_VARIABLES,
  MASTER_KEY_FILE: z.string().optional(),
  SIGNATURE_POLICY: oneOf(['required', 'per-key']).default('required'),
  ARGON2_MEMORY_KIB: wholeNumber(7_168, 1_048_576).default(47_104),
  ARGON2_PASSES: wholeNumber(1, 20).default(2),
  ARGON2_PARALLELISM: wholeNumber(1, 16).default(1),
  ...SSO_VARIABLES,
  ALLOW_MAINNET_HOT_WALLETS: oneOf(['true', 'false']).default('false'),
  ORACLE_ALLOWED_HOSTS: commaList(
    isHost,
    'must be hosts separated by commas, without scheme and port: names, addresses or networks, such as oracle.internal,10.1.2.0/24',
  ).default([]),
  OUTBOUND_ALLOWED_NETWORKS: commaList(
    isNetwork,
    'must be addresses or networks separated by commas, such as 10.1.2.0/24',
  ).default([]),
  OUTBOUND_ALLOWED_PORTS: commaList(isPort, 'must be ports separated by commas, such as 8333,50002').default([]),
  ...MAIL_VARIABLES,
  PUSH_CONTACT: z
    .string()
    .refine(
      (text) => /^(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/.test(text) && URL.canParse(text),
      'must be mailto: and an e-mail address, or an https URL',
    )
    .optional(),
  AI_CONFIG: z.string().optional(),
  AI_SECRETS: oneOf(['refuse', 'redact']).default('refuse'),
  AI_STREAM_MAX_S: wholeNumber(30, 86_400).default(600),
  METRICS_PORT: port('a port, or 0 for none,').default(0),
  ...TRACING_VARIABLES,
  LOG_LEVEL: oneOf(LEVELS).default('info'),
});

type Variables = z.output<typeof VARIABLES>;

/** Puts `.env` of `folder` beneath the environment and answers both. */
export function readEnvironment(folder: string = process.cwd()): NodeJS.ProcessEnv {
  const file = resolve(folder, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  return process.env;
}

/** Checks and types the configuration. Throws ConfigError. */
export function parseConfig(env: NodeJS.ProcessEnv) {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = VARIABLES.safeParse(set);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`));
  }
  const variables = parsed.data;
  const problems = contradictions(variables);
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    host: variables.HOST,
    port: variables.PORT,
    /** Absolute. */
    dataDir: resolve(variables.DATA_DIR),
    /** null: SQLite in dataDir. */
    databaseUrl: variables.DATABASE_URL ?? null,
    /** Holds the password that `databaseUrl` does not. */
    databasePasswordFile:
      variables.DATABASE_PASSWORD_FILE === undefined ? null : resolve(variables.DATABASE_PASSWORD_FILE),
    redisUrl: variables.REDIS_URL ?? null,
    /** A Redis that answers later than this is taken for away. */
    redisTimeoutMs: variables.REDIS_TIMEOUT_MS,
    publicOrigins: variables.PUBLIC_ORIGINS ?? loopbackOrigins(variables.PORT),
    /** Origins whose pages may call (CORS). */
    corsOrigins: variables.CORS_ORIGINS,
    /** Beyond these, requests are turned away with 503; 0: never. */
    maxEventLoopDelayMs: variables.MAX_EVENT_LOOP_DELAY_MS,
    maxWriterQueue: variables.MAX_WRITER_QUEUE,
    /** Of one account. */
    maxWatchedScripts: variables.MAX_WATCHED_SCRIPTS,
    /** How long replays of rules know what payments gave back to the windows. */
    spendHistoryDays: variables.SPEND_HISTORY_DAYS,
    /** How long what became of notifications is kept: longer than one waits, and than the events that rules and notices tell of. */
    notificationHistoryDays: variables.NOTIFICATION_HISTORY_DAYS,
    /** With what a DAO begins other than the defaults. */
    daoParameters: variables.DAO_PARAMETERS,
    /** Between the moment /readyz fails and the end of the listener. */
    stopDelayMs: variables.STOP_DELAY_MS,
    /** Addresses and networks of proxies whose X-Forwarded-For is believed; false: none. */
    trustProxy: variables.TRUST_PROXY ?? (false as const),
    network: variables.BITCOIN_NETWORK,
    chain: variables.CHAIN,
    bitcoinRpc: bitcoinRpc(variables),
    zmqUrls: variables.BITCOIN_ZMQ_URL ?? [],
    esploraUrl: variables.ESPLORA_URL ?? null,
    /** A second source, which blocks are compared with. */
    chainWitness:
      variables.CHAIN_WITNESS_URL === undefined
        ? null
        : { kind: variables.CHAIN_WITNESS, url: variables.CHAIN_WITNESS_URL },
    masterKeyFile: variables.MASTER_KEY_FILE === undefined ? null : resolve(variables.MASTER_KEY_FILE),
    signaturePolicy: variables.SIGNATURE_POLICY,
    /** What a password costs to check. */
    argon2: {
      memoryKib: variables.ARGON2_MEMORY_KIB,
      passes: variables.ARGON2_PASSES,
      parallelism: variables.ARGON2_PARALLELISM,
    },
    /** null: people log in with passwords only. */
    sso: sso(variables),
    allowMainnetHotWallets: variables.ALLOW_MAINNET_HOT_WALLETS === 'true',
    /** Names, addresses and networks of oracles that are asked though they are private, and by plain HTTP. */
    oracleAllowedHosts: variables.ORACLE_ALLOWED_HOSTS,
    /** Addresses and networks that the service connects to for accounts though they are private, and by plain HTTP. */
    outboundAllowedNetworks: variables.OUTBOUND_ALLOWED_NETWORKS,
    /** Of nodes that accounts name, besides the network's own, 443 and 80. */
    outboundAllowedPorts: variables.OUTBOUND_ALLOWED_PORTS.map(Number),
    /** null: no e-mail is sent. */
    mail: mail(variables),
    /** Addresses within these get mail, whosever they are. */
    emailDomains: variables.NOTIFICATION_EMAIL_DOMAINS.map((domain) => domain.toLowerCase()),
    /** Whom push services write to (RFC 8292); null: no push messages. */
    pushContact:
      variables.PUSH_CONTACT ?? variables.PUBLIC_ORIGINS?.find((origin) => origin.startsWith('https:')) ?? null,
    /** null: no upstream answers for models. */
    aiConfigFile: variables.AI_CONFIG === undefined ? null : resolve(variables.AI_CONFIG),
    /** What happens to a prompt with a secret. */
    aiSecrets: variables.AI_SECRETS,
    /** How long an answer of a model may take as a stream. */
    aiStreamMaxMs: variables.AI_STREAM_MAX_S * 1_000,
    /** null: metrics are off. */
    metricsPort: variables.METRICS_PORT === 0 ? null : variables.METRICS_PORT,
    /** null: traces are off. */
    tracing: tracing(variables),
    logLevel: variables.LOG_LEVEL,
    /** What the node finder looks at: PATH, HOME, the cache folder, a mirror override, proxies. */
    finderEnvironment: env,
  };
}

export type Config = ReturnType<typeof parseConfig>;

/** What each variable allows by itself but not together with the others. */
function contradictions(variables: Variables): string[] {
  const problems: string[] = [];
  const daoProblem = parametersProblem(variables.DAO_PARAMETERS, variables.BITCOIN_NETWORK);
  if (daoProblem !== null) problems.push(`DAO_PARAMETERS has ${daoProblem}`);
  problems.push(...chainProblems(variables));
  if (variables.DATABASE_PASSWORD_FILE !== undefined && new URL(variables.DATABASE_URL ?? 'x:').username === '') {
    problems.push('DATABASE_URL must be given with DATABASE_PASSWORD_FILE, such as postgres://user@host:5432/database');
  }
  if (variables.DATABASE_URL !== undefined && variables.MASTER_KEY_FILE === undefined) {
    problems.push('MASTER_KEY_FILE must be given with DATABASE_URL: a file of 32 random bytes that all replicas share');
  }
  problems.push(...ssoProblems(variables), ...mailProblems(variables));
  return problems;
}

const loopbackOrigins = (port: number): string[] => [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
