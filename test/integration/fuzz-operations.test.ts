/**
 * Thousands of requests made from /openapi.json and mutated: no answer is a 5xx, each is one that is described and has its headers,
 * none tells a secret, and neither does the log. FUZZ_REQUESTS sends more; FUZZ_SEED repeats a run.
 */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, describe, expect, it } from 'vitest';
import { createExportVerifier } from '../../src/core/audit-log/verify-export.ts';
import { requestSigner } from '../../src/core/request-signatures/sign-request.ts';
import type { AnyOperation } from '../../src/hooks/operation.ts';
import type { TestAnswer } from '../builders/app.ts';
import { createAnswerCheck } from '../builders/described-answers.ts';
import {
  type BuiltRequest,
  sendRequest,
  type TestCaller,
  type WireRequest,
  wireRequest,
} from '../builders/operation-calls.ts';
import { openOperationWorld } from '../builders/operation-world.ts';
import { refusalIn } from '../builders/refusal-in.ts';
import { type ArbitraryRequest, arbitraryRequest, type SigningMode } from './arbitrary-requests.ts';
import { dictionaryOf } from './fuzz-dictionary.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 12_000);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
/** So many are under way at once. */
const AT_ONCE = 20;
/** The dictionary is made anew so often: what earlier requests made is then asked for. */
const ROUND = 4_000;
const ANSWERS_WITHIN_MS = 120_000;

const logged: string[] = [];
const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
const world = await openOperationWorld({ log, limits: true });
afterAll(() => world.close());
const document = (await world.service.get('/openapi.json', { apiKey: null })).body;
const check = createAnswerCheck(document);
const operationOf = (id: string): AnyOperation => world.operations.find((one) => one.id === id) as AnyOperation;
const { callers } = world;
const { signingKeys } = world.service.app.services;
const stranger = requestSigner(signingKeys.newPair().privateJwk);

/** The first are asked for most. */
const CALLERS: readonly TestCaller[] = [
  ...Array.from({ length: 6 }, () => callers.admin),
  ...Object.values(callers.byForm).flatMap(({ valid }) => [valid, valid]),
  callers.sibling,
  callers.platform,
  callers.platform,
  ...Object.values(callers.byForm).flatMap((those) => [those.viewer, those.scopeless, those.otherAccount]),
  ...Object.values(callers.byForm).flatMap((those) => [those.expired, those.revoked]),
  callers.revokedSigner,
  ...callers.limited,
];

const usedNonces: string[] = [];
/** As much as a client could do to a signature. */
const SIGN: Record<SigningMode, (built: BuiltRequest, caller: TestCaller) => WireRequest> = {
  well(built, caller) {
    const nonce = randomUUID();
    usedNonces[usedNonces.length % 50] = nonce;
    return wireRequest(built, caller, world.now(), { sign: built.method === 'GET' ? false : { nonce } });
  },
  always: (built, caller) => wireRequest(built, caller, world.now(), { sign: true }),
  none: (built, caller) => wireRequest(built, caller, world.now(), { sign: false }),
  stale: (built, caller) => wireRequest(built, caller, world.now(), { sign: { created: 1_700_000_000 } }),
  early: (built, caller) => wireRequest(built, caller, world.now(), { sign: { created: 4_000_000_000 } }),
  used: (built, caller) => wireRequest(built, caller, world.now(), { sign: { nonce: usedNonces[0] ?? 'n' } }),
  foreign: (built, caller) => wireRequest(built, caller, world.now(), { sign: { signer: stranger } }),
  cut(built, caller) {
    const signed = wireRequest(built, caller, world.now(), { sign: true });
    const { signature = '', 'signature-input': input = '' } = signed.headers;
    return {
      ...signed,
      headers: { ...signed.headers, signature: signature.slice(0, 20), 'signature-input': input.slice(0, -30) },
    };
  },
  twice(built, caller) {
    const signed = wireRequest(built, caller, world.now(), { sign: true });
    const { signature = '', 'signature-input': input = '' } = signed.headers;
    return {
      ...signed,
      headers: { ...signed.headers, signature: `${signature}, ${signature}`, 'signature-input': `${input}, ${input}` },
    };
  },
  noise: (built, caller) => ({
    ...wireRequest(built, caller, world.now(), { sign: false }),
    headers: {
      ...built.headers,
      authorization: `Bearer ${caller.token}`,
      signature: 'sig=:%%:',
      'signature-input': '"',
    },
  }),
};

/** Null where no client could sign it: a header that is not ASCII. */
function signedWell(make: () => WireRequest): WireRequest | null {
  try {
    return make();
  } catch (error) {
    if ((error as { code?: unknown }).code === 'MalformedField') return null;
    throw error;
  }
}

const isOfPlatform = ({ operation: { access } }: BuiltRequest) => access !== 'public' && access.platform === true;

