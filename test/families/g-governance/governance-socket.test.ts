/** /v1/governance/ws on a real port: who is let in, one connection each, and what it is told. */
import { createPrivateKey, type JsonWebKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PrivateJwk, publicJwkOf, thumbprintOf } from '../../../src/core/request-signatures/signing-algorithm.ts';
import { tell } from '../../../src/services/governance/governance-events.ts';
import type { Store } from '../../../src/store/store.ts';
import { type Message, openClient, startSocketServer } from '../a-transactions/realtime/socket-server.ts';
import { PASSWORD, startUsersApp, type UsersApp } from '../c-platform/users-app.ts';

const PATH = '/v1/governance/ws';
const SCOPES = { scopes: ['governance:read'] };
let app: UsersApp;
let url: string;
let host: string;
beforeAll(async () => {
  app = await startUsersApp();
  const origin = await app.listen();
  ({ host } = new URL(origin));
  url = origin.replace('http', 'ws') + PATH;
});
afterAll(() => app.close());

/** With its challenge, which comes at once. */
async function connect(options: Parameters<typeof openClient>[1] = {}) {
  const client = await openClient(url, options);
  return { ...client, challenge: String((await client.next('challenge')).challenge) };
}

function signed(jwk: PrivateJwk, challenge: string, authority = host): string {
  const key = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
  return sign(null, Buffer.from(`ashlar-governance-ws\n${authority}\n${challenge}`), key).toString('base64');
}

const authOf = (keyid: string, signature: string) => ({ type: 'auth', keyid, signature });

