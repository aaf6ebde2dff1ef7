/** /v1/ws on a real port: what a client sends, what it is told, and when it is closed. */
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.ts';
import type { Json } from '../../../builders/app.ts';
import { silent } from '../../../builders/stores.ts';
import { blockEvent, openClient, startSocketServer, transactionEvent } from './socket-server.ts';

const seqs = (messages: Record<string, unknown>[]) => messages.map((message) => message.seq);

describe('authentication', () => {
  it('authenticates by the first message and takes a subscription sent along with it', async () => {
    const server = await startSocketServer();
    const { apiKey } = await server.newKey();
    const client = await server.connect();
    client.say({ type: 'auth', api_key: apiKey });
    client.say({ type: 'subscribe', channel: 'blocks' });
    expect(await client.take(2)).toEqual([
      { type: 'authenticated' },
      { type: 'subscribed', channel: 'blocks', seq: 0 },
    ]);
    await server.append(blockEvent(7));
    expect(await client.next()).toEqual({
      type: 'block',
      channel: 'blocks',
      seq: 1,
      data: { height: 7, hash: 'hash 7', timestamp: 1_700_000_007 },
    });
  });

  it('closes with 4401 who does not authenticate in time', async () => {
    const server = await startSocketServer({ authenticateWithinMs: 50 });
    const client = await server.connect();
    expect((await client.closed).code).toBe(4401);
  });

  it('tells of a wrong key and lets the client try again', async () => {
    const server = await startSocketServer();
    const { apiKey } = await server.newKey();
    const client = await server.connect();
    client.say({ type: 'auth', api_key: `ak_00000000_${'0'.repeat(43)}` });
    expect(await client.next()).toMatchObject({ type: 'error', error: { code: 'unauthorized' } });
    client.say({ type: 'auth', api_key: apiKey });
    await client.next('authenticated');
  });

  it('refuses subscriptions before authentication, and answers pings', async () => {
    const client = await (await startSocketServer()).connect();
    client.say({ type: 'subscribe', channel: 'blocks' });
    expect(await client.next()).toMatchObject({ type: 'error', error: { code: 'unauthorized' } });
    client.say({ type: 'ping' });
    expect(await client.next()).toEqual({ type: 'pong' });
  });

  it('closes with 4401 when the key is revoked or expires meanwhile', async () => {
    let now = Date.now();
    const server = await startSocketServer({ recheckEveryMs: 30, clock: () => now });
    const revoked = await server.newKey();
    const expiring = await server.newKey({ expiresAt: now + 60_000 });
    const kept = await server.newKey();
    const clients = await Promise.all([revoked, expiring, kept].map(({ apiKey }) => server.authenticated(apiKey)));
    await server.apiKeys.revoke(revoked.accountId, revoked.keyId);
    expect((await clients[0]!.closed).code).toBe(4401);
    expect(await clients[1]!.quiet()).toEqual([]);
    now += 60_000;
    expect((await clients[1]!.closed).code).toBe(4401);
    expect(await clients[2]!.quiet()).toEqual([]);
  });

  it('closes with 4401 as soon as the key is revoked, and goes on for others', async () => {
    const server = await startSocketServer({ recheckEveryMs: 3_600_000 });
    const [revoked, kept] = [await server.newKey(), await server.newKey()];
    const [gone, stays] = await Promise.all([revoked, kept].map(({ apiKey }) => server.authenticated(apiKey)));
    await server.apiKeys.revoke(revoked.accountId, revoked.keyId);
    expect((await gone!.closed).code).toBe(4401);
    expect(await stays!.quiet()).toEqual([]);
  });

  it('stays with one account', async () => {
    const server = await startSocketServer();
    const [one, other] = [await server.newKey(), await server.newKey()];
    const client = await server.authenticated(one.apiKey);
    client.say({ type: 'auth', api_key: other.apiKey });
    expect(await client.next()).toMatchObject({ type: 'error', error: { code: 'invalid_request' } });
  });

  it('asks for the scope of the channel', async () => {
    const server = await startSocketServer();
    const { apiKey } = await server.newKey({ scopes: ['wallets:read'] });
    const client = await server.authenticated(apiKey);
    client.say({ type: 'subscribe', channel: 'transactions' });
    expect(await client.next()).toMatchObject({ type: 'error', error: { code: 'forbidden' } });
    client.say({ type: 'subscribe', channel: 'blocks' });
    await client.next('subscribed');
  });
});