function wireOf(request: ArbitraryRequest): WireRequest {
  if (request.whole !== null) {
    const { whole } = request;
    return SIGN[request.signing](whole, whole.caller ?? (isOfPlatform(whole) ? callers.platform : callers.admin));
  }
  const { method, target, headers, body } = request;
  const built: BuiltRequest = {
    operation: operationOf(request.operation),
    method,
    target,
    headers,
    body,
    caller: null,
    after: async () => {},
  };
  const caller = CALLERS[request.caller % CALLERS.length] as TestCaller;
  const wire = signedWell(() => SIGN[request.signing](built, caller)) ?? SIGN.none(built, caller);
  const { host = wire.host, ...rest } = wire.headers;
  return {
    ...wire,
    host,
    headers: { ...rest, ...(headers.authorization === undefined ? {} : { authorization: headers.authorization }) },
  };
}

async function answered(wire: WireRequest): Promise<TestAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer to ${wire.method} ${wire.target}`)), ANSWERS_WITHIN_MS);
  });
  return Promise.race([sendRequest(world.service, wire), late]).finally(() => clearTimeout(timer));
}

const statuses = new Map<string, Map<number, number>>();
let sent = 0;

/** A segment that leads to another path. */
const DOTS = /\/(\.|%2e){1,2}(?=[/?#]|$)/i;

/** What is wrong with an answer, whatever was asked. */
function problemWith(request: ArbitraryRequest, wire: WireRequest, answer: TestAnswer): string | null {
  const { status, headers, body, text } = answer;
  const where = `${request.operation} (${request.signing}) ${status} ${text.slice(0, 300)}`;
  const { success } = operationOf(request.operation);
  const later = status === 503 && headers['retry-after'] !== undefined;
  if (status >= 500 && !later && status !== success.otherwise?.status) return `failed: ${where}`;
  for (const name of ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    if (headers[name] === undefined) return `no ${name}: ${where}`;
  }
  if (status === 429 && !/^\d+$/.test(headers['retry-after'] ?? '')) return `no Retry-After: ${where}`;
  if (status === 401 && headers['www-authenticate'] === undefined) return `no WWW-Authenticate: ${where}`;
  const [, token] = /^Bearer (\S{20,})$/.exec(wire.headers.authorization ?? '') ?? [];
  if (token !== undefined && text.includes(token)) return `tells the credential: ${where}`;
  // A path that leads elsewhere is not this operation's to describe.
  const strayed =
    status === 405 ||
    (status === 404 && /there is no such resource/.test(text)) ||
    // Whose failures are too many gets 429 there, too.
    (status === 429 && DOTS.test(wire.target));
  const unreadable = status === 400 && refusalIn({ body })?.field === 'path';
  if (strayed || unreadable) return null;
  if (status === 400 && refusalIn({ body })?.field === '') return `names no field: ${where}`;
  return check(operationOf(request.operation), answer);
}

async function ask(request: ArbitraryRequest): Promise<void> {
  const wire = wireOf(request);
  const answer = await answered(wire);
  sent++;
  expect(problemWith(request, wire, answer)).toBeNull();
  const those = statuses.get(request.operation) ?? new Map<number, number>();
  statuses.set(request.operation, those.set(answer.status, (those.get(answer.status) ?? 0) + 1));
}

describe('any request', () => {
  it('gets an answer that is described, with its headers, and never a 5xx', {
    timeout: 60_000 + REQUESTS * 50,
  }, async () => {
    for (let round = 0; sent < REQUESTS; round++) {
      const one = arbitraryRequest(document, await dictionaryOf(world));
      await fc.assert(
        fc.asyncProperty(fc.array(one, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (requests) => {
          await Promise.all(requests.map(ask));
        }),
        { numRuns: Math.ceil(Math.min(ROUND, REQUESTS) / AT_ONCE), seed: SEED + round, endOnFailure: true },
      );
    }
    // They are worth something only where they reach what an operation does, too.
    const missed = world.operations.filter(({ id, success }) => !statuses.get(id)?.has(success.status));
    expect(missed.map(({ id }) => id).length / world.operations.length, missed.map(({ id }) => id).join()).toBeLessThan(
      0.3,
    );
    expect([...statuses.values()].some((those) => those.has(429))).toBe(true);
  });

  it('is in the audit log as it came, which verifies', async () => {
    for (const [caller, log] of [
      [callers.admin, 'account'],
      [callers.platform, 'account'],
      [callers.platform, 'service'],
    ] as const) {
      const { status, text } = await world.askAs(caller, `/api/v1/compliance/audit/export?log=${log}`);
      expect(status).toBe(200);
      const verifier = createExportVerifier([]);
      for (const line of text.split('\n').filter((one) => one !== '')) verifier.take(line);
      const [verified] = verifier.end();
      expect(verified?.size).toBeGreaterThan(50);
      for (const secret of world.secrets())
        expect(text.includes(secret), `${secret.slice(0, 6)}… in the audit log`).toBe(false);
    }
  });

  it('leaves no secret in the log', () => {
    const all = logged.join('');
    expect(all.length).toBeGreaterThan(100_000);
    for (const secret of world.secrets())
      expect(all.includes(secret), `${secret.slice(0, 6)}… is in the log`).toBe(false);
    expect(all).not.toMatch(/ak_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}/);
    expect(all).not.toMatch(/"d":"/);
  });
});
