/** The whole service in this process, for HTTP tests: a data directory of its own, the simulated chain unless another is given. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type App, buildApp } from '../../src/app.ts';
import type { ChainSource } from '../../src/chain/chain-source.ts';
import { createSimulatedChain, type SimulatedChain } from '../../src/chain/simulated/simulated-chain.ts';
import { parseConfig } from '../../src/config.ts';
import type { AccountId } from '../../src/core/ids.ts';
import type { Backend } from '../../src/core/inference/backend.ts';
import type { CounterStore } from '../../src/counters/counter-store.ts';
import type { ClosableComputing } from '../../src/engines/computing/all-jobs.ts';
import type { Pressure } from '../../src/hooks/limits/load-shedding.ts';
import type { NewApiKey } from '../../src/services/credentials/api-keys.ts';
import type { PrivateJwk } from '../../src/services/credentials/signing-keys.ts';
import { sqlitePath } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { collectedLog, noteExchange, noteSecretsOf } from '../secrets/collected.ts';
import { createNoLimits } from './no-limits.ts';
import { eventually } from './service-process.ts';
import { createPairs, lowerCased, type Signing } from './signing.ts';
import { makeTables } from './sqlite-tables.ts';

export interface TestAppOptions {
  /** A chain source that the test owns; 'simulated' (default) makes one that is closed with the app. */
  chain?: ChainSource | 'simulated';
  /** A store that the test owns. */
  store?: Store;
  clock?: () => number;
  log?: Logger;
  /** true: requests are counted and refused as in service, or in the given counters; else nobody is refused, so that a test may send many. */
  limits?: true | CounterStore;
  /** How often approvals are looked for by themselves. */
  approvalsEveryMs?: number;
  /** What tells of overload. */
  pressure?: Pressure;
  /** What answers for models, in the place of what is configured. */
  backends?: readonly Backend[];
  /** Where PSBTs are computed. */
  computing?: ClosableComputing;
  /** Variables as in the environment; DATA_DIR, PORT and CHAIN are given. */
  env?: Record<string, string>;
  dataDir?: string;
  /** Blocks mined before the app starts, on the simulated chain. */
  blocks?: number;
}

export type Json = any;

export interface TestAnswer {
  status: number;
  headers: Record<string, string | undefined>;
  body: Json;
  text: string;
}

export interface CallOptions {
  /** Default: the admin key of the first start. null: none. */
  apiKey?: string | null;
  headers?: Record<string, string>;
  idempotencyKey?: string;
  /** Default: whatever modifies is signed with the pair of the API key (or token) used. false: not. A private JWK: with that. */
  sign?: Signing;
}

export interface TestApp {
  readonly app: App;
  readonly dataDir: string;
  readonly adminKey: string;
  readonly accountId: AccountId;
  /** The Host that `call` sends, one of PUBLIC_ORIGINS. */
  readonly host: string;
  /** The private JWK enrolled for an API key that was made here. */
  pairOf(apiKey: string): PrivateJwk;
  /** Has `call` sign with this pair what is sent with this bearer token. */
  remember(token: string, jwk: PrivateJwk): void;
  /** Only where the chain was made here. */
  readonly simulated: SimulatedChain;
  /** One request through the whole stack, without a socket. A string or Buffer body goes as it is. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<TestAnswer>;
  get(path: string, options?: CallOptions): Promise<TestAnswer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<TestAnswer>;
  /** Another account with an admin key. */
  anotherAccount(name?: string): Promise<{ accountId: AccountId; apiKey: string }>;
  /** Another key of the first account (or the one given), with a pair enrolled for it. */
  key(given?: Partial<NewApiKey>): Promise<string>;
  /** A real port, for sockets; answers http://127.0.0.1:port. */
  listen(): Promise<string>;
  /** Waits until the follower has applied the chain's tip. */
  synced(): Promise<void>;
  close(): Promise<void>;
}