describe('updates', () => {
  it("an account sees its own transactions only, and everybody's blocks", async () => {
    const server = await startSocketServer();
    const [a, b] = [await server.newKey(), await server.newKey()];
    const clients = [await server.authenticated(a.apiKey), await server.authenticated(b.apiKey)];
    for (const client of clients) {
      client.say({ type: 'subscribe', channel: 'transactions' });
      client.say({ type: 'subscribe', channel: 'blocks' });
      await client.take(2);
    }
    await server.append(transactionEvent(a.accountId, 1), transactionEvent(b.accountId, 2), blockEvent(3));
    await server.delivered(3n);
    expect((await clients[0]!.take(2)).map(({ type, seq }) => [type, seq])).toEqual([
      ['transaction', 1],
      ['block', 3],
    ]);
    expect((await clients[1]!.take(2)).map(({ type, seq }) => [type, seq])).toEqual([
      ['transaction', 2],
      ['block', 3],
    ]);
    expect(await clients[0]!.quiet()).toEqual([]);
  });

  it('name the seq of what they take back', async () => {
    const server = await startSocketServer();
    const { apiKey } = await server.newKey();
    const client = await server.authenticated(apiKey);
    client.say({ type: 'subscribe', channel: 'blocks' });
    await client.next('subscribed');
    const [first] = await server.append(blockEvent(1));
    await server.append(blockEvent(2), { ...blockEvent(1), retractsEventId: first! });
    expect((await client.take(3)).map(({ seq, retracts }) => [seq, retracts])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, 1],
    ]);
  });

  it('end with unsubscribe; the contracts channel is there', async () => {
    const server = await startSocketServer();
    const { apiKey } = await server.newKey();
    const client = await server.authenticated(apiKey);
    for (const channel of ['blocks', 'contracts']) client.say({ type: 'subscribe', channel });
    await client.take(2);
    client.say({ type: 'unsubscribe', channel: 'blocks' });
    expect(await client.next()).toEqual({ type: 'unsubscribed', channel: 'blocks' });
    await server.append(blockEvent(1));
    await server.delivered(1n);
    expect(await client.quiet()).toEqual([]);
  });

  it('come once after a second subscription to the same channel', async () => {
    const server = await startSocketServer();
    const { apiKey } = await server.newKey();
    const client = await server.authenticated(apiKey);
    client.say({ type: 'subscribe', channel: 'blocks' });
    client.say({ type: 'subscribe', channel: 'blocks' });
    client.say({ type: 'subscribe', channel: 'blocks', after: 5 });
    expect((await client.take(3)).map(({ type }) => type)).toEqual(['subscribed', 'subscribed', 'error']);
    await server.append(blockEvent(1));
    await server.delivered(1n);
    expect(seqs(await client.quiet())).toEqual([1]);
  });
});

