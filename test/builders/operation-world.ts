/**
 * A service with all that its operations can be asked about: a tenant with wallets, coins and payments, another tenant, and callers of
 * every kind for both. Tests that go through all operations stand on it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyOperation, FAMILY_CREDENTIALS } from '../../src/hooks/operation.ts';
import { type Json, startTestApp, type TestAnswer, type TestApp, type TestAppOptions } from './app.ts';
import { COLLECTOR_ADDRESS } from './connection-recipes.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { type Callers, makeCallers } from './operation-callers.ts';
import {
  type BuiltRequest,
  buildRequest,
  type Given,
  ORIGIN,
  type Sending,
  sendRequest,
  type TestCaller,
  wireRequest,
} from './operation-calls.ts';
import { madeByExample } from './operation-ids.ts';
import { RECIPES } from './operation-recipes.ts';
import { eventually } from './service-process.ts';
import { exampleBackend } from './written-backend.ts';

interface Making {
  readonly by?: TestCaller;
  readonly idempotencyKey?: string;
}

export interface OperationWorld {
  readonly service: TestApp;
  /** What takes the service's mail. */
  readonly mails: MailServer;
  readonly operations: readonly AnyOperation[];
  readonly callers: Callers;
  /** Ids of the tenant's things, by the name of the path parameter that takes them. */
  readonly ids: Readonly<Record<string, string>>;
  /** An unspent coin of the tenant's. */
  readonly coin: { txid: string; vout: number };
  /** What its recipe gives, or what its path names, made anew. */
  given(operation: AnyOperation): Promise<Given>;
  /** A request that would succeed, with what it uses up arranged anew. */
  fresh(operation: AnyOperation): Promise<BuiltRequest>;
  /** The request of what a recipe gave: its operation's example and the world's ids in the place of what it left out. */
  built(operation: AnyOperation, given: Given): BuiltRequest;
  send(built: BuiltRequest, caller: TestCaller, sending?: Sending): Promise<TestAnswer>;
  /** A GET that needs no signature. */
  askAs(caller: TestCaller, target: string): Promise<TestAnswer>;
  /** By the tenant's administrator unless said; answers the body, and throws where it is refused. */
  make(method: string, path: string, body?: unknown, making?: Making): Promise<Json>;
  /** Waits until nothing goes on behind the requests: the chain is followed, no wallet is scanned. */
  quiet(): Promise<void>;
  /** What must be in no log: every credential and key of the callers, and what the service's files hold. */
  secrets(): string[];
  /** The service's clock. */
  now(): number;
  /** Puts it forward. */
  advance(ms: number): void;
  close(): Promise<void>;
}

