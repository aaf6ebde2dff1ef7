/** Deliveries to endpoints that fail in every way, to a real receiver on loopback. Days pass on the clock. */

import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { deliveryIdOf } from '../../../src/core/webhooks/delivery.ts';
import { createSending } from '../../../src/engines/sending/create-sending.ts';
import { MIGRATIONS } from '../../../src/store/contents.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { eventually } from '../../builders/service-process.ts';
import { webhookRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, silent } from '../../builders/stores.ts';
import { type Received, startReceiver, verified } from '../../builders/webhook-receiver.ts';
import { insertWebhook, numbers, startWebhooks, tell, withAccounts } from '../../builders/webhook-world.ts';
import { userRecord } from '../../conformance/store/users.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

async function receiver() {
  const made = await startReceiver();
  onTestFinished(() => made.close());
  return made;
}
async function database(...accounts: AccountId[]): Promise<Store> {
  const sqlite = await openTemporarySqlite();
  onTestFinished(() => sqlite[Symbol.asyncDispose]());
  await withAccounts(sqlite.store, ...accounts);
  return sqlite.store;
}
const targets = (received: readonly Received[]): string[] => received.map(({ body }) => body.data.target);
const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end('no');
const find = async (store: Store, id = 'whk_one', accountId: AccountId = 'acc_one') =>
  (await store.read.webhooks.find(accountId, id))!;
const failures = (store: Store, count: number) =>
  eventually(`${count} failures`, async () => (await find(store)).failures === count);
const disabled = (store: Store) => eventually('it is disabled', async () => !(await find(store)).enabled);
const told = async (store: Store) =>
  (await store.read.events.after(0n, 100))
    .filter(({ channel }) => channel === 'webhooks')
    .map(({ data }) => JSON.parse(data));

