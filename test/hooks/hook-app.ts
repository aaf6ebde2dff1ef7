/** The hook layer on operations made for its tests, with a real store beneath. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance, type InjectOptions, type LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { z } from 'zod';
import type { AccountId } from '../../src/core/ids.ts';
import { createSecp256k1 } from '../../src/core/keys/create-secp256k1.ts';
import { createAuthorities } from '../../src/core/request-signatures/authorities.ts';
import type { PrivateJwk } from '../../src/core/request-signatures/signing-algorithm.ts';
import { createVerifyBytes, createVerifyMessage } from '../../src/core/request-signatures/verify-signature.ts';
import { createLocalCounters } from '../../src/counters/local.ts';
import { integerQuery } from '../../src/families/fields.ts';
import { createFingerprints } from '../../src/hooks/idempotency.ts';
import { type HookLayerDeps, hookLayer } from '../../src/hooks/index.ts';
import { type AnyOperation, operation } from '../../src/hooks/operation.ts';
import { registerOperations } from '../../src/hooks/register-operations.ts';
import { serverOptions } from '../../src/hooks/server-options.ts';
import { createAccounts } from '../../src/services/credentials/accounts.ts';
import type { ApiKeyService, NewApiKey } from '../../src/services/credentials/api-keys.ts';
import { createSigningKeys, type SigningKeyService } from '../../src/services/credentials/signing-keys.ts';
import { createIdempotency } from '../../src/services/requests/idempotency.ts';
import { createNonceBook } from '../../src/services/requests/nonces.ts';
import { recordRequest } from '../../src/services/requests/record-request.ts';
import { createTextCipher } from '../../src/services/secrets/text-cipher.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { apiKeysOn } from '../builders/api-keys.ts';
import { createPairs, lowerCased, type Signing } from '../builders/signing.ts';
import { makeTables } from '../builders/sqlite-tables.ts';

/** What requests are addressed to. */
export const HOST = 'hooks.test';

export interface HookApp {
  app: FastifyInstance;
  store: Store;
  apiKeys: ApiKeyService;
  signingKeys: SigningKeyService;
  /** app.inject at HOST, signed with the pair of the API key used where it modifies. */
  inject(options: InjectOptions & { sign?: Signing }): Promise<LightMyRequestResponse>;
  /** The private JWK enrolled for an API key that was made here. */
  pairOf(apiKey: string): PrivateJwk;
  now(): number;
  accountId: AccountId;
  /** An admin key of the account. */
  apiKey: string;
  /** Lines of the log. */
  logged: string[];
  /** Moves the clock. */
  advance(ms: number): void;
  key(key?: Partial<NewApiKey>): Promise<string>;
  close(): Promise<void>;
}

export const notes: { text: string }[] = [];

/** What the tests call: reads, a write with an answer that is kept, one that waits, one that fails. */
function operations(store: Store, gate: { open: Promise<void> }): AnyOperation[] {
  const shared = { family: 'a', tag: 'Test', limitClass: 'standard', errors: [] } as const;
  return [
    operation({
      ...shared,
      id: 'note.create',
      method: 'POST',
      path: '/api/v1/notes',
      summary: 'Write a note',
      effect: 'write',
      access: { scope: 'notes:write', role: 'operator' },
      idempotent: true,
      secretAnswer: true,
      body: z.strictObject({
        text: z.string().max(100),
        tags: z
          .array(z.strictObject({ name: z.string().min(2, 'must have 2 characters') }))
          .max(10)
          .optional(),
      }),
      success: {
        status: 201,
        description: 'Written',
        schema: z.object({ text: z.string(), number: z.int(), secret: z.string().nullable() }),
      },
      run: async ({ body }, context) => {
        await gate.open;
        const note = { text: body.text, number: notes.length + 1, secret: null };
        await store.write((tx) => recordRequest(tx, context, { result: note, target: String(note.number) }));
        notes.push({ text: body.text });
        return note;
      },
      present: (note) => note,
    }),
    operation({
      ...shared,
      id: 'note.list',
      method: 'GET',
      path: '/api/v1/notes',
      summary: 'Notes',
      effect: 'read',
      access: { scope: 'notes:read', role: 'viewer' },
      idempotent: false,
      query: z.strictObject({ limit: integerQuery(1, 100).default(20), offset: integerQuery(0, 1000).default(0) }),
      success: { status: 200, description: 'Notes', schema: z.object({ limit: z.int(), offset: z.int() }) },
      run: async ({ query }) => query,
      present: (query) => query,
    }),
    operation({
      ...shared,
      id: 'note.get',
      method: 'GET',
      path: '/api/v1/notes/{note_id}',
      summary: 'A note',
      effect: 'read',
      access: { scope: 'notes:read', role: 'viewer' },
      idempotent: false,
      params: z.strictObject({ note_id: z.string().regex(/^\d+$/, 'must be a number') }),
      success: { status: 200, description: 'It', schema: z.object({ note_id: z.string() }) },
      run: async ({ params }) => params,
      present: (params) => params,
    }),
    operation({
      ...shared,
      id: 'note.break',
      method: 'DELETE',
      path: '/api/v1/notes/{note_id}',
      summary: 'Fails',
      effect: 'write',
      access: { scope: 'notes:write', role: 'admin' },
      idempotent: true,
      params: z.strictObject({ note_id: z.string() }),
      success: { status: 204, description: 'Gone', schema: z.undefined() },
      run: async ({ params }): Promise<null> => {
        throw new Error(`SELECT * FROM notes WHERE id = '${params.note_id}' as ak_12345678_${'x'.repeat(43)}`);
      },
      present: () => undefined,
    }),
  ];
}

