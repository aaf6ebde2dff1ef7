/**
 * Every modifying operation: a request whose signature is missing, wrong, old, used or another's is refused before it has an effect, and
 * the identical request sent again is answered as it was, also without one.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { type AnyOperation, FAMILY_CREDENTIALS } from '../../src/hooks/operation.ts';
import type { TestAnswer } from '../builders/app.ts';
import { databaseState } from '../builders/database-state.ts';
import { createAnswerCheck } from '../builders/described-answers.ts';
import {
  type BuiltRequest,
  mustSign,
  ORIGIN,
  type Signing,
  sendRequest,
  type TestCaller,
  type WireRequest,
  wireRequest,
} from '../builders/operation-calls.ts';
import { openOperationWorld } from '../builders/operation-world.ts';

const world = await openOperationWorld();
const database = databaseState(world.service.dataDir);
afterAll(async () => {
  database.close();
  await world.close();
});
const { callers } = world;
const check = createAnswerCheck((await world.service.get('/openapi.json', { apiKey: null })).body);
const operations = world.operations.filter(mustSign);

const whoMay = ({ operation: { access }, caller }: BuiltRequest): TestCaller =>
  caller ?? (access !== 'public' && access.platform ? callers.platform : callers.admin);
const seconds = () => Math.floor(world.now() / 1000);

/** The request as it is, with a signature made for another one. */
function withSignatureOf(built: BuiltRequest, caller: TestCaller, other: Partial<BuiltRequest>): WireRequest {
  const { headers } = wireRequest({ ...built, ...other }, caller, world.now());
  return { ...wireRequest(built, caller, world.now(), { sign: false }), headers };
}

/** A body that differs, and is as well-formed as the first. */
function changed(body: Buffer | null): Buffer {
  return body === null ? Buffer.from('{}') : Buffer.concat([body, Buffer.from(' ')]);
}
const withType = (headers: Readonly<Record<string, string>>) => ({ 'content-type': 'application/json', ...headers });

const twice = (request: WireRequest): WireRequest => {
  const { signature = '', 'signature-input': input = '' } = request.headers;
  const second = (text: string) => text.replace(/^sig=/, 'second=');
  return {
    ...request,
    headers: {
      ...request.headers,
      signature: `${signature}, ${second(signature)}`,
      'signature-input': `${input}, ${second(input)}`,
    },
  };
};

type Slug = 'signature_missing' | 'signature_invalid';
type Wrong = (built: BuiltRequest, caller: TestCaller) => WireRequest;
const signedBy =
  (signing: () => Signing): Wrong =>
  (built, caller) =>
    wireRequest(built, caller, world.now(), { sign: signing() });
const by = (other: TestCaller): Wrong => signedBy(() => (other.signer === null ? {} : { signer: other.signer }));

const WRONG: readonly [string, Slug, Wrong][] = [
  ['no signature', 'signature_missing', (built, caller) => wireRequest(built, caller, world.now(), { sign: false })],
  [
    'a body changed after signing',
    'signature_invalid',
    (built, caller) => {
      const signed = wireRequest(built, caller, world.now());
      return { ...signed, body: changed(built.body), headers: withType(signed.headers) };
    },
  ],
  [
    'a body and its digest changed after signing',
    'signature_invalid',
    (built, caller) => {
      const other = { ...built, body: changed(built.body), headers: withType(built.headers) };
      const signed = wireRequest(built, caller, world.now());
      const { 'content-digest': digest = '' } = wireRequest(other, caller, world.now()).headers;
      return { ...signed, body: other.body, headers: withType({ ...signed.headers, 'content-digest': digest }) };
    },
  ],
  [
    'the signature of another path',
    'signature_invalid',
    (built, caller) => withSignatureOf(built, caller, { target: built.target.replace(/[^/?]+(?=\?|$)/, 'other') }),
  ],
  [
    'the signature of another query',
    'signature_invalid',
    (built, caller) =>
      withSignatureOf(built, caller, { target: `${built.target}${built.target.includes('?') ? '&' : '?'}a=1` }),
  ],
  [
    'the signature of another method',
    'signature_invalid',
    (built, caller) => withSignatureOf(built, caller, { method: built.method === 'POST' ? 'PUT' : 'POST' }),
  ],
  [
    'another host',
    'signature_invalid',
    (built, caller) => ({ ...wireRequest(built, caller, world.now()), host: 'elsewhere.test' }),
  ],
  [
    'a signature for another host',
    'signature_invalid',
    (built, caller) => wireRequest(built, caller, world.now(), { sign: { origin: 'http://elsewhere.test' } }),
  ],
  ['a stale signature', 'signature_invalid', signedBy(() => ({ created: seconds() - 302 }))],
  ['a signature from the future', 'signature_invalid', signedBy(() => ({ created: seconds() + 45 }))],
  ['two signatures', 'signature_invalid', (built, caller) => twice(wireRequest(built, caller, world.now()))],
  ['a revoked key', 'signature_invalid', by(callers.revokedSigner)],
  ["another credential's key", 'signature_invalid', by(callers.sibling)],
  ["another account's key", 'signature_invalid', by(callers.byForm.api_key.otherAccount)],
  ["an OAuth client's key for an API key", 'signature_invalid', by(callers.byForm.oauth_token.valid)],
  ["a person's key for an API key", 'signature_invalid', by(callers.byForm.user_token.valid)],
];