describe('resuming', () => {
  it('sends what was missed after a seq, in order, each once, and goes on live', async () => {
    const server = await startSocketServer();
    const { apiKey, accountId } = await server.newKey();
    const other = await server.newKey();
    for (let i = 1; i <= 60; i++) {
      await server.append(transactionEvent(i % 3 === 0 ? other.accountId : accountId, i));
    }
    await server.delivered(60n);
    const client = await server.authenticated(apiKey);
    client.say({ type: 'subscribe', channel: 'transactions', after: 10 });
    expect(await client.next()).toEqual({ type: 'subscribed', channel: 'transactions', seq: 60 });
    await server.append(transactionEvent(accountId, 61));
    await server.delivered(61n);
    const mine = Array.from({ length: 61 }, (_, i) => i + 1).filter((n) => n > 10 && (n % 3 !== 0 || n === 61));
    expect(seqs(await client.take(mine.length))).toEqual(mine);
    expect(await client.quiet()).toEqual([]);
  });

  it('leaves no gap and doubles nothing while events pour in', async () => {
    const server = await startSocketServer();
    const { apiKey, accountId } = await server.newKey();
    const pad = 'x'.repeat(2_000);
    const total = 6_000;
    let appended = 0;
    const pouring = (async () => {
      while (appended < total) {
        await server.append(...Array.from({ length: 50 }, () => transactionEvent(accountId, ++appended, pad)));
      }
    })();
    await server.delivered(1_000n);
    const clients = await Promise.all(
      [0, 137, 900].map(async (after) => {
        const client = await server.authenticated(apiKey);
        client.say({ type: 'subscribe', channel: 'transactions', after });
        await client.next('subscribed');
        return { client, after };
      }),
    );
    await pouring;
    for (const { client, after } of clients) {
      const got = seqs(await client.take(total - after));
      expect(got).toEqual(Array.from({ length: total - after }, (_, i) => after + 1 + i));
      expect(await client.quiet()).toEqual([]);
    }
  });

  it('from before what is kept names the gap and sends what there is', async () => {
    const server = await startSocketServer();
    const { apiKey } = await server.newKey();
    for (let i = 1; i <= 5; i++) await server.append(blockEvent(i));
    await server.delivered(5n);
    // As the retention does after 30 days.
    await server.store.write((tx) => tx.events.deleteOlderThan(Date.now() + 1));
    await server.append(blockEvent(6), blockEvent(7));
    await server.delivered(7n);
    const client = await server.authenticated(apiKey);
    client.say({ type: 'subscribe', channel: 'blocks', after: 2 });
    expect(await client.next()).toEqual({ type: 'gap', channel: 'blocks', from: 6 });
    expect(await client.next()).toEqual({ type: 'subscribed', channel: 'blocks', seq: 7 });
    expect(seqs(await client.take(2))).toEqual([6, 7]);
    client.say({ type: 'subscribe', channel: 'blocks', after: 5 });
    await client.next('subscribed');
    expect(seqs(await client.take(2))).toEqual([6, 7]);
  });

  it('after a seq that was never given is a mistake', async () => {
    const server = await startSocketServer();
    const { apiKey } = await server.newKey();
    const client = await server.authenticated(apiKey);
    client.say({ type: 'subscribe', channel: 'blocks', after: 1 });
    expect(await client.next()).toMatchObject({ type: 'error', error: { code: 'invalid_request' } });
  });

  it('on a database that was restored from a backup tells whoever says when it was written that what they saw is lost', async () => {
    const server = await startSocketServer();
    const { apiKey } = await server.newKey();
    const client = await server.authenticated(apiKey);
    for (let i = 1; i <= 3; i++) await server.append(blockEvent(i));
    await server.delivered(3n);
    client.say({ type: 'subscribe', channel: 'blocks', times: true });
    const kept = await client.next('subscribed');
    const path = join(mkdtempSync(join(tmpdir(), 'ashlar-backup-')), 'backup.db');
    await server.store.backupTo(path);
    await server.append(blockEvent(4), blockEvent(5));
    const [, lost] = await client.take(2);
    expect([kept.seq, lost!.seq]).toEqual([3, 5]);

    const clock = (): number => Date.now() + 1_000;
    const store = await openSqliteStore({ path, role: 'service', log: silent, clock });
    onTestFinished(() => store.close());
    const restored = await startSocketServer({ store });
    await restored.append(blockEvent(14), blockEvent(15), blockEvent(16));
    await restored.delivered(6n);
    const again = await restored.authenticated(apiKey);
    const resume = async (from: object) => {
      again.say({ type: 'subscribe', channel: 'blocks', ...from });
      return again.quiet();
    };
    const now = { type: 'subscribed', channel: 'blocks', seq: 6 };
    const anew = [
      { type: 'gap', channel: 'blocks', from: 7, reset: true },
      { ...now, at: expect.any(Number) },
    ];
    expect(await resume({ after: 5, at: lost!.at })).toEqual(anew);
    expect(await resume({ after: 9, at: lost!.at })).toEqual(anew);
    const [begins, ...missed] = await resume({ after: 3, at: kept.at });
    expect(begins).toEqual(now);
    expect(
      missed.map(({ seq, at, data }) => [seq, (at as number) > (kept.at as number), (data as Json).height]),
    ).toEqual([
      [4, true, 14],
      [5, true, 15],
      [6, true, 16],
    ]);
    // As before there were times.
    expect(await resume({ after: 6 })).toEqual([now]);
    expect(await resume({ after: 7 })).toMatchObject([{ type: 'error', error: { code: 'invalid_request' } }]);
  });
});

