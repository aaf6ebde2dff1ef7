/** A real OpenID provider on loopback (npm oidc-provider) whose people need no typing, and a browser that goes through it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import Provider from 'oidc-provider';

export const CLIENT = { id: 'ashlar', secret: 'a-client-secret-of-the-sign-on-tests' };

interface Person {
  email: string;
  verified: boolean;
}

export interface OpenIdProvider {
  readonly issuer: string;
  /** Whoever signs in next. */
  signsIn(subject: string, person: Person): void;
  /** What the token endpoint answers instead of the provider's own id_token; null: that. */
  forge(make: ((claims: Record<string, unknown>) => Promise<string>) | null): void;
  /** Signs as the provider does. */
  sign(claims: Record<string, unknown>, header?: Record<string, string>): Promise<string>;
  stop(): Promise<void>;
}

export async function startOpenIdProvider(redirectUri: string): Promise<OpenIdProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: 'one', use: 'sig', alg: 'RS256' };
  const people = new Map<string, Person>();
  let present = '';
  let nonce = '';
  let forged: ((claims: Record<string, unknown>) => Promise<string>) | null = null;

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
    jwks: { keys: [jwk] },
    cookies: { keys: ['of the sign-on tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 60, Interaction: 60, Session: 600 },
    pkce: { required: () => true },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, subject: string) => ({
      accountId: subject,
      claims: () => {
        const { email, verified } = people.get(subject) as Person;
        return { sub: subject, email, email_verified: verified };
      },
    }),
    loadExistingGrant: async (context: { oidc: { client: { clientId: string }; session: { accountId: string } } }) => {
      const { client, session } = context.oidc;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  const real = provider.callback();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname.startsWith('/interaction/')) {
      await provider.interactionFinished(request, response, { login: { accountId: present } });
      return;
    }
    if (url.pathname === '/auth') nonce = url.searchParams.get('nonce') ?? nonce;
    if (url.pathname !== '/token' || forged === null) return real(request, response);
    const at = Math.floor(Date.now() / 1000);
    const { email, verified } = people.get(present) as Person;
    const claims = {
      iss: issuer,
      aud: CLIENT.id,
      sub: present,
      nonce,
      iat: at,
      exp: at + 60,
      email,
      email_verified: verified,
    };
    const body = JSON.stringify({ access_token: 'x', token_type: 'Bearer', id_token: await forged(claims) });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }

  return {
    issuer,
    signsIn(subject, person) {
      present = subject;
      people.set(subject, person);
    },
    forge(make) {
      forged = make;
    },
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(privateKey),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Keeps cookies by host and path, follows nothing by itself. */
export function createBrowser() {
  const jar = new Map<string, { origin: string; path: string; value: string }>();

  async function get(address: string): Promise<Response> {
    const url = new URL(address);
    const cookie = [...jar]
      .filter(([, { origin, path }]) => origin === url.origin && url.pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split(' ').at(-1)}=${value}`)
      .join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
      if (value === '') jar.delete(`${url.origin} ${path} ${name}`);
      else jar.set(`${url.origin} ${path} ${name}`, { origin: url.origin, path, value });
    }
    return response;
  }

  return {
    get,
    /** Follows redirects until one leads to a URL that begins with `until`; answers that URL. */
    async follow(address: string, until: string): Promise<string> {
      let next = address;
      for (let hop = 0; hop < 10; hop++) {
        const response = await get(next);
        const location = response.headers.get('location');
        if (location === null) throw new Error(`${next} answered ${response.status} ${await response.text()}`);
        next = new URL(location, next).href;
        if (next.startsWith(until)) return next;
      }
      throw new Error('too many redirects');
    },
  };
}
