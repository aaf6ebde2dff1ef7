/** What holds for every operation, asked of each: what it refuses, and in which words. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { NOTICE_OF_OPERATION } from '../../src/core/events/security-notices.ts';
import type { AccountId } from '../../src/core/ids.ts';
import type { AnyOperation } from '../../src/hooks/operation.ts';
import { type Json, startTestApp, type TestAnswer, type TestApp } from '../builders/app.ts';
import { aConnection, COLLECTOR_ADDRESS } from '../builders/connection-recipes.ts';
import { idsEnding, madeByExample } from '../builders/operation-ids.ts';
import { refusalIn } from '../builders/refusal-in.ts';
import { approvalRecord } from '../builders/store-records.ts';
import { exampleBackend } from '../builders/written-backend.ts';

let service: TestApp;
let operations: readonly AnyOperation[];
/** Ids that exist, of the first account. */
let ids: Record<string, string>;
let other: { accountId: AccountId; apiKey: string };
/** Access tokens of people: of the first account, and of the other. */
let person: string;
let stranger: string;

beforeAll(async () => {
  service = await startTestApp({ backends: [exampleBackend], env: { OUTBOUND_ALLOWED_NETWORKS: COLLECTOR_ADDRESS } });
  operations = service.app.operations;
  other = await service.anotherAccount();
  const wallet = (await service.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' })).body;
  const { address } = (await service.post(`/api/v1/wallets/${wallet.wallet_id}/addresses`)).body;
  await service.post('/api/v1/bitcoin/blocks', { count: 101, address }, { idempotencyKey: 'mine' });
  await service.synced();
  const payment = await service.post('/api/v1/transactions', {
    recipients: [{ address, amount: '1' }],
    fee_rate: '2',
    rbf: true,
  });
  expect(payment.status, payment.text).toBe(201);
  const [utxo] = (await service.get(`/api/v1/wallets/${wallet.wallet_id}/utxos`)).body.data;
  const user = await login('person', service.adminKey);
  person = user.access_token;
  stranger = (await login('stranger', other.apiKey)).access_token;
  const apiKey = (await service.post('/api/v1/api-keys', { name: 'k', scopes: ['*'] })).body;
  ids = {
    wallet_id: wallet.wallet_id,
    txid: payment.body.txid,
    key: 'mine',
    vout: String(utxo.vout),
    account_id: service.accountId,
    api_key_id: apiKey.api_key_id,
    user_id: user.user.user_id,
    session_id: user.session_id,
    key_id: apiKey.key_id,
    record_id: (await service.get('/api/v1/compliance/audit')).body.data[0].record_id,
    address,
    ...(await oracleIds()),
    contract_id: await contractId(wallet.wallet_id),
    connection_id: (await service.post('/api/v1/enterprise/connect', await aConnection())).body.connection_id,
    approval_id: await approvalId(),
    replay_id: (await service.post('/api/v1/enterprise/policies/replay', { from: '2026-01-01T00:00:00Z' })).body
      .replay_id,
    report_id: (await service.post('/api/v1/analytics/report', { type: 'activity', from: '2026-01-01T00:00:00Z' })).body
      .report_id,
    delivery_id: 'msg_0000000000000000000000',
    notification_id: await notificationId(user.user.user_id),
    hash_or_height: 'latest',
    hash: 'latest',
    format: 'descriptor',
    model_id: 'ashlar-guide',
    device_id: 'phone',
    holder_address: apiKey.api_key_id,
    proposal_id: (await service.post('/v1/governance/proposals', { title: 'A vote', description: 'd', type: 'text' }))
      .body.id,
    delegation_id: (
      await service.post('/v1/governance/tokens/delegate', { delegate_address: apiKey.api_key_id, amount: '1' })
    ).body.delegation_id,
  };
  await service.post('/api/v1/mobile/sync', { device_id: ids.device_id });
  const post = async (path: string, body: unknown) =>
    (await service.post(path, body as Json, FAMILY_D.test(path) ? { apiKey: await clientFor() } : {})).body;
  for (const operation of operations) Object.assign(ids, await madeByExample(operations, operation, ids, post));
  Object.assign(UNKNOWN, idsEnding(operations, '0'.repeat(22)));
  Object.assign(MALFORMED, idsEnding(operations, 'x'));
});

async function contractId(wallet_id: string): Promise<string> {
  const terms = { type: 'dlc', oracle: 'local', outcomes: ['win', 'lose'], collateral: '0.1', wallet_id };
  const made = await service.post('/api/v1/contracts', terms);
  expect(made.status, made.text).toBe(201);
  return made.body.contract_id;
}

async function notificationId(user_id: string): Promise<string> {
  const made = { channel: 'in_app', to: { user_id }, subject: 'Hello', body: 'Hello' };
  return (await service.post('/api/v1/notifications/send', made)).body.notification_id;
}

async function approvalId(): Promise<string> {
  const approval = approvalRecord('apr_3mVb1k7Q2xYt9LpRw0Zc5A', { accountId: service.accountId });
  await service.app.store.write((tx) => tx.approvals.insert({ ...approval, expiresAt: Date.now() + 3_600_000 }));
  return approval.approvalId;
}

async function oracleIds(): Promise<Record<string, string>> {
  const event = { maturity: '2026-01-01T00:00:00Z', outcomes: ['home', 'away'] };
  const { oracle_id, event_id } = (await service.post('/api/v1/dlc/events', event)).body;
  const outcome = { oracle: oracle_id, event_id, outcome: 'home' };
  const { attestation_id } = (await service.post('/api/v1/dlc/attestations', outcome)).body;
  return { oracle_id, event_id, attestation_id };
}

async function login(username: string, apiKey: string): Promise<Json> {
  const password = 'a password of every operation';
  const made = await service.post('/api/v1/users', { username, password, scopes: ['wallets:read'] }, { apiKey });
  expect(made.status, made.text).toBe(201);
  return (await service.post('/api/v1/auth/login', { username, password }, { apiKey: null })).body;
}

afterAll(() => service.close());

it.each(Object.keys(NOTICE_OF_OPERATION))('%s, which causes a security notice, is declared', (id) => {
  expect(operations.map((operation) => operation.id)).toContain(id);
});

const FAMILY_D = /^\/api\/v1\/(user|transaction|network)$/;

/** Ids of ours are filled in by their forms. */
const UNKNOWN: Record<string, string> = {
  txid: 'ab'.repeat(32),
  key: 'unknown',
  vout: '0',
  key_id: 'A'.repeat(43),
  address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  oracle_id: 'ora_0000000000000000000000',
  event_id: 'unknown',
  hash_or_height: 'ab'.repeat(32),
  hash: 'ab'.repeat(32),
  format: 'descriptor',
  model_id: 'unknown',
  device_id: 'unknown',
  holder_address: 'usr_0000000000000000000000',
};
const MALFORMED: Record<string, string> = {
  txid: 'xyz',
  key: 'a%20b',
  vout: '-1',
  key_id: 'x',
  address: 'nonsense',
  oracle_id: 'ora_x',
  event_id: 'a'.repeat(501),
  hash_or_height: 'xyz',
  hash: 'xyz',
  format: 'stone tablet',
  model_id: 'a'.repeat(257),
  device_id: 'a%20b',
  holder_address: 'nonsense',
};

const pathOf = (operation: AnyOperation, values: Record<string, string>): string =>
  operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the test knows no value for ${name} of ${operation.id}`);
    return value;
  });

/** A query that the operation takes, where it needs one. */
const queryOf = ({ example }: AnyOperation): string => {
  const query = new URLSearchParams((example?.query ?? {}) as Record<string, string>).toString();
  return query === '' ? '' : `?${query}`;
};

const send = async (operation: AnyOperation, path: string, options: Json = {}, body?: Json): Promise<TestAnswer> => {
  const given = body ?? operation.example?.body;
  const type = operation.bodyContentType;
  return service.call(operation.method, path, given, {
    ...options,
    ...(isForUsers(operation) ? tokenFor(options.apiKey) : {}),
    ...(operation.family === 'd' && { apiKey: await clientFor(options.apiKey) }),
    headers: { ...(type === undefined ? {} : { 'content-type': type }), ...options.headers },
  });
};

/** What people do with what is their own: no other credential is taken. */
const isForUsers = ({ access }: AnyOperation): boolean => access !== 'public' && access.own === true;
/** A person's token in the place of the account's key. */
const tokenFor = (apiKey: string | null | undefined): { apiKey?: string } => {
  if (apiKey === undefined) return { apiKey: person };
  return apiKey === other.apiKey ? { apiKey: stranger } : {};
};
const clients = new Map<string, string>();
/** Of an OAuth client with the rights of the key, in its place: what takes no API key. */
async function clientFor(apiKey: string | null = service.adminKey): Promise<string | null> {
  const known = apiKey === null ? null : clients.get(apiKey);
  if (apiKey === null || known) return known ?? null;
  const { credential } = await service.app.services.apiKeys.verify(apiKey, '127.0.0.1');
  const { publicJwk, privateJwk } = service.app.services.signingKeys.newPair();
  const body = { name: 'd', role: credential.role, scopes: credential.scopes, public_key: publicJwk };
  const by = apiKey === other.apiKey ? other.apiKey : service.adminKey;
  const { client_id, client_secret } = (await service.post('/api/v1/oauth-clients', body, { apiKey: by })).body;
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const token = (await service.post('/oauth/token', form, { apiKey: null, headers })).body.access_token;
  service.remember(token, privateJwk);
  clients.set(apiKey, token);
  return token;
}
/** Takes parameters that others add (a sign-on provider). */
const isOpen = ({ query }: AnyOperation): boolean =>
  query instanceof z.ZodObject && query.def.catchall instanceof z.ZodUnknown;

const guarded = () => operations.filter(({ access }) => access !== 'public');
const named = () => operations.filter(({ params }) => params !== undefined);
/** What anybody may ask about: every text is an address or not, and every address may be scanned for. */
const ofAnyAddress = ({ path }: AnyOperation): boolean => path.includes('{address}') && !path.includes('{scan_id}');
/** What the chain holds is the same for everybody, and so are models. */
const ofChain = ({ path }: AnyOperation): boolean =>
  path.startsWith('/v1/ai/models/') ||
  /^\/api\/v1\/(bitcoin\/(blocks|headers|mempool|transactions)|blockchain\/(block|transaction))\//.test(path);

describe('every operation', () => {
  it('that is not public refuses a request without a key: 401, before anything else is looked at', async () => {
    for (const operation of guarded()) {
      const answer = await send(
        operation,
        pathOf(operation, UNKNOWN),
        { apiKey: null },
        operation.body ? '{' : undefined,
      );
      expect(answer.status, operation.id).toBe(401);
      expect(answer.headers['www-authenticate'], operation.id).toMatch(/^Bearer/);
    }
  });

  it('refuses a key without its scope, and one below its role: 403', async () => {
    const scopeless = await service.key({ scopes: ['auth:write'] });
    const viewer = await service.key({ role: 'viewer' });
    for (const operation of guarded().filter((each) => !isForUsers(each))) {
      const path = pathOf(operation, ids) + queryOf(operation);
      const noScope = await send(operation, path, { apiKey: scopeless });
      expect([noScope.status, refusalIn(noScope)?.code], operation.id).toEqual([403, 'forbidden']);
      const { access } = operation;
      if (access !== 'public' && access.role !== 'viewer') {
        expect((await send(operation, path, { apiKey: viewer })).status, operation.id).toBe(403);
      }
    }
  });

  it('that writes needs more than a viewer, and a scope to write', () => {
    for (const { id, effect, access } of guarded()) {
      if (access === 'public' || effect !== 'write' || access.own === true) continue;
      expect(access.role, id).not.toBe('viewer');
      expect(access.scope, id).toMatch(/:write$/);
    }
  });

  it("answers 404 for an id that is not there, and the same for another account's", async () => {
    for (const operation of named().filter((each) => !ofAnyAddress(each))) {
      const unknown = await send(operation, pathOf(operation, UNKNOWN) + queryOf(operation));
      expect([unknown.status, refusalIn(unknown)?.code], `${operation.id}: ${unknown.text}`).toEqual([
        404,
        'not_found',
      ]);
      if (ofChain(operation)) continue;
      const foreign = await send(operation, pathOf(operation, ids) + queryOf(operation), { apiKey: other.apiKey });
      const { access } = operation;
      // What is of the platform alone is refused to others before anything is looked for.
      const expected = access !== 'public' && access.platform ? [403, 'forbidden'] : [404, 'not_found'];
      expect([foreign.status, refusalIn(foreign)?.code], `${operation.id}: ${foreign.text}`).toEqual(expected);
      expect(foreign.text).not.toContain(service.accountId);
    }
  });

  it('answers 400 for a malformed id and names it', async () => {
    for (const operation of named().filter(({ id }) => id !== 'address.get')) {
      const answer = await send(operation, pathOf(operation, MALFORMED) + queryOf(operation));
      expect([answer.status, refusalIn(answer)?.code], `${operation.id}: ${answer.text}`).toEqual([
        400,
        'invalid_request',
      ]);
      expect(Object.keys(MALFORMED), operation.id).toContain(refusalIn(answer)?.field);
    }
  });

  it('refuses an unknown field of its body and an unknown query parameter by name: 400', async () => {
    // /oauth's refusals have no field (RFC 6749 §5.2), and its clients may send what it does not know (§3.2).
    for (const operation of operations.filter((each) => !isOpen(each) && each.family !== 'oauth')) {
      const path = pathOf(operation, ids);
      const query = `${queryOf(operation) || '?'}&surprise=1`;
      const answer = await send(operation, path + query);
      expect([answer.status, refusalIn(answer)?.field], operation.id).toEqual([400, 'query.surprise']);
      if (operation.body === undefined || operation.bodyContentType !== undefined) continue;
      const body = { ...(operation.example?.body as object), surprise: 1 };
      const refused = await send(operation, path + queryOf(operation), {}, body);
      expect([refused.status, refusalIn(refused)?.field], `${operation.id}: ${refused.text}`).toEqual([
        400,
        'surprise',
      ]);
    }
  });

  it('with pages refuses limit=1000, limit=0 and offset=-1 by name: 400', async () => {
    const paged = operations.filter((operation) => {
      const query = operation.query as { shape?: Record<string, unknown> } | undefined;
      return query?.shape?.limit !== undefined;
    });
    expect(paged.length).toBeGreaterThan(2);
    for (const operation of paged) {
      for (const [wrong, field] of [
        ['limit=1000', 'query.limit'],
        ['limit=0', 'query.limit'],
        ['offset=-1', 'query.offset'],
      ]) {
        const answer = await send(operation, `${pathOf(operation, ids)}?${wrong}`);
        expect([answer.status, refusalIn(answer)?.field], `${operation.id} ${wrong}`).toEqual([400, field]);
      }
    }
  });

  it('with a JSON body refuses other types, bad JSON, and bodies of its size limit and a byte: 415, 400, 413', async () => {
    for (const operation of operations.filter(({ body, bodyContentType }) => body && !bodyContentType)) {
      const path = pathOf(operation, ids) + queryOf(operation);
      const text = await send(operation, path, { headers: { 'content-type': 'text/plain' } });
      expect(text.status, operation.id).toBe(415);
      expect((await send(operation, path, {}, '{"a":')).status, operation.id).toBe(400);
      const limit = operation.bodyLimit ?? 1024 * 1024;
      expect((await send(operation, path, {}, `"${'a'.repeat(limit - 1)}"`)).status, operation.id).toBe(413);
    }
  });

  it('of bulk class and on PSBTs takes 10 MiB, of whoever sends one 16 KiB, any other 1 MiB', () => {
    for (const { id, family, body, access, limitClass, bodyLimit } of operations) {
      if (body === undefined) continue;
      const large =
        // Its 1,200 recipients fit into the usual limit.
        (limitClass === 'bulk' && id !== 'transaction.bulk-create') ||
        family === 'e' ||
        id === 'transaction-signature.create' ||
        /^contract[.](receive|accept|sign|close|check|decode|restore)$/.test(id);
      // No contract that is accepted takes more than half of the usual limit.
      const kib = access === 'public' ? 16 : large ? 10 * 1024 : id === 'contract.create' ? 512 : 1024;
      expect((bodyLimit ?? 1024 * 1024) / 1024, id).toBe(kib);
    }
  });
});
