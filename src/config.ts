/** The configuration: one schema over the environment (and `.env`, which the environment overrides). The only reader of process.env. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import {
  commaList,
  count,
  isDomain,
  isHost,
  isNetwork,
  isOrigin,
  isPort,
  isZmq,
  jsonObject,
  MAILBOX,
  oneOf,
  port,
  url,
  wholeNumber,
} from './config/value-kinds.ts';
import { parametersProblem } from './core/governance/parameters.ts';
import { NETWORKS } from './core/network.ts';
import type { TracesSampler } from './tracing/tracing.ts';

/** The OpenID provider that people may sign in through. */
interface SsoConfig {
  issuer: string;
  clientId: string;
  /** In the file, when given, is the secret and nothing else. */
  clientSecret: { value: string } | { file: string };
  scopes: string[];
}

/** Every problem at once, each with the variable's name and what would be right. Never a value that may hold a secret. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** OTEL_TRACES_SAMPLER's values (OpenTelemetry's SDK environment variables) that are served. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const satisfies readonly TracesSampler['kind'][];

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
  BITCOIN_NETWORK: oneOf(NETWORKS).default('regtest'),
  CHAIN: oneOf(['auto', 'bitcoind', 'esplora', 'simulated']).default('auto'),
  BITCOIN_RPC_URL: url(['http', 'https'], 'http://user:password@127.0.0.1:8332').optional(),
  BITCOIN_RPC_COOKIE_FILE: z.string().optional(),
  BITCOIN_ZMQ_URL: commaList(
    isZmq,
    'must be one or several URLs, separated by commas, such as tcp://127.0.0.1:28332',
  ).optional(),
  ESPLORA_URL: url(['http', 'https'], 'https://mempool.example.com/api').optional(),
  CHAIN_WITNESS_URL: url(['http', 'https'], 'https://mempool.example.com/api').optional(),
  CHAIN_WITNESS: oneOf(['esplora', 'bitcoind']).default('esplora'),
  MASTER_KEY_FILE: z.string().optional(),
  SIGNATURE_POLICY: oneOf(['required', 'per-key']).default('required'),
  ARGON2_MEMORY_KIB: wholeNumber(7_168, 1_048_576).default(47_104),
  ARGON2_PASSES: wholeNumber(1, 20).default(2),
  ARGON2_PARALLELISM: wholeNumber(1, 16).default(1),
  SSO_ISSUER: url(['http', 'https'], 'https://login.example.com').optional(),
  SSO_CLIENT_ID: z.string().optional(),
  SSO_CLIENT_SECRET: z.string().optional(),
  SSO_CLIENT_SECRET_FILE: z.string().optional(),
  SSO_SCOPES: z
    .string()
    .regex(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/, 'must be scopes by blank, such as: openid email')
    .refine((scopes) => scopes.split(' ').includes('openid'), 'must hold the scope openid')
    .default('openid email'),
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
  PUSH_CONTACT: z
    .string()
    .refine(
      (text) => /^(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/.test(text) && URL.canParse(text),
      'must be mailto: and an e-mail address, or an https URL',
    )
    .optional(),
  METRICS_PORT: port('a port, or 0 for none,').default(0),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http', 'https'], 'http://127.0.0.1:4318').optional(),
  OTEL_SERVICE_NAME: z.string().default('ashlar'),
  OTEL_TRACES_SAMPLER: oneOf(SAMPLERS).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0|1|[01]?\.\d+)$/, 'must be a share of the traces from 0 to 1 such as 0.1')
    .transform(Number)
    .refine((share) => share <= 1, 'must be a share of the traces from 0 to 1 such as 0.1')
    .default(1),
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
    /** `url` is without userinfo, so that it may be shown; `userinfo` is "user:password", percent-encoded as it was given. */
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
  const { BITCOIN_NETWORK: network, CHAIN: chain, BITCOIN_RPC_URL: rpc, ESPLORA_URL: esplora } = variables;
  const problems: string[] = [];
  const daoProblem = parametersProblem(variables.DAO_PARAMETERS, network);
  if (daoProblem !== null) problems.push(`DAO_PARAMETERS has ${daoProblem}`);
  if (chain === 'bitcoind' && rpc === undefined) {
    problems.push('BITCOIN_RPC_URL must be given with CHAIN=bitcoind, such as http://user:password@127.0.0.1:8332');
  }
  if (chain === 'esplora' && esplora === undefined) {
    problems.push('ESPLORA_URL must be given with CHAIN=esplora, such as https://mempool.example.com/api');
  }
  if (chain === 'simulated' && network !== 'regtest') {
    problems.push(`CHAIN must be bitcoind or esplora on ${network}: the simulated chain is for regtest only`);
  }
  if (chain === 'auto' && rpc !== undefined && esplora !== undefined) {
    problems.push('CHAIN must be bitcoind or esplora where both BITCOIN_RPC_URL and ESPLORA_URL are given');
  }
  if (chain === 'auto' && network !== 'regtest' && rpc === undefined && esplora === undefined) {
    problems.push(`BITCOIN_RPC_URL must be given on ${network} (or ESPLORA_URL): only regtest finds a node by itself`);
  }
  if (rpc !== undefined && !decodable(new URL(rpc).username + new URL(rpc).password)) {
    problems.push('BITCOIN_RPC_URL must have its user and password percent-encoded, such as p%40ss for p@ss');
  }
  const witness = new URL(variables.CHAIN_WITNESS_URL ?? 'x:');
  if (!decodable(witness.username + witness.password)) {
    problems.push('CHAIN_WITNESS_URL must have its user and password percent-encoded, such as p%40ss for p@ss');
  }
  if (variables.DATABASE_PASSWORD_FILE !== undefined && new URL(variables.DATABASE_URL ?? 'x:').username === '') {
    problems.push('DATABASE_URL must be given with DATABASE_PASSWORD_FILE, such as postgres://user@host:5432/database');
  }
  if (variables.DATABASE_URL !== undefined && variables.MASTER_KEY_FILE === undefined) {
    problems.push('MASTER_KEY_FILE must be given with DATABASE_URL: a file of 32 random bytes that all replicas share');
  }
  problems.push(...ssoProblems(variables), ...mailProblems(variables));
  return problems;
}

