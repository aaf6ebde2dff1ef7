/** Access tokens for what takes no API key: of people and OAuth clients, with a key that signs. */
import type { CallOptions } from '../../builders/app.ts';
import { PASSWORD, type UsersApp } from '../c-platform/users-app.ts';

let made = 0;

/** A person's, made by an administrator's key. */
export async function personToken(
  app: UsersApp,
  rights: Record<string, unknown> = {},
  by: CallOptions = {},
): Promise<{ token: string; userId: string; username: string }> {
  const { publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
  const username = `by-token-${++made}`;
  const body = { username, password: PASSWORD, role: 'admin', scopes: ['*'], public_key: publicJwk, ...rights };
  const answer = await app.post('/api/v1/users', body, by);
  if (answer.status !== 201) throw new Error(answer.text);
  const { access_token: token } = (await app.login({ username, password: PASSWORD }, { sign: privateJwk })).body;
  app.remember(token, privateJwk);
  return { token, userId: answer.body.user_id, username };
}

/** An OAuth client's. */
export async function clientToken(app: UsersApp, rights: Record<string, unknown> = {}): Promise<string> {
  const { publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
  const body = { name: 'client', role: 'admin', scopes: ['*'], public_key: publicJwk, ...rights };
  const { client_id, client_secret } = (await app.post('/api/v1/oauth-clients', body)).body;
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { access_token: token } = (await app.post('/oauth/token', form, { apiKey: null, headers })).body;
  app.remember(token, privateJwk);
  return token;
}