describe('an endpoint', () => {
  it('that answers 500 for a day is tried after growing pauses, and gets everything in order then', async () => {
    const [store, to] = [await database('acc_one'), await receiver()];
    let now = Date.now();
    const secret = await insertWebhook(store, 'whk_one', { accountId: 'acc_one', url: to.url });
    to.answer = status(500);
    startWebhooks(store, { clock: () => now });
    await tell(store, 'acc_one', ...numbers(3));
    const pauses = [10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY];
    for (const [at, pause] of pauses.entries()) {
      await failures(store, at + 1);
      expect((await find(store)).nextAt).toBe(now + pause);
      now += pause;
      if (at === 5) await tell(store, 'acc_one', 'n3');
    }
    await failures(store, 9);
    expect(targets(to.seen)).toEqual(Array(9).fill('n0'));
    expect(new Set(to.seen.map(({ id }) => id)).size).toBe(1);
    to.answer = status(200);
    now += DAY;
    await eventually('all are noted', async () => (await find(store)).deliveredSeq === 4n);
    expect(targets(to.taken)).toEqual(numbers(4));
    expect(() => verified(to.taken[0]!, secret)).toThrow('too new');
    const { data } = await store.read.webhookDeliveries.list(await find(store), {}, { limit: 9, offset: 0 });
    expect(data.map(({ attempts, httpStatus }) => [attempts, httpStatus]).sort()).toEqual([
      [1, 200],
      [1, 200],
      [1, 200],
      [10, 200],
    ]);
    expect(await find(store)).toMatchObject({ failures: 0, failingSince: null, nextAt: null, enabled: true });
  });

  it('that fails for 5 days is disabled with an event, and goes on where it stopped when it is enabled', async () => {
    const [store, to] = [await database('acc_one'), await receiver()];
    let now = Date.now();
    await insertWebhook(store, 'whk_one', { accountId: 'acc_one', url: to.url });
    to.answer = status(503);
    startWebhooks(store, { clock: () => now });
    await tell(store, 'acc_one', 'n0', 'n1');
    for (let at = 1; (await find(store)).enabled; at++) {
      await eventually('an attempt failed', async () => (await find(store)).failures >= at);
      now = (await find(store)).nextAt ?? now;
    }
    const { disabledReason, failures: count, lastErrorAt, failingSince } = await find(store);
    expect(lastErrorAt! - failingSince!).toBeGreaterThanOrEqual(5 * DAY);
    expect([count, disabledReason]).toEqual([13, expect.stringContaining('failed for 5 days')]);
    expect(await told(store)).toEqual([{ webhook_id: 'whk_one', url: to.url, reason: disabledReason }]);
    to.answer = status(200);
    await store.write((tx) =>
      tx.webhooks.update({ accountId: 'acc_one', webhookId: 'whk_one' }, { enabled: true, failures: 0, nextAt: now }),
    );
    await eventually('it goes on', async () => to.taken.length === 2);
    expect(targets(to.taken)).toEqual(['n0', 'n1']);
  });

  it('that answers 410 is disabled at once', async () => {
    const [store, to] = [await database('acc_one'), await receiver()];
    await insertWebhook(store, 'whk_one', { accountId: 'acc_one', url: to.url });
    to.answer = status(410);
    startWebhooks(store);
    await tell(store, 'acc_one', 'n0');
    await disabled(store);
    expect((await told(store))[0].reason).toBe('the endpoint answers 410 Gone');
    expect(to.seen).toHaveLength(1);
  });

  it('that answers 10 MB, or breaks off after its status, has taken it; that closes at once, or redirects, has not', async () => {
    const [store, to] = [await database('acc_one'), await receiver()];
    let now = Date.now();
    await insertWebhook(store, 'whk_one', { accountId: 'acc_one', url: to.url });
    const answers: ((response: ServerResponse) => void)[] = [
      (response) => void response.writeHead(200).end(Buffer.alloc(10_000_000, 65)),
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half');
        setImmediate(() => response.destroy());
      },
      (response) => void response.destroy(),
      (response) => void response.writeHead(302, { location: to.url }).end(),
      status(204),
    ];
    to.answer = (response) => answers[Math.min(to.seen.length, answers.length) - 1]!(response);
    startWebhooks(store, { clock: () => now });
    await tell(store, 'acc_one', ...numbers(3));
    await failures(store, 1);
    expect(targets(to.seen)).toEqual(['n0', 'n1', 'n2']);
    now += MINUTE;
    await failures(store, 2);
    expect((await find(store)).lastError).toBe('the endpoint answers 302: redirects are not followed');
    now += HOUR;
    await eventually('the last one is taken', async () => (await find(store)).failures === 0);
    expect(targets(to.seen)).toEqual(['n0', 'n1', 'n2', 'n2', 'n2']);
  });

  it('that hangs holds up nobody else, nor the other webhooks of its account', async () => {
    const store = await database('acc_one', 'acc_two');
    const [slow, to] = [await receiver(), await receiver()];
    slow.answer = () => {};
    await insertWebhook(store, 'whk_one', { accountId: 'acc_one', url: slow.url });
    await insertWebhook(store, 'whk_same', { accountId: 'acc_one', url: to.url });
    await insertWebhook(store, 'whk_two', { accountId: 'acc_two', url: to.url });
    startWebhooks(store, { timeoutMs: 60_000 });
    await tell(store, 'acc_one', ...numbers(30));
    await tell(store, 'acc_two', ...numbers(30));
    await eventually('the others have all', async () => to.taken.length === 60);
    expect(slow.seen).toHaveLength(1);
  });

  it('that is known to hang takes no place of the others of its account, however many hang', async () => {
    const store = await database('acc_one');
    const [slow, to] = [await receiver(), await receiver()];
    slow.answer = () => {};
    const failed = { accountId: 'acc_one', url: slow.url, failures: 1, failingSince: 1, nextAt: 1 } as const;
    for (const one of numbers(20)) await insertWebhook(store, `whk_hangs_${one}`, failed);
    startWebhooks(store, { timeoutMs: 600_000 });
    await tell(store, 'acc_one', 'first');
    await eventually('some are tried again', async () => slow.seen.length === 2);
    for (const one of numbers(20)) await insertWebhook(store, `whk_${one}`, { accountId: 'acc_one', url: to.url });
    await tell(store, 'acc_one', 'second');
    await eventually('the others have theirs', async () => to.taken.length === 40);
    expect(slow.seen).toHaveLength(2);
  });

  it('whose name moves to a private address is not connected to', async () => {
    const store = await database('acc_one');
    const connected: string[] = [];
    const listen = (host: string, port: number): Promise<number> =>
      new Promise((resolve) => {
        const server = createServer((socket) => {
          connected.push(host);
          socket.destroy();
        });
        server.listen(port, host, () => resolve((server.address() as { port: number }).port));
        onTestFinished(() => void server.close());
      });
    const port = await listen('127.9.9.9', 0);
    await listen('127.0.0.1', port);
    let address = '127.9.9.9';
    let now = Date.now();
    const sending = createSending({ allowedNetworks: ['127.9.9.9'], resolve: async () => [{ address, family: 4 }] });
    await insertWebhook(store, 'whk_one', { accountId: 'acc_one', url: `https://hooks.example.com:${port}/` });
    startWebhooks(store, { sending, clock: () => now });
    await tell(store, 'acc_one', 'n0');
    await failures(store, 1);
    expect((await find(store)).lastError).toMatch(/^tls: /);
    address = '127.0.0.1';
    now += MINUTE;
    await failures(store, 2);
    expect((await find(store)).lastError).toMatch(/^resolve: /);
    expect(connected).toEqual(['127.9.9.9']);
  });
});

