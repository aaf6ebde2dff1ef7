import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../../src/core/errors.ts';
import type { Caller } from '../../../../src/services/requests/request-context.ts';
import { testCaller } from '../../../builders/token-parts.ts';
import { startSocketServer } from './socket-server.ts';

/** Tokens that stand, by their text; the rest are refused as the service of access tokens refuses them. */
async function serverWith(standing: Map<string, Caller>) {
  const verify = async (token: string) => {
    const caller = standing.get(token);
    if (caller === undefined) throw new DomainError('unauthorized', 'the access token has expired: get a new one');
    return { kind: 'oauth_client', caller, expiresAt: Number.POSITIVE_INFINITY } as const;
  };
  const server = await startSocketServer({ recheckEveryMs: 30, accessTokens: { verify } });
  const connected = async (token: string) => {
    const client = await server.connect();
    client.say({ type: 'auth', access_token: token });
    await client.next('authenticated');
    return client;
  };
  return { server, connected };
}

describe('a connection with an access token', () => {
  it('is let in, and told of tokens that do not stand', async () => {
    const { server, connected } = await serverWith(new Map([['good', testCaller()]]));
    await connected('good');
    const client = await server.connect();
    client.say({ type: 'auth', access_token: 'bad' });
    expect(await client.next()).toMatchObject({ type: 'error', error: { code: 'unauthorized' } });
  });

  it('presents one credential', async () => {
    const { server } = await serverWith(new Map());
    const client = await server.connect();
    for (const more of [{}, { api_key: 'ak_1', access_token: 'good' }, { access_token: 1 }]) {
      client.say({ type: 'auth', ...more });
      expect(await client.next()).toMatchObject({ type: 'error', error: { code: 'invalid_request' } });
    }
  });

  it('ends with 4401 when the token does, unless a newer one was presented', async () => {
    const standing = new Map([
      ['old', testCaller()],
      ['new', testCaller()],
    ]);
    const { connected } = await serverWith(standing);
    const [left, renewed] = [await connected('old'), await connected('old')];
    renewed.say({ type: 'auth', access_token: 'new' });
    await renewed.next('authenticated');
    standing.delete('old');
    expect((await left.closed).code).toBe(4401);
    expect(await renewed.quiet()).toEqual([]);
  });

  it('ends with 4401 when its subject loses the scope that it listens by', async () => {
    const standing = new Map([['token', testCaller({ scopes: ['transactions:read'] })]]);
    const { connected } = await serverWith(standing);
    const client = await connected('token');
    client.say({ type: 'subscribe', channel: 'transactions' });
    await client.next('subscribed');
    standing.set('token', testCaller({ scopes: ['wallets:read'] }));
    expect((await client.closed).code).toBe(4401);
  });
});