/** A person whose key signed the login of a session. */
async function voter(username: string) {
  const { keyId, publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
  const person = { username, password: PASSWORD, role: 'viewer', ...SCOPES, public_key: publicJwk };
  const { user_id } = (await app.post('/api/v1/users', person)).body;
  const { refresh_token } = (await app.login({ username, password: PASSWORD }, { sign: privateJwk })).body;
  return { keyId, privateJwk, user_id, refresh_token };
}

const proposal = (store: Store, accountId: UsersApp['accountId'], proposal_id: string, reason = 'x') =>
  store.write((tx) =>
    tell(tx, accountId, {
      ...{ event: 'proposal_updated', proposal_id, status: 'rejected', votes_for: 0, votes_against: 1, reason },
      ...{ execution_status: null, txid: null, approval_id: null },
    }),
  );

const errorOf = async (client: { next(type: string): Promise<Message> }) => (await client.next('error')).error;

describe('who is let in', () => {
  it('an API key is, and hears of its own account alone, in order', async () => {
    const key = await app.key(SCOPES);
    const client = await connect();
    client.say({ type: 'subscribe' });
    expect(await errorOf(client)).toMatchObject({ code: 'unauthorized' });
    for (const message of [{ type: 'auth', api_key: key }, { type: 'subscribe' }]) client.say(message);
    await client.next('authenticated');
    const { seq } = await client.next('subscribed');
    expect(await client.quiet()).toEqual([]);
    await proposal(app.app.store, (await app.anotherAccount('elsewhere')).accountId, 'prp_other');
    await proposal(app.app.store, app.accountId, 'prp_one');
    await app.app.store.write((tx) => tell(tx, app.accountId, { event: 'treasury_changed', wallet_id: null }));
    const [first, second] = await client.take(2);
    expect(first).toEqual({
      ...{ type: 'proposal_updated', proposal_id: 'prp_one', seq: expect.any(Number) },
      data: {
        status: 'rejected',
        votes_for: 0,
        votes_against: 1,
        reason: 'x',
        execution_status: null,
        txid: null,
        approval_id: null,
      },
    });
    expect(second).toEqual({ type: 'treasury_changed', seq: expect.any(Number), data: { wallet_id: null } });
    expect([first!.seq, second!.seq].map((one) => Number(one) > Number(seq))).toEqual([true, true]);
    client.say({ type: 'unsubscribe' });
    expect(await client.next()).toEqual({ type: 'unsubscribed' });
    client.say({ type: 'auth', api_key: key });
    expect(await errorOf(client)).toMatchObject({ code: 'invalid_request' });
  });

  it('a signature of an API key’s pair is, over this connection’s challenge and this service’s authority', async () => {
    const key = await app.key(SCOPES);
    const jwk = app.pairOf(key);
    const keyid = thumbprintOf(publicJwkOf(jwk));
    const [client, other] = [await connect(), await connect()];
    const wrong = [
      authOf(keyid, signed(jwk, other.challenge)),
      authOf(keyid, signed(jwk, client.challenge, 'ashlar.example')),
      authOf(keyid, signed(app.pairOf(app.adminKey), client.challenge)),
      authOf(keyid, signed(jwk, `${client.challenge}\n`)),
      authOf(`${keyid.slice(1)}A`, signed(jwk, client.challenge)),
    ];
    for (const message of wrong) {
      client.say(message);
      expect(await errorOf(client), JSON.stringify(message)).toMatchObject({ code: 'unauthorized' });
    }
    for (const message of [{ type: 'auth' }, { ...wrong[0], api_key: key }, { ...wrong[0], signature: 'x' }]) {
      client.say(message);
      expect(await errorOf(client)).toMatchObject({ code: 'invalid_request' });
    }
    client.say(authOf(keyid, signed(jwk, client.challenge)));
    await client.next('authenticated');
    // What let one connection in lets no other in.
    other.say(authOf(keyid, signed(jwk, client.challenge)));
    expect(await errorOf(other)).toMatchObject({ code: 'unauthorized' });
  });

  it('a signature is none under a Host that is not this service’s', async () => {
    const { keyId, privateJwk } = await voter('elsewhere');
    const client = await connect({ headers: { host: 'ashlar.example' } });
    client.say(authOf(keyId, signed(privateJwk, client.challenge, 'ashlar.example')));
    expect(await errorOf(client)).toMatchObject({ message: expect.stringContaining('PUBLIC_ORIGINS') });
  });

  it('a person’s key is, as long as a session lives whose login it signed', async () => {
    const { keyId, privateJwk, refresh_token } = await voter('browser');
    const client = await connect();
    client.say(authOf(keyId, signed(privateJwk, client.challenge)));
    client.say({ type: 'subscribe' });
    await client.next('authenticated');
    await client.next('subscribed');
    await app.post('/api/v1/auth/logout', { refresh_token }, { apiKey: null });
    expect((await client.closed).code).toBe(4401);
    const again = await connect();
    again.say(authOf(keyId, signed(privateJwk, again.challenge)));
    expect(await errorOf(again)).toMatchObject({ message: expect.stringContaining('no session') });
  });

  it('nobody stays whose key is revoked or whose scope is taken', async () => {
    const { keyId, privateJwk, user_id } = await voter('narrowed');
    const person = await connect();
    person.say(authOf(keyId, signed(privateJwk, person.challenge)));
    const key = await app.key(SCOPES);
    const machine = await connect();
    machine.say({ type: 'auth', api_key: key });
    for (const client of [person, machine]) {
      client.say({ type: 'subscribe' });
      await client.next('authenticated');
      await client.next('subscribed');
    }
    const lesser = { username: 'narrowed', role: 'viewer', scopes: ['wallets:read'] };
    const { holder_id } = (await app.get('/v1/governance/tokens/balance', { apiKey: key })).body;
    expect((await app.call('PUT', `/api/v1/users/${user_id}`, lesser)).status).toBe(200);
    expect((await person.closed).code).toBe(4401);
    expect((await app.call('DELETE', `/api/v1/api-keys/${holder_id}`)).status).toBe(204);
    expect((await machine.closed).code).toBe(4401);
    const reader = await connect();
    reader.say({ type: 'auth', api_key: await app.key({ scopes: ['wallets:read'] }) });
    reader.say({ type: 'subscribe' });
    await reader.next('authenticated');
    expect(await errorOf(reader)).toMatchObject({ code: 'forbidden' });
  });
});

it('the client of the guide follows by its key, from where it was', async () => {
  const [, sample] = /```js\n(.*?)```/s.exec(readFileSync('docs/governance.md', 'utf8'))!;
  const { follow } = await import(`data:text/javascript,${encodeURIComponent(sample!)}`);
  const jwk = app.pairOf(await app.key(SCOPES));
  const key = { keyid: thumbprintOf(publicJwkOf(jwk)), jwk };
  const heard: Message[] = [];
  const run = (after: number | undefined, wanted: string) =>
    new Promise<number>((resolve, reject) => {
      const onUpdate = (message: Message) => {
        heard.push(message);
        if (message.proposal_id === wanted) socket.close();
      };
      const onStale = (seq: number) => proposal(app.app.store, app.accountId, wanted).then(() => stale.push(seq));
      const stale: number[] = [];
      const socket = follow(url, key, { after, onUpdate, onStale, onClose: () => resolve(stale[0] ?? 0) });
      socket.onerror = reject;
    });
  const seq = await run(undefined, 'prp_followed');
  await proposal(app.app.store, app.accountId, 'prp_missed');
  await run(Number(heard.at(-1)!.seq), 'prp_missed');
  expect(heard.map(({ proposal_id }) => proposal_id)).toEqual(['prp_followed', 'prp_missed']);
  expect(Number(heard[0]!.seq)).toBe(seq + 1);
});

describe('one connection', () => {
  const start = async (options: Parameters<typeof startSocketServer>[0] = {}) => {
    const server = await startSocketServer(options);
    return {
      ...server,
      async seat(apiKey: string, more: Parameters<typeof openClient>[1] = {}) {
        const client = await openClient(server.origin.replace('http', 'ws') + PATH, more);
        client.say({ type: 'auth', api_key: apiKey });
        await client.next('challenge');
        return client;
      },
    };
  };

  it('of a credential: a second is closed with 4409 while the first answers, and let in once it does not', async () => {
    const server = await start({ answerWithinMs: 300 });
    const { apiKey, accountId } = await server.newKey();
    const first = await server.seat(apiKey);
    await first.next('authenticated');
    expect((await (await server.seat(apiKey)).closed).code).toBe(4409);
    await (await server.seat((await server.newKey({ accountId })).apiKey)).next('authenticated');
    first.socket.pause();
    const claimants = [await server.seat(apiKey), await server.seat(apiKey)];
    await claimants[0]!.next('authenticated');
    expect((await claimants[1]!.closed).code).toBe(4409);
    claimants[0]!.socket.close();
    await claimants[0]!.closed;
    await (await server.seat(apiKey)).next('authenticated');
  });

  it('is closed with 4401 where nobody authenticates in time', async () => {
    const server = await start({ authenticateWithinMs: 50 });
    const client = await openClient(server.origin.replace('http', 'ws') + PATH);
    expect((await client.closed).code).toBe(4401);
  });

  it('resumes after a number, names a gap, and one tenant’s burst and slow reader hold up no other', async () => {
    const server = await start({ answerWithinMs: 100 });
    const [busy, calm] = [await server.newKey(), await server.newKey()];
    const slow = await server.seat(busy.apiKey);
    slow.say({ type: 'subscribe', times: true });
    await slow.next('authenticated');
    await slow.next('subscribed');
    slow.socket.pause();
    const other = await server.seat(calm.apiKey);
    other.say({ type: 'subscribe' });
    await other.take(2);
    const pad = 'x'.repeat(100_000);
    for (let n = 1; n <= 300; n++) await proposal(server.store, busy.accountId, `prp_${n}`, pad);
    await proposal(server.store, calm.accountId, 'prp_calm');
    expect(await other.next()).toMatchObject({ type: 'proposal_updated', proposal_id: 'prp_calm', seq: 301 });
    slow.socket.resume();
    expect((await slow.closed).code).toBe(1013);
    const last = slow.messages.at(-1)!;
    expect(slow.messages.length).toBeLessThan(300);
    const again = await server.seat(busy.apiKey);
    again.say({ type: 'subscribe', after: last.seq, at: last.at });
    await again.next('authenticated');
    await again.next('subscribed');
    const rest = await again.take(300 - Number(last.seq));
    expect(rest.map(({ seq }) => seq)).toEqual(rest.map((_, at) => Number(last.seq) + 1 + at));
    await server.store.write((tx) => tx.events.deleteOlderThan(Date.now() + 1));
    again.say({ type: 'subscribe', after: 5 });
    expect(await again.next()).toEqual({ type: 'gap', from: 302 });
    expect(await again.next()).toEqual({ type: 'subscribed', seq: 301 });
    again.say({ type: 'subscribe', after: 400 });
    expect(await errorOf(again)).toMatchObject({ code: 'invalid_request' });
  });
});