describe('deliveries', () => {
  it('repeat what was not noted, with the same id, and nothing else', async () => {
    const [store, to] = [await database('acc_one'), await receiver()];
    await insertWebhook(store, 'whk_one', { accountId: 'acc_one', url: to.url });
    // The process ends when the third has been taken, and before that is noted.
    const dying = {
      ...store,
      write: (job: never) => (to.taken.length > 2 ? Promise.reject(new Error('killed')) : store.write(job)),
    } as Store;
    const first = startWebhooks(dying);
    await tell(store, 'acc_one', 'n0');
    await eventually('the first is noted', async () => (await find(store)).deliveredSeq === 1n);
    await tell(store, 'acc_one', 'n1', 'n2');
    await eventually('the others are taken', async () => to.taken.length >= 3);
    await first.worker.stop();
    const before = to.taken.length;
    startWebhooks(store);
    await tell(store, 'acc_one', 'n3');
    await eventually('the last is taken', async () => targets(to.taken).at(-1) === 'n3');
    expect(targets(to.taken.slice(before))).toEqual(['n1', 'n2', 'n3']);
    expect(new Set(to.taken.map(({ id }) => id)).size).toBe(4);
  });

  it('go on after the clock was set back', async () => {
    const [store, to] = [await database('acc_one'), await receiver()];
    let now = Date.now();
    await insertWebhook(store, 'whk_one', { accountId: 'acc_one', url: to.url });
    to.answer = status(500);
    startWebhooks(store, { clock: () => now });
    await tell(store, 'acc_one', 'n0');
    await failures(store, 1);
    to.answer = status(200);
    now -= DAY;
    await eventually('it is tried again', async () => to.taken.length === 1);
  });

  it('after a restore of a backup have ids of their own, and those of what the backup holds the ids that they had', async () => {
    const to = await receiver();
    let now = Date.now();
    const clock = () => now++;
    const original = await openTemporarySqlite({ clock, migrations: MIGRATIONS.filter(({ version }) => version < 46) });
    onTestFinished(() => original[Symbol.asyncDispose]());
    const options = { role: 'service', log: silent, clock } as const;
    const on = async (store: Store, ...of: string[]) => {
      const { worker } = startWebhooks(store, { clock });
      for (const one of of) await tell(store, 'acc_one', one);
      const last = await store.read.events.lastSeq();
      await eventually('all is noted', async () => (await find(store)).deliveredSeq === last);
      await worker.stop();
    };
    // Before ids told restored databases apart.
    await withAccounts(original.store, 'acc_one');
    await tell(original.store, 'acc_one', 'n0');
    const path = join(original.directory, 'newer.db');
    await original.store.backupTo(path);
    const store = await openSqliteStore({ path, ...options });
    onTestFinished(() => store.close());
    await insertWebhook(store, 'whk_one', { accountId: 'acc_one', url: to.url });
    await on(store, 'n1');
    const backup = join(original.directory, 'backup.db');
    await store.backupTo(backup);
    await on(store, 'n2', 'n3');
    const restored = await openSqliteStore({ path: backup, ...options });
    onTestFinished(() => restored.close());
    // A replay.
    const webhook = { accountId: 'acc_one', webhookId: 'whk_one' } as const;
    await restored.write((tx) => tx.webhooks.update(webhook, { deliveredSeq: 0n, nextAt: 0 }));
    await on(restored, 'n4', 'n5');
    expect(targets(to.taken)).toEqual(['n0', 'n1', 'n2', 'n3', 'n0', 'n1', 'n4', 'n5']);
    expect(to.taken.map(({ body }) => body.seq)).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
    const ids = to.taken.map(({ id }) => id);
    expect(ids.slice(4, 6)).toEqual(ids.slice(0, 2));
    expect(new Set(ids).size).toBe(6);
    expect(ids[0]).toBe(deliveryIdOf('whk_one', 1n));
  });

  it('of an unordered webhook are not held up by one that fails, which is tried again', async () => {
    const [store, to] = [await database('acc_one'), await receiver()];
    let now = Date.now();
    await insertWebhook(store, 'whk_one', { accountId: 'acc_one', url: to.url, ordered: false });
    let refused = 'n1';
    to.answer = (response, { body }) => void response.writeHead(body.data.target === refused ? 500 : 200).end();
    startWebhooks(store, { clock: () => now });
    await tell(store, 'acc_one', ...numbers(30));
    await eventually('the others are taken', async () => (await find(store)).deliveredSeq === 30n);
    expect(targets(to.taken).sort()).toEqual(
      numbers(30)
        .filter((one) => one !== 'n1')
        .sort(),
    );
    const { nextAt } = await find(store);
    expect(nextAt).toBe(now + 10 * SECOND);
    refused = '';
    now += MINUTE;
    await eventually('that one, too', async () => to.taken.length === 30);
    await eventually('nothing waits', async () => (await find(store)).nextAt === null);
    expect(to.taken.at(-1)?.id).toBe(to.seen.find(({ body }) => body.data.target === 'n1')?.id);
  });

  it('are what its maker may read now, and end with the maker', async () => {
    const [store, to] = [await database('acc_one'), await receiver()];
    const [accountId, userId] = ['acc_one', 'usr_ada'] as const;
    const user = userRecord(userId, { accountId, role: 'admin', scopes: ['*'] });
    await store.write((tx) => tx.users.insert(user, { username: 'ada', email: null }));
    await insertWebhook(store, 'whk_one', {
      ...{ accountId, url: to.url, events: ['security.*', 'key.expiring'], makerKind: 'person', makerId: userId },
    });
    startWebhooks(store);
    await tell(store, 'acc_one', 'n0');
    await eventually('the first arrives', async () => to.taken.length === 1);
    await store.write((tx) => tx.users.update(accountId, userId, { scopes: ['api-keys:read'] }));
    await tell(store, 'acc_one', 'n1');
    const expiring = { kind: 'api_key', id: 'key_x', name: 'x', expires_at: new Date().toISOString() };
    await store.write((tx) =>
      tx.events.append({ accountId: 'acc_one', channel: 'keys', ref: 'key_x', data: expiring }),
    );
    await eventually('what may be read arrives', async () => to.taken.length === 2);
    expect(to.taken[1]?.body.type).toBe('key.expiring');
    await store.write((tx) => tx.users.update(accountId, userId, { disabledAt: Date.now() }));
    await tell(store, 'acc_one', 'n2');
    await disabled(store);
    expect((await find(store)).disabledReason).toBe(
      'usr_ada, which set it up, was revoked or disabled, or has expired',
    );
    expect(to.seen).toHaveLength(2);
  });

  it('cost nothing where nothing happens, with 10,000 webhooks, and no event of others wakes one', async () => {
    const store = await database('acc_one', 'acc_two');
    const to = await receiver();
    const idle = { accountId: 'acc_one', url: to.url, nextAt: null } as const;
    await store.write(async (tx) => {
      for (let at = 0; at < 10_000; at++) await tx.webhooks.insert(webhookRecord(`whk_${at}`, idle));
    });
    await insertWebhook(store, 'whk_two', { accountId: 'acc_two', url: to.url });
    let read = 0;
    const webhooks = new Proxy(store.read.webhooks, {
      get(all, name) {
        if (name === 'find') read++;
        return Reflect.get(all, name);
      },
    });
    startWebhooks({ ...store, read: { ...store.read, webhooks } });
    await tell(store, 'acc_two', 'n0');
    await eventually('the other account has its own', async () => to.taken.length === 1);
    await tell(store, 'acc_two', 'n1');
    await eventually('and again', async () => to.taken.length === 2);
    expect(read).toBeLessThan(10);
  });
});
