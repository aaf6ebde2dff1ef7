/** Whose voice a credential is: the person's who made it, through whatever it was made. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../builders/app.ts';
import { PASSWORD, startUsersApp, type UsersApp } from './users-app.ts';

let app: UsersApp;
let person: Json;
let token: string;
beforeAll(async () => {
  app = await startUsersApp();
  const { publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
  person = await app.person({ role: 'admin', scopes: ['*'], public_key: publicJwk });
  const { body } = await app.login({ username: person.username, password: PASSWORD }, { sign: privateJwk });
  token = body.access_token;
  app.remember(token, privateJwk);
});
afterAll(() => app.close());

async function make(noun: string, apiKey: string, given: Json = {}): Promise<Json> {
  const body = { name: 'made', role: 'admin', scopes: ['*'], ...given };
  const answer = await app.post(`/api/v1/${noun}`, body, { apiKey });
  expect(answer.status, answer.text).toBe(201);
  if (answer.body.private_key !== undefined) app.remember(answer.body.api_key, answer.body.private_key);
  return answer.body;
}
const caller = (apiKey: string) => app.app.services.apiKeys.verify(apiKey, '127.0.0.1');

it("of a person's key, and of what that key makes, it is the person's", async () => {
  const key = await make('api-keys', token);
  const next = await make('api-keys', key.api_key);
  const client = await make('oauth-clients', next.api_key);
  for (const { counts_as } of [key, next, client]) expect(counts_as).toBe(person.user_id);
  expect((await caller(next.api_key)).credential.countsAs).toBe(person.user_id);
  expect((await app.get(`/api/v1/api-keys/${next.api_key_id}`)).body.counts_as).toBe(person.user_id);
  expect((await app.get(`/api/v1/oauth-clients/${client.client_id}`)).body.counts_as).toBe(person.user_id);
});

it('of the first key and of what it makes, it is nobody else’s', async () => {
  expect((await make('api-keys', app.adminKey)).counts_as).toBeNull();
  expect((await make('oauth-clients', app.adminKey)).counts_as).toBeNull();
  expect((await caller(app.adminKey)).credential.countsAs).toBeNull();
});

it('is, after a rotation, that of who was given the secret; a key that rotates itself keeps its own', async () => {
  const rotate = (key: Json, apiKey: string) => app.post(`/api/v1/api-keys/${key.api_key_id}/rotate`, {}, { apiKey });
  const theirs = await make('api-keys', token);
  expect((await rotate(theirs, token)).body.counts_as).toBe(person.user_id);
  const others = await make('api-keys', token);
  const admin = (await caller(app.adminKey)).credential.id;
  expect((await rotate(others, app.adminKey)).body.counts_as).toBe(admin);
  const nobodys = await make('api-keys', app.adminKey);
  const next = (await rotate(nobodys, nobodys.api_key)).body;
  expect(next.counts_as).toBe(nobodys.api_key_id);
  app.remember(next.api_key, next.private_key);
  expect((await rotate(next, next.api_key)).body.counts_as).toBe(nobodys.api_key_id);
  const client = await make('oauth-clients', app.adminKey);
  const path = `/api/v1/oauth-clients/${client.client_id}/rotate`;
  expect((await app.post(path, {}, { apiKey: token })).status).toBe(201);
  const { counts_as } = (await app.get(`/api/v1/oauth-clients/${client.client_id}`)).body;
  expect(counts_as).toBe(person.user_id);
});
