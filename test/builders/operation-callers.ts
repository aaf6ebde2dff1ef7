/** Callers of every kind for the tests that go through all operations: two tenants, each form of credential in all its conditions. */
import { randomUUID } from 'node:crypto';
import type { AccountId } from '../../src/core/ids.ts';
import { type RequestSigner, requestSigner } from '../../src/core/request-signatures/sign-request.ts';
import type { PrivateJwk, PublicJwk } from '../../src/core/request-signatures/signing-algorithm.ts';
import type { CredentialForm } from '../../src/hooks/operation.ts';
import { noteSecret } from '../secrets/collected.ts';
import type { Json, TestApp } from './app.ts';
import { NOBODY, type TestCaller } from './operation-calls.ts';

/** One form of credential; each is valid but for what its name says. */
export interface CallersOfForm {
  /** Administrator of the tenant, every scope. */
  readonly valid: TestCaller;
  readonly viewer: TestCaller;
  readonly scopeless: TestCaller;
  readonly expired: TestCaller;
  readonly revoked: TestCaller;
  readonly otherAccount: TestCaller;
}

export interface Callers {
  readonly byForm: Readonly<Record<Exclude<CredentialForm, 'signature'>, CallersOfForm>>;
  /** Signs and presents nothing else: a form that no operation takes yet. */
  readonly signature: TestCaller;
  /** The tenant's administrator with an API key. */
  readonly admin: TestCaller;
  /** Administrators of the account that runs the service. */
  readonly platform: TestCaller;
  readonly platformScopeless: TestCaller;
  /** Another API key of the tenant's. */
  readonly sibling: TestCaller;
  readonly siblingId: string;
  /** A person with an enrolled key who did not sign the login: the token is bound to no key. */
  readonly unbound: TestCaller;
  /** The administrator, signing by a key that was revoked. */
  readonly revokedSigner: TestCaller;
  /** Callers whose limits are soon reached. */
  readonly limited: readonly TestCaller[];
  /** What the callers present and sign with. */
  readonly secrets: readonly string[];
  readonly accountId: AccountId;
  /** A new person of the tenant, logged in with a key of their own. */
  person(given?: Json): Promise<Person>;
}

interface Person {
  readonly caller: TestCaller;
  readonly userId: string;
  readonly sessionId: string;
  readonly username: string;
  readonly password: string;
  readonly refreshToken: string;
}

export interface CallerTools {
  now(): number;
  advance(ms: number): void;
  /** A request by a caller; answers the body, and throws where it is refused. */
  make(method: string, path: string, body: unknown, by: TestCaller): Promise<Json>;
}

const MINUTE = 60_000;
/** So that tests of thousands of requests are not about limits. */
const UNLIMITED = { requests_per_minute: 1_000_000, bulk_per_minute: 1_000_000, voting_per_minute: 1_000_000 };
const FULL = { role: 'admin', scopes: ['*'] };
const VIEWER = { role: 'viewer', scopes: ['*'] };
const SCOPELESS = { role: 'admin', scopes: ['auth:write'] };