export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { clock = Date.now, log = collectedLog(), blocks = 0 } = options;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'ashlar-app-'));
  const given = options.chain === undefined || options.chain === 'simulated' ? null : options.chain;
  const made = given === null ? await createSimulatedChain({ clock, randomBytes, log }) : null;
  const chain = (given ?? made) as ChainSource;
  if (made !== null && blocks > 0) await made.mine(blocks, '51');
  // A test's own work may hold the event loop up for long: that is no overload.
  const usual = { PORT: '0', CHAIN: 'simulated', MAX_EVENT_LOOP_DELAY_MS: '0' };
  const config = parseConfig({ DATA_DIR: dataDir, ...usual, ...options.env });
  if (options.store === undefined && config.databaseUrl === null) await makeTables(sqlitePath(dataDir));
  const app = await buildApp(config, {
    chain,
    clock,
    log,
    // Nor is a slow answer a hang, which the test itself runs into.
    timeOutMs: 170_000,
    ...(options.approvalsEveryMs === undefined ? {} : { approvalsEveryMs: options.approvalsEveryMs }),
    ...(options.limits === true ? {} : { counters: options.limits ?? createNoLimits(clock) }),
    ...(options.pressure === undefined ? {} : { pressure: options.pressure }),
    ...(options.backends === undefined ? {} : { backends: options.backends }),
    ...(options.computing === undefined ? {} : { computing: options.computing }),
    ...(options.store === undefined ? {} : { store: options.store }),
  });
  const { api_key: adminKey, private_key: adminJwk } = JSON.parse(
    readFileSync(join(dataDir, 'admin-credentials.json'), 'utf8'),
  ) as { api_key: string; private_key: PrivateJwk };
  noteSecretsOf({ api_key: adminKey, private_key: adminJwk });
  const pairs = createPairs(clock);
  pairs.remember(adminKey, adminJwk);
  const host = new URL(config.publicOrigins[0] as string).host;
  const accountId = (await app.services.accounts.find('default')).accountId;

  async function call(method: string, path: string, body?: unknown, call: CallOptions = {}): Promise<TestAnswer> {
    const { apiKey = adminKey, idempotencyKey, sign } = call;
    const raw = typeof body === 'string' || Buffer.isBuffer(body);
    const payload = body === undefined ? null : raw ? body : JSON.stringify(body);
    const headers: Record<string, string> = {
      host,
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...lowerCased(call.headers ?? {}),
    };
    const signed = pairs.headersFor({ method, path, host: headers.host ?? host, headers, body: payload }, sign);
    const response = await app.http.inject({
      method: method as 'GET',
      url: path,
      headers: { ...signed, ...headers },
      ...(payload === null ? {} : { payload }),
    });
    const isJson = String(response.headers['content-type']).split(';')[0] === 'application/json';
    const answer: TestAnswer = {
      status: response.statusCode,
      headers: response.headers as TestAnswer['headers'],
      body: isJson && response.body !== '' ? JSON.parse(response.body) : null,
      text: response.body,
    };
    noteExchange(body, answer);
    return answer;
  }

  const key = async (given: Partial<NewApiKey> = {}) => {
    const usual: NewApiKey = { accountId, name: 'test', role: 'admin', scopes: ['*'], tier: 'standard' };
    const { apiKey, record } = await app.services.apiKeys.create({ ...usual, ...given });
    const { publicJwk, privateJwk } = app.services.signingKeys.newPair();
    const owner = { accountId: record.accountId, kind: 'api_key', id: record.keyId } as const;
    await app.store.write((tx) => app.services.signingKeys.enrol(tx, owner, { name: 'test', publicJwk }));
    noteSecretsOf({ api_key: apiKey, private_key: privateJwk });
    pairs.remember(apiKey, privateJwk);
    return apiKey;
  };

  return {
    app,
    dataDir,
    adminKey,
    accountId,
    host,
    pairOf(apiKey) {
      const jwk = pairs.of(apiKey);
      if (jwk === null) throw new Error('the API key was not made here');
      return jwk;
    },
    remember: pairs.remember,
    get simulated() {
      if (made === null) throw new Error('the chain of this app is not the simulated one');
      return made;
    },
    call,
    get: (path, call_) => call('GET', path, undefined, call_),
    post: (path, body, call_) => call('POST', path, body, call_),
    key,
    async anotherAccount(name = 'another') {
      const account = await app.services.accounts.create(name);
      return { accountId: account.accountId, apiKey: await key({ accountId: account.accountId, mayGrant: true }) };
    },
    listen: () => app.listen(),
    async synced() {
      await eventually('the tip is followed', async () => {
        const { bestBlockHash } = await chain.info();
        return (await app.store.read.ledger.tip())?.hash === bestBlockHash;
      });
    },
    async close() {
      await app.close();
      await made?.close();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