const isText = (payload: unknown): payload is string | Buffer =>
  typeof payload === 'string' || Buffer.isBuffer(payload);

export async function startHookApp(
  options: {
    requestTimeoutMs?: number;
    gate?: { open: Promise<void> };
    trustProxy?: string[];
    signaturePolicy?: 'required' | 'per-key';
    more?: (store: Store) => AnyOperation[];
    layer?: Partial<Pick<HookLayerDeps, 'counters' | 'corsOrigins' | 'pressure' | 'recordRefusal'>>;
    /** Where the clock stands, until it is advanced; else it runs. */
    startAt?: number;
  } = {},
): Promise<HookApp> {
  const folder = mkdtempSync(join(tmpdir(), 'ashlar-hooks-'));
  let offset = 0;
  const clock = () => (options.startAt ?? Date.now()) + offset;
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  const path = join(folder, 'ashlar.db');
  await makeTables(path);
  const store = await openSqliteStore({ path, role: 'service', log, clock });
  const signingKeys = createSigningKeys({ store, clock, log });
  const account = await createAccounts({ store, signingKeys, randomBytes, clock }).create('first');
  const apiKeys = apiKeysOn(store, { clock, signaturePolicy: options.signaturePolicy ?? 'required' });
  const cipher = createTextCipher(randomBytes(32), randomBytes);
  const idempotency = createIdempotency({ store, cipher, clock });
  const { requestTimeoutMs, gate = { open: Promise.resolve() }, trustProxy = false } = options;
  const fingerprints = createFingerprints(randomBytes(32));
  const signatures = {
    signingKeys,
    nonces: createNonceBook({ store, clock }),
    fingerprints,
    originOf: createAuthorities([`http://${HOST}`]),
    verifyMessage: createVerifyMessage(createVerifyBytes(createSecp256k1())),
    loadCaller: ({ accountId, id }: { accountId: AccountId; id: string }, address: string) =>
      apiKeys.callerOf(accountId, id, address),
    clock,
  };
  const pairs = createPairs(clock);
  const app = Fastify(serverOptions({ log, randomBytes, trustProxy })) as unknown as FastifyInstance;
  await app.register(hookLayer, {
    apiKeys,
    signatures,
    metrics: null,
    counters: createLocalCounters({ clock }),
    clock,
    ...options.layer,
    ...(requestTimeoutMs === undefined ? {} : { timeOutMs: requestTimeoutMs }),
  });
  const all = [...operations(store, gate), ...(options.more?.(store) ?? [])];
  registerOperations(app, all, { idempotency, fingerprints });
  await app.ready();
  const key = async (given: Partial<NewApiKey> = {}) => {
    const defaults = {
      accountId: account.accountId,
      name: 'test',
      role: 'admin',
      scopes: ['*'],
      tier: 'standard',
    } as const;
    const { apiKey, record } = await apiKeys.create({ ...defaults, scopes: ['*'], ...given });
    const { publicJwk, privateJwk } = signingKeys.newPair();
    const owner = { accountId: record.accountId, kind: 'api_key', id: record.keyId } as const;
    await store.write((tx) => signingKeys.enrol(tx, owner, { name: 'test', publicJwk }));
    pairs.remember(apiKey, privateJwk);
    return apiKey;
  };
  return {
    app,
    store,
    apiKeys,
    signingKeys,
    now: clock,
    inject({ sign, ...given }) {
      const { payload, url } = given;
      const text = payload === undefined ? null : isText(payload) ? payload : JSON.stringify(payload);
      const headers: Record<string, string> = {
        host: HOST,
        ...(text === null || isText(payload) ? {} : { 'content-type': 'application/json' }),
        ...lowerCased((given.headers ?? {}) as Record<string, string>),
      };
      const method = given.method ?? 'GET';
      const request = { method, path: String(url), host: headers.host ?? HOST, headers, body: text };
      const signed =
        text !== null && text.length > 0 && headers['content-type'] === undefined
          ? {}
          : pairs.headersFor(request, sign);
      return app.inject({
        ...given,
        headers: { ...signed, ...headers },
        ...(text === null ? {} : { payload: text }),
      });
    },
    pairOf(apiKey) {
      const jwk = pairs.of(apiKey);
      if (jwk === null) throw new Error('the API key was not made here');
      return jwk;
    },
    accountId: account.accountId,
    apiKey: await key(),
    logged,
    advance(ms) {
      offset += ms;
    },
    key,
    async close() {
      await app.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