/** Callers of other forms, signing by keys that are not theirs. */
const OTHERS: readonly [string, TestCaller, TestCaller][] = [
  ["an API key's key for an OAuth client", callers.byForm.oauth_token.valid, callers.admin],
  ["an API key's key for a person", callers.byForm.user_token.valid, callers.admin],
  ["another person's key", callers.byForm.user_token.valid, callers.unbound],
  ['a token that is bound to no key', callers.unbound, callers.unbound],
];

/** All that an operation must refuse. */
function wrongFor({ access, credentials, family }: AnyOperation): (typeof WRONG)[number][] {
  if (access === 'public' || access.platform) return [...WRONG];
  const forms = credentials ?? FAMILY_CREDENTIALS[family];
  const wrong = WRONG.filter(([what]) => forms.includes('api_key') || !what.endsWith(' for an API key'));
  const taken = OTHERS.filter(([, { form }]) => forms.includes(form));
  const others = taken.map(([what, caller, { signer }]): (typeof WRONG)[number] => [
    what,
    'signature_invalid',
    (built) => wireRequest(built, { ...caller, signer }, world.now()),
  ]);
  return [...wrong, ...others];
}

const refusals = new Map<string, number>();
let resent = 0;

function assertRefused(operation: AnyOperation, answer: TestAnswer, slug: string, what: string): void {
  const where = `${operation.id} with ${what}: ${answer.text.slice(0, 400)}`;
  expect([answer.status, answer.body?.error?.details.code], where).toEqual([401, slug]);
  expect(answer.headers['accept-signature'], where).toMatch(/^sig=\(.*"@method".*\);created.*;tag="ashlar"$/);
  expect(answer.headers['www-authenticate'], where).toBeTruthy();
  expect(check(operation, answer), where).toBeNull();
}

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  it('refuses what is not signed as it came, and does nothing', async () => {
    const built = await world.fresh(operation);
    const caller = whoMay(built);
    await world.quiet();
    const before = database.contents();
    for (const [what, slug, make] of wrongFor(operation)) {
      const recorded = database.recorded(id, slug);
      assertRefused(operation, await sendRequest(world.service, make(built, caller)), slug, what);
      expect(database.recorded(id, slug) - recorded, `${id} with ${what}: audit records`).toBe(1);
      refusals.set(id, (refusals.get(id) ?? 0) + 1);
    }
    expect(database.contents()).toEqual(before);
    await built.after();
  });

  it('answers the identical request as it did, and refuses another under its nonce', async () => {
    const built = await world.fresh(operation);
    const caller = whoMay(built);
    const nonce = randomUUID();
    const signed = wireRequest(built, caller, world.now(), { sign: { nonce } });
    const first = await sendRequest(world.service, signed);
    expect(first.status, `${id}: ${first.text}`).toBe(operation.success.status);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    await built.after();
    await world.quiet();

    const before = database.contents();
    const again = await sendRequest(world.service, signed);
    expect([again.status, again.headers['idempotency-replayed']], `${id}: ${again.text}`).toEqual([
      first.status,
      'true',
    ]);
    expect(again.text).toBe(first.text);
    const other = { ...built, body: changed(built.body), headers: withType(built.headers) };
    const reused = wireRequest(other, caller, world.now(), { sign: { nonce } });
    assertRefused(operation, await sendRequest(world.service, reused), 'nonce_reused', 'a used nonce');
    const keyed = wireRequest(other, caller, world.now(), {
      sign: { nonce },
      headers: { 'idempotency-key': randomUUID() },
    });
    assertRefused(operation, await sendRequest(world.service, keyed), 'nonce_reused', 'a used nonce and a new key');
    expect(database.contents()).toEqual(before);
    resent++;
  });
});

const dry = operations.filter(({ dryRun }) => dryRun);

describe.each(dry.map((operation) => [operation.id, operation] as const))('a dry run of %s', (_, operation) => {
  it('needs no signature, keeps no answer and changes nothing', async () => {
    const built = await world.fresh(operation);
    const target = `${built.target}${built.target.includes('?') ? '&' : '?'}dry_run=true`;
    await world.quiet();
    const before = [database.contents(), database.recorded(operation.id, 'done')];
    const key = { 'idempotency-key': randomUUID() };
    for (let i = 0; i < 2; i++) {
      const request = wireRequest({ ...built, target }, whoMay(built), world.now(), { sign: false, headers: key });
      const answer = await sendRequest(world.service, request);
      const { status, otherwise } = operation.success;
      expect(answer.status, answer.text).toBe(otherwise?.status ?? status);
      expect(answer.headers['idempotency-replayed']).toBeUndefined();
    }
    expect([database.contents(), database.recorded(operation.id, 'done')]).toEqual(before);
  });
});

describe('signed operations', () => {
  it('were all asked everything', () => {
    expect(operations.length).toBeGreaterThan(15);
    expect(dry.length).toBeGreaterThan(0);
    const missed = operations.filter((operation) => refusals.get(operation.id) !== wrongFor(operation).length);
    expect(missed.map(({ id }) => id)).toEqual([]);
    expect(operations.filter((operation) => wrongFor(operation).length > WRONG.length).length).toBeGreaterThan(15);
    expect(resent).toBe(operations.length);
    expect(new URL(ORIGIN).host).not.toBe('elsewhere.test');
  });
});