export async function openOperationWorld(options: TestAppOptions = {}): Promise<OperationWorld> {
  let offset = 0;
  const now = () => Date.now() + offset;
  const mails = await startMailServer();
  const mail = {
    SMTP_URL: mails.url,
    NOTIFICATION_EMAIL_FROM: 'ashlar@example.com',
    NOTIFICATION_EMAIL_DOMAINS: 'example.com',
  };
  const usual = { PUBLIC_ORIGINS: ORIGIN, OUTBOUND_ALLOWED_NETWORKS: COLLECTOR_ADDRESS, ...CHEAP_PASSWORDS, ...mail };
  const service = await startTestApp({
    backends: [exampleBackend],
    clock: now,
    ...options,
    env: { ...usual, ...options.env },
  });
  const { operations } = service.app;
  const send = (built: BuiltRequest, caller: TestCaller, sending: Sending = {}) =>
    sendRequest(service, wireRequest(built, caller, now(), sending));
  function operationAt(method: string, path: string): AnyOperation {
    const [bare = path] = path.split('?');
    const operation = operations.find((one) => one.method === method && patternOf(one).test(bare));
    if (operation === undefined) throw new Error(`there is no operation ${method} ${path}`);
    return operation;
  }

  async function ask(
    method: string,
    path: string,
    body: unknown,
    by: TestCaller,
    sending: Sending = {},
  ): Promise<Json> {
    const operation = operationAt(method, path);
    // The path as it is, through the operation that it leads to.
    const built = { ...buildRequest({ ...operation, path }, body === undefined ? {} : { body }), operation };
    const answer = await send(built, by, sending);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }
  const advance = (ms: number): void => {
    offset += ms;
  };
  const callers = await makeCallers(service, { now, advance, make: ask });
  /** Who alone may ask what takes no API key. */
  const onlyBy = ({ credentials, family, access }: AnyOperation) =>
    access === 'public' || (credentials ?? FAMILY_CREDENTIALS[family]).includes('api_key')
      ? undefined
      : callers.byForm.user_token.valid;
  const make: OperationWorld['make'] = (method, path, body, making = {}) => {
    const { by = onlyBy(operationAt(method, path)) ?? callers.admin, idempotencyKey } = making;
    return ask(
      method,
      path,
      body,
      by,
      idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } },
    );
  };

  const { ids, coin } = await furnish(service, callers, make);
  const built = (operation: AnyOperation, given: Given): BuiltRequest =>
    buildRequest(operation, {
      query: operation.example?.query as Record<string, string>,
      body: operation.example?.body,
      caller: onlyBy(operation),
      ...given,
      params: { ...ids, ...given.params },
    } as Given);
  const world: OperationWorld = {
    service,
    mails,
    operations,
    callers,
    ids,
    coin,
    send,
    make,
    now,
    advance,
    secrets: () => [...callers.secrets, ...secretsOfFirstStart(service.dataDir)],
    askAs: (caller, target) => {
      const operation = operationAt('GET', target);
      return send({ ...buildRequest({ ...operation, path: target }, {}), operation }, caller);
    },
    async quiet() {
      await service.synced();
      const scanning = async () => {
        const wallets = (await make('GET', '/api/v1/wallets?limit=100')).data as Json[];
        return wallets.some(({ scan }) => scan.state !== 'idle');
      };
      const { services, store } = service.app;
      const { addressScans, approvals } = store.read;
      const busy = async () =>
        (await scanning()) ||
        (await addressScans.open()).length > 0 ||
        (await approvals.toDo({ ofEach: 1, all: 1 })).length > 0;
      await eventually('nothing is under way', async () => !(await busy()));
      // Payments of the mempool mark scripts as used; events get their numbers after their commit.
      await services.follower.refreshMempool();
      while ((await store.write((tx) => tx.events.number(1_000))) > 0);
    },
    given: async (operation) =>
      (await RECIPES[operation.id]?.(world)) ?? {
        params: await madeByExample(operations, operation, ids, (path, body) => make('POST', path, body)),
      },
    fresh: async (operation) => built(operation, await world.given(operation)),
    built,
    async close() {
      await service.close();
      await mails.close();
    },
  };
  return world;
}

/** What a password costs is not what these tests are about. */
const CHEAP_PASSWORDS = { ARGON2_MEMORY_KIB: '7168', ARGON2_PASSES: '1' };

const patternOf = ({ path }: AnyOperation): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

function secretsOfFirstStart(dataDir: string): string[] {
  const file = readFileSync(join(dataDir, 'admin-credentials.json'), 'utf8');
  const { api_key, private_key } = JSON.parse(file) as { api_key: string; private_key: { d: string } };
  return [api_key, private_key.d];
}

/** Two wallets of the tenant: one that pays, one whose coins stay. */
async function furnish(service: TestApp, callers: Callers, make: OperationWorld['make']) {
  const wallet = async (name: string) => {
    const { wallet_id } = await make('POST', '/api/v1/wallets', { name, type: 'segwit', backup_type: 'none' });
    const { address } = await make('POST', `/api/v1/wallets/${wallet_id}/addresses`);
    return { wallet_id, address };
  };
  const paying = await wallet('paying');
  const cold = await wallet('cold');
  await make('POST', '/api/v1/bitcoin/blocks', { count: 1, address: cold.address });
  // Every payment of a test takes a coin: many small ones beside the mined.
  await make('POST', '/api/v1/bitcoin/blocks', { count: 60, address: paying.address });
  await make('POST', '/api/v1/bitcoin/blocks', { count: 100 });
  await service.synced();
  const [coin] = (await make('GET', `/api/v1/wallets/${cold.wallet_id}/utxos`)).data;
  const payment = await make('POST', '/api/v1/transactions', {
    recipients: [{ address: cold.address, amount: '1' }],
    fee_rate: '2',
    rbf: true,
    wallet_id: paying.wallet_id,
  });
  // The DAO is made at first use; its first tokens are another administrator's.
  const { holder_id } = await make('GET', '/v1/governance/tokens/balance');
  await make('POST', '/v1/governance/tokens/mint', { address: holder_id, amount: '1000', reason: 'A test' });
  return {
    coin: { txid: coin.txid, vout: coin.vout },
    ids: {
      wallet_id: paying.wallet_id,
      cold_wallet_id: cold.wallet_id,
      txid: payment.txid,
      account_id: callers.accountId,
      model_id: 'ashlar-guide',
      hash_or_height: 'latest',
      hash: 'latest',
      address: cold.address,
      vout: '0',
      holder_address: callers.siblingId,
    },
  };
}