describe('mistakes', () => {
  it.each([
    ['bad JSON', '{"type":', /JSON/],
    ['no object', '[]', /object/],
    ['no type', '{}', /type: must be one of/],
    ['an unknown type', '{"type":"shout"}', /type: must be one of/],
    ['an inherited name as type', '{"type":"constructor"}', /type: must be one of/],
    ['an unknown channel', '{"type":"subscribe","channel":"weather"}', /channel: must be one of transactions, blocks/],
    ['a missing channel', '{"type":"subscribe"}', /channel/],
    ['a negative seq', '{"type":"subscribe","channel":"blocks","after":-1}', /after: .*0 or above/],
    ['a seq with decimals', '{"type":"subscribe","channel":"blocks","after":1.5}', /after/],
    ['a time without its seq', '{"type":"subscribe","channel":"blocks","at":1}', /at: goes with after/],
    ['a seq as text', '{"type":"subscribe","channel":"blocks","after":"1"}', /after/],
    ['a channel by its singular', '{"type":"subscribe","channel":"transaction"}', /did you mean transactions\?$/],
    ['a type in capitals', '{"type":"Ping"}', /did you mean ping\?$/],
    ['an unknown field', '{"type":"ping","volume":11}', /volume: is not a field/],
    ['a field in camel case', '{"type":"auth","apiKey":"x"}', /apiKey: is not a field .*: did you mean api_key\?/],
    ['deep nesting', '['.repeat(4_000), /JSON/],
  ])('%s is told, and the connection stays', async (_, text, message) => {
    const server = await startSocketServer();
    const { apiKey } = await server.newKey();
    const client = await server.authenticated(apiKey);
    client.socket.send(text);
    const answer = await client.next('error');
    expect(answer.error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) });
    expect(await client.quiet()).toEqual([]);
  });

  it('a binary frame and an empty one get an error, and the connection stays open', async () => {
    const server = await startSocketServer();
    const client = await server.authenticated((await server.newKey()).apiKey);
    client.socket.send(Buffer.from('{"type":"ping"}'), { binary: true });
    expect(await client.next()).toMatchObject({ type: 'error', error: { message: expect.stringMatching(/binary/) } });
    client.socket.send(Buffer.of(), { binary: true });
    expect(await client.next()).toMatchObject({ type: 'error', error: { message: expect.stringMatching(/binary/) } });
    client.socket.send('');
    expect(await client.next()).toMatchObject({
      type: 'error',
      error: { message: expect.stringMatching(/not valid JSON: line 1, column \d+: /) },
    });
    expect(await client.quiet()).toEqual([]);
  });

  it('a message that is too large closes with 1009', async () => {
    const client = await (await startSocketServer()).connect();
    client.socket.send(' '.repeat(9_000));
    expect((await client.closed).code).toBe(1009);
  });

  it('a plain GET is answered with 426', async () => {
    const server = await startSocketServer();
    const answer = await fetch(`${server.origin}/v1/ws`);
    expect(answer.status).toBe(426);
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid_request' } });
  });
});

