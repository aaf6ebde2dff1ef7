/**
 * Who may make, change and end whom: credentials of all rights against subjects of all rights, now and formerly, by every operation
 * that changes one. What is expected is told from the acts that rights let, one by one, and not from the rules of the service.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Rights } from '../../src/core/access.ts';
import { makeProof } from '../../src/core/request-signatures/proof-of-possession.ts';
import type { AnyOperation } from '../../src/hooks/operation.ts';
import { type Json, startTestApp, type TestAnswer, type TestApp } from '../builders/app.ts';
import { refusalIn } from '../builders/refusal-in.ts';
import { changesRights, RIGHTS_OPERATIONS } from '../builders/rights-operations.ts';
import {
  acts,
  BASE,
  has,
  type RightsWorld,
  ranks,
  rightsWorld,
  type Subject,
  WRITES,
} from '../builders/rights-world.ts';

let service: TestApp;
let world: RightsWorld;
interface Actor {
  readonly rights: Rights;
  readonly apiKey: string;
}
const actors: Actor[] = [];

const NARROW = WRITES;
const bounded = () => ({ expiresAt: world.soon, allowedIps: world.here });

beforeAll(async () => {
  service = await startTestApp();
  world = rightsWorld(service);
  const both = <T>(one: T, other: T) => [one, other];
  const all: Rights[] = [];
  for (const scopes of both(['*'], NARROW))
    for (const tier of both('free' as const, 'custom' as const))
      for (const expiresAt of both(null, world.soon))
        for (const allowedIps of both(null, world.here))
          for (const mayGrant of both(false, true))
            all.push({ ...BASE, scopes, tier, expiresAt, allowedIps, mayGrant });
  all.push({ ...BASE, role: 'operator', tier: 'custom' }, { ...BASE, role: 'viewer', tier: 'custom' });
  for (const rights of all) actors.push({ rights, apiKey: await service.key(rights) });
}, 120_000);
afterAll(() => service.close());

/** What subjects have, and what people had. */
const subjects = (): Record<string, [now: Rights, formerly?: Rights]> => ({
  'little, bounded': [{ ...BASE, ...bounded(), role: 'viewer', scopes: ['users:write'] }],
  little: [{ ...BASE, role: 'viewer', scopes: ['users:write'] }],
  'a scope that few have': [{ ...BASE, role: 'viewer', scopes: ['wallets:write'] }],
  'little, at a high pace': [{ ...BASE, role: 'viewer', scopes: ['users:write'], tier: 'custom' }],
  'all, bounded': [{ ...BASE, ...bounded() }],
  all: [BASE],
  'all, and grants': [{ ...BASE, mayGrant: true }],
  'little, all before': [{ ...BASE, role: 'viewer', scopes: ['users:write'] }, BASE],
});

const refused = (answer: TestAnswer) => answer.status === 403 && refusalIn(answer)?.slug === 'forbidden';
const reach = ({ rights }: Actor) => acts(rights.mayGrant ? { ...BASE, tier: 'custom', mayGrant: true } : rights);
const shown = (rights: Rights) =>
  [
    rights.role,
    rights.scopes.includes('*') ? '*' : 'narrow',
    rights.tier,
    rights.expiresAt && 'ends',
    rights.allowedIps && 'here',
    rights.mayGrant && 'grants',
  ]
    .filter(Boolean)
    .join(' ');

const asked = ({ role, scopes, tier, expiresAt, allowedIps, mayGrant }: Rights): Json => ({
  role,
  scopes,
  tier,
  ...(expiresAt === null ? {} : { expires_at: new Date(expiresAt).toISOString() }),
  ...(allowedIps === null ? {} : { allowed_ips: allowedIps }),
  ...(mayGrant ? { may_grant: true } : {}),
});

/** What is not said of end and addresses is the maker's. */
const within = ({ rights: { expiresAt, allowedIps, mayGrant } }: Actor, asked: Rights): Rights =>
  mayGrant ? asked : { ...asked, expiresAt: asked.expiresAt ?? expiresAt, allowedIps: asked.allowedIps ?? allowedIps };

let named = 0;
/** What an operation is sent about a subject; of what it makes, the rights. */
function bodyOf({ id }: AnyOperation, subject: Subject, now: Rights): Json | undefined {
  if (id === 'user.update') return { username: subject.username, ...asked(now), name: 'Renamed' };
  if (id === 'user-resource.update')
    return { username: subject.username, email: `s${++named}@example.com`, role: now.role, scopes: now.scopes };
  if (id.endsWith('.rotate')) return { overlap_seconds: 60 };
  if (id === 'ai-budget.replace') return { tokens_per_day: 1_000 };
  if (id !== 'signing-key.create') return undefined;
  const { publicJwk, privateJwk } = service.app.services.signingKeys.newPair();
  const who = { accountId: service.accountId, credentialId: subject.id };
  const proof = makeProof(privateJwk, who, Math.floor(Date.now() / 1000));
  return { public_key: publicJwk, credential: { kind: subject.kind, id: subject.id }, proof };
}