/** With SSO_ISSUER all of it is given, without it none. */
function* ssoProblems(variables: Variables): Generator<string> {
  const { SSO_ISSUER: issuer, SSO_CLIENT_ID: id, SSO_CLIENT_SECRET: secret, SSO_CLIENT_SECRET_FILE: file } = variables;
  if (issuer === undefined) {
    if (id ?? secret ?? file)
      yield 'SSO_ISSUER must be given with the other SSO variables, such as https://login.example.com';
    return;
  }
  if (new URL(issuer).protocol === 'http:' && !isLoopback(new URL(issuer).hostname)) {
    yield 'SSO_ISSUER must be https, except on loopback';
  }
  if (id === undefined) yield 'SSO_CLIENT_ID must be given with SSO_ISSUER';
  if ((secret === undefined) === (file === undefined)) {
    yield 'SSO_CLIENT_SECRET_FILE must be given with SSO_ISSUER, or SSO_CLIENT_SECRET, and not both';
  }
}

/** Of e-mail, too. */
function* mailProblems(variables: Variables): Generator<string> {
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

const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);

function sso(variables: Variables): SsoConfig | null {
  const { SSO_ISSUER: issuer, SSO_CLIENT_ID: clientId, SSO_CLIENT_SECRET: secret } = variables;
  if (issuer === undefined || clientId === undefined) return null;
  return {
    issuer,
    clientId,
    clientSecret: secret === undefined ? { file: resolve(variables.SSO_CLIENT_SECRET_FILE ?? '') } : { value: secret },
    scopes: variables.SSO_SCOPES.split(' '),
  };
}

function mailboxOf(text: string) {
  const [, name = '', named, bare] = MAILBOX.exec(text)!;
  return { name, address: named ?? bare! };
}

function mail(variables: Variables) {
  const { SMTP_URL: smtpUrl, NOTIFICATION_EMAIL_FROM: from, NOTIFICATION_DKIM_KEY_FILE: keyFile } = variables;
  if (smtpUrl === undefined || from === undefined) return null;
  const { NOTIFICATION_DKIM_DOMAIN: domainName = '', NOTIFICATION_DKIM_SELECTOR: keySelector = '' } = variables;
  const dkim = keyFile === undefined ? null : { domainName, keySelector, keyFile: resolve(keyFile) };
  return { smtpUrl, from: mailboxOf(from), dkim };
}

function tracing(variables: Variables) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName } = variables;
  if (endpoint === undefined) return null;
  const sampler = { kind: variables.OTEL_TRACES_SAMPLER, ratio: variables.OTEL_TRACES_SAMPLER_ARG };
  return { endpoint, serviceName, sampler };
}

function bitcoinRpc(variables: Variables) {
  if (variables.BITCOIN_RPC_URL === undefined) return null;
  const bare = new URL(variables.BITCOIN_RPC_URL);
  const userinfo = `${bare.username}:${bare.password}`;
  bare.username = '';
  bare.password = '';
  return {
    url: bare.href,
    userinfo: userinfo === ':' ? null : userinfo,
    cookieFile: variables.BITCOIN_RPC_COOKIE_FILE === undefined ? null : resolve(variables.BITCOIN_RPC_COOKIE_FILE),
  };
}

function decodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const loopbackOrigins = (port: number): string[] => [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
