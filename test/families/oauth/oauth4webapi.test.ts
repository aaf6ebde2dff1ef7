/** An OAuth 2.0 client library that knows nothing of this service, unchanged, over a real port. */
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../../../src/chain/node-finder/free-ports.ts';
import { signedFetch } from '../../../src/client/signed-fetch.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';

const insecure = { [oauth.allowInsecureRequests]: true };
let it_: TestApp;
let origin: string;
let server: oauth.AuthorizationServer;

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  it_ = await startTestApp({ env: { PORT: String(port) }, blocks: 1 });
  origin = await it_.listen();
  const issuer = new URL(origin);
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  server = await oauth.processDiscoveryResponse(issuer, response);
});
afterAll(() => it_.close());

async function makeClient(given: Json = {}): Promise<{ client: oauth.Client; secret: string }> {
  const scopes = ['wallets:write', 'transactions:read'];
  const made = await it_.post('/api/v1/oauth-clients', { name: 'library', scopes, ...given });
  expect(made.status).toBe(201);
  return { client: { client_id: made.body.client_id }, secret: made.body.client_secret };
}

async function tokenOf(client: oauth.Client, authentication: oauth.ClientAuth, scope?: string) {
  const parameters = new URLSearchParams(scope === undefined ? {} : { scope });
  const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, parameters, insecure);
  return oauth.processClientCredentialsResponse(server, client, response);
}

const wallets = (token: string) => fetch(`${origin}/api/v1/wallets`, { headers: { authorization: `Bearer ${token}` } });

describe('oauth4webapi', () => {
  it('finds the endpoints', () => {
    expect(server).toMatchObject({
      issuer: origin,
      token_endpoint: `${origin}/oauth/token`,
      revocation_endpoint: `${origin}/oauth/revoke`,
      jwks_uri: `${origin}/.well-known/jwks.json`,
    });
    expect(server.scopes_supported).toContain('wallets:read');
  });

  it.each([
    ['Basic', oauth.ClientSecretBasic],
    ['the form', oauth.ClientSecretPost],
  ])('gets a token with its secret in %s, and the token opens a list', async (_, authenticate) => {
    const { client, secret } = await makeClient();
    const granted = await tokenOf(client, authenticate(secret));
    expect(granted).toMatchObject({ token_type: 'bearer', expires_in: 900, scope: 'wallets:write transactions:read' });
    expect((await wallets(granted.access_token)).status).toBe(200);
  });

  it('gets a narrower token, which does no more than it says', async () => {
    const { client, secret } = await makeClient();
    const granted = await tokenOf(client, oauth.ClientSecretPost(secret), 'transactions:read');
    expect(granted.scope).toBe('transactions:read');
    expect((await wallets(granted.access_token)).status).toBe(403);
    const all = await fetch(`${origin}/api/v1/transactions`, {
      headers: { authorization: `Bearer ${granted.access_token}` },
    });
    expect(all.status).toBe(200);
  });

  it('validates the token as a resource server would, by the published keys', async () => {
    const { client, secret } = await makeClient();
    const { access_token: token } = await tokenOf(client, oauth.ClientSecretPost(secret));
    const request = new Request(`${origin}/api/v1/wallets`, { headers: { authorization: `Bearer ${token}` } });
    const claims = await oauth.validateJwtAccessToken(server, request, origin, {
      ...insecure,
      signingAlgorithms: ['EdDSA'],
    } as never);
    expect(claims).toMatchObject({ sub: client.client_id, client_id: client.client_id, account: it_.accountId });
  });

  it('revokes a token', async () => {
    const { client, secret } = await makeClient();
    const { access_token: token } = await tokenOf(client, oauth.ClientSecretPost(secret));
    expect((await wallets(token)).status).toBe(200);
    const response = await oauth.revocationRequest(server, client, oauth.ClientSecretBasic(secret), token, insecure);
    await oauth.processRevocationResponse(response);
    const refused = await wallets(token);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('hears of a wrong secret as RFC 6749 says it', async () => {
    const { client } = await makeClient();
    const refused = await tokenOf(client, oauth.ClientSecretPost(`cs_${'0'.repeat(43)}`)).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
    const { status, cause, response } = refused as oauth.WWWAuthenticateChallengeError;
    expect(status).toBe(401);
    expect(cause).toMatchObject([{ scheme: 'basic' }]);
    expect(await response.json()).toMatchObject({ error: 'invalid_client' });
  });
});

describe('writes of an OAuth client', () => {
  it('are signed by the key enrolled for it; unsigned they are refused', async () => {
    const { publicJwk, privateJwk } = it_.app.services.signingKeys.newPair();
    const { client, secret } = await makeClient({ public_key: publicJwk });
    const { access_token: accessToken } = await tokenOf(client, oauth.ClientSecretBasic(secret));
    const body = JSON.stringify({ name: 'of a client', type: 'segwit', backup_type: 'none' });
    const signed = await signedFetch({ origin, accessToken, privateJwk })('/api/v1/wallets', { method: 'POST', body });
    expect(signed.status).toBe(201);
    const unsigned = await fetch(`${origin}/api/v1/wallets`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    });
    expect(unsigned.status).toBe(401);
  });

  it('of one without an enrolled key are refused with the reason, whoever signs', async () => {
    const { privateJwk } = it_.app.services.signingKeys.newPair();
    const { client, secret } = await makeClient();
    const { access_token: accessToken } = await tokenOf(client, oauth.ClientSecretBasic(secret));
    const body = JSON.stringify({ name: 'of nobody', type: 'segwit', backup_type: 'none' });
    const refused = await signedFetch({ origin, accessToken, privateJwk })('/api/v1/wallets', { method: 'POST', body });
    expect(refused.status).toBe(401);
    const { error } = (await refused.json()) as Json;
    expect(error.message).toMatch(/no signing key is enrolled for this OAuth client/);
    const enrolled = it_.app.services.signingKeys.newPair();
    const owner = { accountId: it_.accountId, kind: 'oauth_client', id: client.client_id } as const;
    await it_.app.store.write((tx) =>
      it_.app.services.signingKeys.enrol(tx, owner, { name: 'late', publicJwk: enrolled.publicJwk }),
    );
    const late = signedFetch({ origin, accessToken, privateJwk: enrolled.privateJwk });
    expect((await late('/api/v1/wallets', { method: 'POST', body })).status).toBe(201);
    expect((await wallets(accessToken)).status).toBe(200);
  });
});

describe('the WebSocket', () => {
  it('takes an access token', async () => {
    const { client, secret } = await makeClient();
    const { access_token: token } = await tokenOf(client, oauth.ClientSecretBasic(secret));
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/v1/ws`);
    await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
    const answer = new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => resolve(JSON.parse(String(data))), { once: true });
    });
    socket.send(JSON.stringify({ type: 'auth', access_token: token }));
    expect(await answer).toEqual({ type: 'authenticated' });
    socket.close();
  });
});
