/**
 * Where policy_change is set, every operation that changes who may decide is answered 202 and changes nothing until it is approved. Which these
 * are follows from the declarations; whose example gives nobody a voice is given one here.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/ids.ts';
import type { Json } from '../builders/app.ts';
import { databaseState } from '../builders/database-state.ts';
import { createAnswerCheck } from '../builders/described-answers.ts';
import { aPassedProposal } from '../builders/governance-recipes.ts';
import type { TestCaller } from '../builders/operation-calls.ts';
import { RECIPES, type Recipe } from '../builders/operation-recipes.ts';
import { openOperationWorld } from '../builders/operation-world.ts';
import { RIGHTS_TABLES } from '../builders/rights-operations.ts';

const world = await openOperationWorld();
const database = databaseState(world.service.dataDir);
afterAll(async () => {
  database.close();
  await world.close();
});
const { accountId, admin } = world.callers;
const check = createAnswerCheck((await world.service.get('/openapi.json', { apiKey: null })).body);
const { caller: approver } = await world.callers.person();

const VOICE = { role: 'operator', scopes: ['transactions:write'] };
const made = async (path: string, body: Json): Promise<Json> => world.make('POST', path, body);
const named = (body: Json): Json => ({ name: `made ${randomUUID()}`, ...body });
/** Of which a rule that wants approvals says where it may go. */
const ruled: Recipe = async (of) => {
  const given = (await RECIPES['address-book-entry.delete']!(of)) as Json;
  const destinations = { address_book: [given.params.address_book_id] };
  const then = { action: 'approve', required: 1, from: { roles: ['operator'] } };
  await made('/api/v1/enterprise/policies', named({ when: { destinations }, then }));
  return given;
};

const VOICES: Readonly<Record<string, Recipe>> = {
  'dao.execute': async () => ({
    params: { proposal_id: await aPassedProposal(world, 'parameter_change', { quorum_percent: 21 }) },
  }),
  'api-key.create': async () => ({ body: named(VOICE) }),
  'api-key.rotate': async () => ({
    params: { api_key_id: (await made('/api/v1/api-keys', named(VOICE))).api_key_id },
    body: {},
  }),
  'oauth-client.create': async () => ({ body: named(VOICE) }),
  'oauth-client.rotate': async () => ({
    params: { client_id: (await made('/api/v1/oauth-clients', named(VOICE))).client_id },
    body: {},
  }),
  'user.create': async () => ({
    body: { username: `u${randomUUID()}`, password: `words of ${randomUUID()}`, ...VOICE },
  }),
  'user-resource.create': async () => ({
    body: { name: 'A voice', email: `${randomUUID()}@example.com`, ...VOICE },
  }),
  'address-book-entry.delete': ruled,
  'enterprise-config.replace': async () => ({ body: { address_book_delay_hours: 24 } }),
};

/** Past the approvals that it would itself wait for. */
const setPolicyChange = (required: number | null) =>
  world.service.app.store.write(async (tx) => {
    await tx.enterpriseConfig.lockOrMake(accountId, world.now());
    const policyChange =
      required === null ? null : { required, from: { roles: ['admin' as const] }, expiresInHours: 24 };
    await tx.enterpriseConfig.update(accountId, { policyChange });
  });

const DECIDING = new RegExp(
  `${RIGHTS_TABLES.source}|^(policies|policy_groups|enterprise_config|address_book|governance_)`,
);

const changing = world.operations.filter(({ changesRules }) => changesRules);

it('says of every write of family C, and of people, whether it changes rules', () => {
  const writes = world.operations.filter(
    ({ family, effect, access }) => /[cd]/.test(family) && effect === 'write' && access !== 'public',
  );
  expect(writes.filter(({ changesRules }) => changesRules === undefined).map(({ id }) => id)).toEqual([]);
  expect(changing.map(({ id }) => id).sort()).toMatchInlineSnapshot(`
    [
      "address-book-entry.create",
      "address-book-entry.delete",
      "address-book-entry.import",
      "address-book-entry.update",
      "api-key.create",
      "api-key.rotate",
      "dao-treasury.replace",
      "dao.execute",
      "enterprise-config.replace",
      "group.create",
      "group.delete",
      "group.update",
      "oauth-client.create",
      "oauth-client.rotate",
      "policy.create",
      "policy.delete",
      "policy.update",
      "screened-deposit.release",
      "screening-list.create",
      "screening-list.delete",
      "screening-list.replace",
      "signing-key.create",
      "token.burn",
      "token.mint",
      "user-password.reset",
      "user-resource.create",
      "user-resource.update",
      "user-totp.remove",
      "user.create",
      "user.update",
    ]
  `);
});

describe.each(changing.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  const vote = async (approval: Json, decision: string, by: TestCaller) =>
    world.make(
      'POST',
      `/api/v1/enterprise/approvals/${approval.approval_id}/${decision}`,
      { digest: approval.digest },
      { by },
    );

  it('waits, changes nothing until it is approved, and is done then', async () => {
    await setPolicyChange(null);
    const built = world.built(operation, (await VOICES[id]?.(world)) ?? (await world.given(operation)));
    const by = built.caller ?? admin;
    await setPolicyChange(1);
    await world.quiet();
    const before = database.contents(DECIDING);
    const headers = { 'idempotency-key': newId('apr', randomBytes) };
    const answer = await world.send(built, by, { headers });
    expect(answer.status, answer.text).toBe(202);
    expect(check(operation, answer)).toBeNull();
    const { text, approval_id } = answer.body;
    expect(JSON.parse(text)).toMatchObject({ operation: id, signs: { kind: 'rules_change' } });
    expect(database.contents(DECIDING)).toEqual(before);
    expect((await world.send(built, by, { headers })).body).toEqual(answer.body);

    await vote(answer.body, 'approve', approver);
    const ended = async () => {
      const { status, reason, done_at } = await world.make('GET', `/api/v1/enterprise/approvals/${approval_id}`);
      return done_at === null && status === 'approved' ? null : (reason ?? 'done');
    };
    await expect.poll(ended, { timeout: 90_000 }).not.toBeNull();
    expect(await ended()).toBe('done');
    expect(database.contents(DECIDING)).not.toEqual(before);
    await built.after();
  });
});