export async function makeCallers(service: TestApp, tools: CallerTools): Promise<Callers> {
  const { make, now, advance } = tools;
  const secrets: string[] = [];
  const { signingKeys, apiKeys } = service.app.services;

  const caller = (form: CredentialForm, token: string, signer: RequestSigner | null): TestCaller => {
    noteSecret('token', token);
    secrets.push(token);
    return { form, token, signer };
  };
  const pair = (): { publicJwk: PublicJwk; signer: RequestSigner } => {
    const { publicJwk, privateJwk } = signingKeys.newPair();
    return { publicJwk, signer: signerOf(privateJwk) };
  };
  const signerOf = (jwk: PrivateJwk): RequestSigner => {
    noteSecret('d', jwk.d);
    secrets.push(jwk.d);
    return requestSigner(jwk);
  };

  const key = async (accountId: AccountId, given: Parameters<TestApp['key']>[0] = {}): Promise<TestCaller> => {
    const token = await service.key({ accountId, tier: 'custom', limits: UNLIMITED, ...given });
    return caller('api_key', token, signerOf(service.pairOf(token)));
  };
  const keyId = async (accountId: AccountId) => (await apiKeys.list(accountId))[0]?.keyId as string;

  /** A client with a secret, and a token of it. */
  async function client(admin: TestCaller, given: Json) {
    const { publicJwk, signer } = pair();
    const body = { name: `client ${randomUUID()}`, tier: 'custom', limits: UNLIMITED, public_key: publicJwk, ...given };
    const { client_id, client_secret } = await make('POST', '/api/v1/oauth-clients', body, admin);
    secrets.push(client_secret);
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    const { access_token: token } = await make('POST', '/oauth/token', form, NOBODY);
    return { caller: caller('oauth_token', token, signer), token, client_id, client_secret };
  }

  async function person(admin: TestCaller, given: Json = {}): Promise<Person> {
    const { publicJwk, signer } = pair();
    const password = `words of ${randomUUID()}`;
    const username = `p${randomUUID()}`;
    const body = { username, password, public_key: publicJwk, tier: 'custom', ...FULL, ...given };
    const { user_id: userId } = await make('POST', '/api/v1/users', body, admin);
    secrets.push(password);
    const login = await make('POST', '/api/v1/auth/login', { username, password }, { ...NOBODY, signer });
    return {
      caller: caller('user_token', login.access_token, signer),
      userId,
      sessionId: login.session_id,
      username,
      password,
      refreshToken: login.refresh_token,
    };
  }

  const platform = await key(service.accountId);
  const account = async (name: string): Promise<AccountId> =>
    (await make('POST', '/api/v1/accounts', { name, tier: 'custom' }, platform)).account_id;
  const tenant = await account('tenant');
  const other = await account('other');

  // What is to be expired is made first, and then the clock goes on.
  const early = await key(tenant);
  const expired = {
    api_key: await key(tenant, { expiresAt: now() + MINUTE }),
    oauth_token: (await client(early, FULL)).caller,
    user_token: (await person(early)).caller,
  };
  advance(20 * MINUTE);

  const admin = await key(tenant);
  const adminId = await keyId(tenant);
  const careless = await person(admin);
  const { username, password } = careless;
  const unsigned = await make('POST', '/api/v1/auth/login', { username, password }, NOBODY);
  const foreign = await key(other);
  const sibling = await key(tenant);
  const siblingId = await keyId(tenant);
  const revokedKey = await key(tenant);
  await make('DELETE', `/api/v1/api-keys/${await keyId(tenant)}`, undefined, admin);
  const former = pair();
  await service.app.store.write(async (tx) => {
    const owner = { accountId: tenant, kind: 'api_key', id: adminId } as const;
    const { keyId: formerId } = await signingKeys.enrol(tx, owner, { name: 'former', publicJwk: former.publicJwk });
    await tx.signingKeys.revoke(tenant, formerId, now());
  });

  const revokedClient = await client(admin, FULL);
  const { client_id, client_secret, token } = revokedClient;
  await make('POST', '/oauth/revoke', { client_id, client_secret, token }, NOBODY);
  const leaver = await person(admin);
  await make('POST', '/api/v1/auth/logout', { refresh_token: leaver.refreshToken }, NOBODY);

  return {
    byForm: {
      api_key: {
        valid: admin,
        viewer: await key(tenant, { role: 'viewer' }),
        scopeless: await key(tenant, { scopes: ['auth:write'] }),
        expired: expired.api_key,
        revoked: revokedKey,
        otherAccount: foreign,
      },
      oauth_token: {
        valid: (await client(admin, FULL)).caller,
        viewer: (await client(admin, VIEWER)).caller,
        scopeless: (await client(admin, SCOPELESS)).caller,
        expired: expired.oauth_token,
        revoked: revokedClient.caller,
        otherAccount: (await client(foreign, FULL)).caller,
      },
      user_token: {
        valid: (await person(admin)).caller,
        viewer: (await person(admin, VIEWER)).caller,
        scopeless: (await person(admin, SCOPELESS)).caller,
        expired: expired.user_token,
        revoked: leaver.caller,
        otherAccount: (await person(foreign)).caller,
      },
    },
    signature: { form: 'signature', token: null, signer: admin.signer },
    admin,
    platform,
    platformScopeless: await key(service.accountId, { scopes: ['auth:write'] }),
    sibling,
    siblingId,
    unbound: caller('user_token', unsigned.access_token, careless.caller.signer),
    revokedSigner: { ...admin, signer: former.signer },
    limited: [await key(tenant, { limits: { requests_per_minute: 5 } })],
    secrets,
    accountId: tenant,
    person: (given) => person(admin, given),
  };
}