describe('limits', () => {
  it('the 101st message in a second closes with 4429', async () => {
    const server = await startSocketServer({ clock: () => 0 });
    const client = await server.connect();
    for (let i = 0; i < 100; i++) client.say({ type: 'ping' });
    await client.take(100);
    client.say({ type: 'ping' });
    expect((await client.closed).code).toBe(4429);
  });

  const bounds = { ofCredential: 2, ofAccount: 3, waitingOfNetwork: 100, waiting: 100 };

  it('a credential has so many connections, an account too, and closing one makes room', async () => {
    const server = await startSocketServer({ socketBounds: bounds });
    const { accountId, apiKey } = await server.newKey();
    const second = (await server.newKey({ accountId })).apiKey;
    const refusedWith = async (key: string) => {
      const client = await server.connect();
      client.say({ type: 'auth', api_key: key });
      return client.closed;
    };
    const first = await server.authenticated(apiKey);
    for (const key of [apiKey, second]) await server.authenticated(key);
    expect(await refusedWith(apiKey)).toEqual({ code: 4429, reason: 'this credential has 2 connections open already' });
    expect(await refusedWith(second)).toEqual({ code: 4429, reason: 'this account has 3 connections open already' });
    await server.authenticated((await server.newKey()).apiKey);
    // A client that authenticates again is counted once, by what it shows then.
    first.say({ type: 'auth', api_key: second });
    await first.next('authenticated');
    expect((await refusedWith(second)).reason).toContain('this credential has 2');
    first.socket.close();
    await first.closed;
    await server.authenticated(second);
  });

  it.each([
    ['of a network', { ...bounds, waitingOfNetwork: 2 }],
    ['in all', { ...bounds, waiting: 2 }],
  ])('of too many strangers %s the one that waits longest is dropped, never who is authenticated', async (_, all) => {
    const server = await startSocketServer({ socketBounds: all });
    const { apiKey } = await server.newKey();
    const client = await server.authenticated(apiKey);
    const strangers = [];
    for (let at = 0; at < 5; at++) strangers.push(await server.connect());
    for (const { closed } of strangers.slice(0, 3)) expect((await closed).code).toBe(4429);
    for (const { quiet } of [client, ...strangers.slice(3)]) expect(await quiet()).toEqual([]);
    await server.authenticated(apiKey);
  });

  it('a reader 4 MiB behind is closed with 1013 and can resume', async () => {
    const server = await startSocketServer();
    const { apiKey, accountId } = await server.newKey();
    const slow = await server.authenticated(apiKey);
    slow.say({ type: 'subscribe', channel: 'transactions' });
    await slow.next('subscribed');
    slow.socket.pause();
    const pad = 'x'.repeat(100_000);
    let n = 0;
    // The kernel's buffers take some megabytes before ours begin to fill.
    for (let i = 0; i < 30; i++) {
      await server.append(...Array.from({ length: 10 }, () => transactionEvent(accountId, ++n, pad)));
      await server.delivered(BigInt(n));
    }
    slow.socket.resume();
    expect((await slow.closed).code).toBe(1013);
    const heard = slow.messages.map(({ seq }) => seq as number);
    expect(heard.length).toBeLessThan(n);
    expect(heard).toEqual(Array.from({ length: heard.length }, (_, i) => i + 1));
    const again = await server.authenticated(apiKey);
    again.say({ type: 'subscribe', channel: 'transactions', after: heard.length });
    await again.next('subscribed');
    expect(seqs(await again.take(n - heard.length))).toEqual(
      Array.from({ length: n - heard.length }, (_, i) => heard.length + 1 + i),
    );
  });

  it('a peer that does not answer pings is dropped, one that does stays', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await startSocketServer({ heartbeatMs: 30_000 });
    const { apiKey } = await server.newKey();
    const alive = await server.authenticated(apiKey);
    const dead = await openClient(server.url);
    dead.socket.pause();
    const { clients } = server.app.websocketServer;
    const answered = Promise.race([...clients].map((socket) => once(socket, 'pong')));
    vi.advanceTimersByTime(30_000);
    await answered;
    expect(clients.size).toBe(2);
    vi.advanceTimersByTime(30_000);
    await expect.poll(() => clients.size).toBe(1);
    expect(await alive.quiet()).toEqual([]);
  });

  it('outlives the time limit of requests', async () => {
    const server = await startSocketServer({ requestTimeoutMs: 500 });
    const client = await server.authenticated((await server.newKey()).apiKey);
    // It came later, and its time is over.
    expect((await fetch(`${server.origin}/stuck`)).status).toBe(503);
    expect(await client.quiet()).toEqual([]);
  });
});

describe('stopping', () => {
  it('closes clients with 1001 and does not wait for one that is stalled', async () => {
    const server = await startSocketServer();
    const client = await server.authenticated((await server.newKey()).apiKey);
    const stalled = connectTcp(Number(new URL(server.origin).port), '127.0.0.1');
    stalled.write(
      'GET /v1/ws HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await new Promise((resolve) => stalled.once('data', resolve));
    stalled.pause();
    stalled.on('error', () => {});
    const stopping = server.stop();
    expect((await client.closed).code).toBe(1001);
    await stopping;
    stalled.destroy();
  });
});