const tokens = new Map<Actor, string>();
/** Of a person with the same rights. */
async function tokenOf(actor: Actor): Promise<string> {
  const known = tokens.get(actor);
  if (known !== undefined) return known;
  const { rights } = actor;
  const { publicJwk, privateJwk } = service.app.services.signingKeys.newPair();
  const [username, password] = [`actor-${++named}`, 'correct horse battery staple'];
  const person = { ...asked(rights), username, password, public_key: publicJwk };
  const made = await service.post('/api/v1/users', person);
  expect(made.status, made.text).toBe(201);
  const login = { username, password };
  const { access_token } = (await service.post('/api/v1/auth/login', login, { apiKey: null, sign: privateJwk })).body;
  service.remember(access_token, privateJwk);
  tokens.set(actor, access_token);
  return access_token;
}

const send = async (operation: AnyOperation, actor: Actor, body: Json | undefined, subject?: Subject) => {
  const apiKey = operation.family === 'd' ? await tokenOf(actor) : actor.apiKey;
  const { id = '', signingKeyId = '', sessionId = '' } = subject ?? {};
  const values: Record<string, string> = { key_id: signingKeyId, session_id: sessionId };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? id);
  return service.call(operation.method, path, body, { apiKey });
};

const operationOf = (id: string) => service.app.operations.find((one) => one.id === id) as AnyOperation;

it('knows every operation that changes a credential or a person', () => {
  const found = service.app.operations.filter(changesRights).map(({ id }) => id);
  expect(found.sort()).toEqual(Object.keys(RIGHTS_OPERATIONS).sort());
});

const touching = Object.entries(RIGHTS_OPERATIONS).flatMap(([id, { does, kinds }]) =>
  does === 'makes' || does === 'freezes' ? [] : kinds.map((kind) => [id, kind, does] as const),
);
describe.each(touching)('%s of %s', (id, kind, does) => {
  it('needs all that it has, and had', { timeout: 300_000 }, async () => {
    const operation = operationOf(id);
    const wrong: string[] = [];
    for (const [name, [now, formerly]] of Object.entries(subjects())) {
      if (formerly !== undefined && kind !== 'person') continue;
      let subject = await world.make(kind, now, formerly);
      for (const actor of actors) {
        const had = formerly ?? now;
        const mayEnd = has(ranks(actor.rights), ranks(had));
        const may = actor.rights.role === 'admin' && mayEnd && (does === 'ends' || has(reach(actor), acts(had)));
        const answer = await send(operation, actor, bodyOf(operation, subject, now), subject);
        const right = may ? answer.status === operation.success.status : refused(answer);
        if (!right) wrong.push(`${shown(actor.rights)} on ${name}: ${answer.status} ${answer.text.slice(0, 120)}`);
        if (answer.status < 300) subject = await world.make(kind, now, formerly);
      }
    }
    expect(wrong).toEqual([]);
  });
});

/** What a record on the wire has. */
const rightsOfAnswer = (record: Json): Rights => ({
  ...BASE,
  ...{ role: record.role, scopes: record.scopes, tier: record.tier, mayGrant: record.may_grant },
  expiresAt: record.expires_at === null ? null : Date.parse(record.expires_at),
  allowedIps: record.allowed_ips,
});

describe.each(['api-key.create', 'oauth-client.create', 'user.create', 'user-resource.create'])('%s', (id) => {
  it('gives no more than its maker has, and as much where nothing is said', { timeout: 300_000 }, async () => {
    const operation = operationOf(id);
    const wrong: string[] = [];
    const resource = id === 'user-resource.create';
    const wanted = Object.entries(subjects()).filter(([, [, formerly]]) => formerly === undefined);
    const bodies = [
      ...wanted.map(([name, [rights]]) => [name, rights, asked(rights)] as const),
      ['nothing said', null, { scopes: ['users:write'] }] as const,
    ];
    for (const actor of actors) {
      for (const [name, rights, body] of bodies) {
        // Its form takes neither tier nor what bounds: that is as where nothing is said.
        const given =
          resource && rights ? { ...actor.rights, role: rights.role, scopes: rights.scopes, mayGrant: false } : rights;
        const may = actor.rights.role === 'admin' && (given === null || has(reach(actor), acts(within(actor, given))));
        const called = id.startsWith('user') ? { username: `made-${++named}` } : { name };
        const sent = resource
          ? { email: `${called.username}@example.com`, role: rights?.role, scopes: body.scopes }
          : body;
        const answer = await send(operation, actor, { ...called, ...sent });
        const right = may ? answer.status === 201 : refused(answer);
        const beyond = answer.status === 201 && !has(reach(actor), acts(rightsOfAnswer(answer.body)));
        if (!right || beyond)
          wrong.push(`${shown(actor.rights)} gives ${name}: ${answer.status} ${answer.text.slice(0, 120)}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

it('an account begins with a key that goes in nothing beyond its maker', { timeout: 120_000 }, async () => {
  const wrong: string[] = [];
  for (const actor of actors) {
    for (const tier of ['free', 'custom'] as const) {
      const { rights } = actor;
      const may = rights.role === 'admin' && has(reach(actor), acts({ ...rights, scopes: ['*'], tier }));
      const answer = await send(operationOf('account.create'), actor, { name: `account ${++named}`, tier });
      const key = may && (await service.app.store.read.apiKeys.find(answer.body.account_id, answer.body.api_key_id));
      const right = may ? key && has(reach(actor), acts(key)) && key.mayGrant === rights.mayGrant : refused(answer);
      if (!right) wrong.push(`${shown(rights)} at ${tier}: ${answer.status} ${answer.text.slice(0, 120)}`);
    }
  }
  expect(wrong).toEqual([]);
});

it('left out no actor', () => {
  expect(actors).toHaveLength(34);
});
