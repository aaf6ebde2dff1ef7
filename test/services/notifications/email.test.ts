/** E-mail to a real SMTP server on loopback that refuses in every way. Days pass on the clock. */
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { createMailing, type MailConfig } from '../../../src/engines/mailing/create-mailing.ts';
import { untilAborted } from '../../../src/scheduling/on-abort.ts';
import type { NewNotification } from '../../../src/services/notifications/enqueue.ts';
import { createNotifications } from '../../../src/services/notifications/index.ts';
import type { NotificationRecord } from '../../../src/store/repositories/notifications.ts';
import type { Store } from '../../../src/store/store.ts';
import { createAuthority } from '../../builders/certificates.ts';
import { dkimHolds, startMailServer } from '../../builders/mail-server.ts';
import { eventually } from '../../builders/service-process.ts';
import { openTemporarySqlite, silent } from '../../builders/stores.ts';
import { withAccounts } from '../../builders/webhook-world.ts';
import { userRecord } from '../../conformance/store/users.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

let now = Date.parse('2026-11-27T10:00:00Z');

async function database(...accounts: AccountId[]): Promise<{ store: Store; directory: string }> {
  const sqlite = await openTemporarySqlite({ clock: () => now });
  onTestFinished(() => sqlite[Symbol.asyncDispose]());
  await withAccounts(sqlite.store, ...accounts);
  for (const accountId of accounts) {
    const email = `eve@${accountId.slice(4)}.example`;
    const user = userRecord(`usr_${accountId}`, { accountId, email });
    await sqlite.store.write((tx) => tx.users.insert(user, { username: user.username, email }));
  }
  return sqlite;
}
async function server(...given: Parameters<typeof startMailServer>) {
  const made = await startMailServer(...given);
  onTestFinished(() => made.close());
  return made;
}
function start(store: Store, smtpUrl: string, more: Partial<MailConfig> & { ca?: string; log?: typeof silent } = {}) {
  const { ca, log = silent, ...config } = more;
  const from = { name: 'Ashlar, "Inc"', address: 'ashlar@example.com' };
  const made = createNotifications({
    ...{
      store,
      clock: () => now,
      random: () => 0,
      log,
      roundMs: 10,
      keptMs: 90 * DAY,
      emailDomains: ['example.org', '*'],
    },
    randomBytes: (size) => crypto.getRandomValues(Buffer.alloc(size)),
    sendMail: createMailing({ smtpUrl, from, dkim: null, ...config }, ca === undefined ? {} : { ca }),
    ...{ messages: undefined as never, keys: undefined as never, send: undefined as never },
    push: { name: 'push', configured: () => true, needs: '', deliver: async () => ({ delivered: true, code: null }) },
  });
  made.worker.start();
  onTestFinished(() => made.worker.stop());
  const send = (more: Partial<NewNotification> = {}): Promise<NotificationRecord> =>
    store.write((tx) =>
      made.enqueue(tx, {
        ...{
          accountId: 'acc_one',
          channel: 'email',
          target: { kind: 'user', id: `usr_${more.accountId ?? 'acc_one'}` },
        },
        ...{
          maker: { kind: 'api_key', id: `key_${more.accountId ?? 'acc_one'}` },
          subject: 'Größe',
          body: '**0.5** BTC',
        },
        ...more,
      }),
    );
  return { ...made, send };
}
const of = async (store: Store, { accountId, notificationId }: NotificationRecord) =>
  (await store.read.notificationDeliveries.of({ accountId, notificationId }, 9))[0]!;
const attempts = (store: Store, one: NotificationRecord, count: number) =>
  eventually(`${count} attempts`, async () => {
    const delivery = await of(store, one);
    return delivery.attempts === count && delivery.begunAt === null && delivery;
  });

describe('a mail', () => {
  it('comes over TLS with both parts and a DKIM signature that holds, and none of its headers is the sender’s', async () => {
    const { store, directory } = await database('acc_one');
    const authority = createAuthority(directory);
    const to = await server(authority.issue('mail'));
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const dkim = { domainName: 'example.com', keySelector: 'ashlar', privateKey };
    const { send } = start(store, to.url, { dkim, ca: authority.certificate });
    const one = await send({ subject: 'Größe\r\nBcc: all@example.com', body: '**0.5** <b>\n.\n[x](https://a/)' });
    await eventually('it has come', async () => to.taken.length === 1);
    const [{ mail, raw, to: envelope, secure }] = to.taken as [(typeof to.taken)[0]];
    expect([envelope, secure]).toEqual([['eve@one.example'], true]);
    expect([mail.subject, mail.from?.text, mail.bcc]).toEqual([
      'Größe Bcc: all@example.com',
      '"Ashlar, \\"Inc\\"" <ashlar@example.com>',
      undefined,
    ]);
    expect(mail.text).toBe('**0.5** <b>\n.\n[x](https://a/)');
    expect(mail.html).toBe(
      '<p><strong>0.5</strong> &lt;b&gt;\n.\n<a href="https://a/" rel="noopener noreferrer nofollow">x</a></p>\n',
    );
    expect(mail.messageId).toMatch(new RegExp(`^<${one.notificationId}\\.\\w{22}@example\\.com>$`));
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
    expect(dkimHolds(raw, publicKey)).toBe(true);
    expect(dkimHolds(raw.replace('0.5', '9.5'), publicKey)).toBe(false);
    expect(await attempts(store, one, 1)).toMatchObject({ status: 'delivered', code: '250', error: null });
  });

  it('goes to a server on the same machine whatever its certificate, to others only with one that holds', async () => {
    const { store, directory } = await database('acc_one');
    const to = await server(createAuthority(directory).issue('mail'));
    // A spelling of 127.0.0.1 that is not taken for it.
    const elsewhere = start(store, to.url.replace('127.0.0.1', '0x7f.1'));
    const one = await elsewhere.send();
    const { error } = await attempts(store, one, 1);
    expect(error).toMatch(/certificate/);
    await elsewhere.worker.stop();
    now += MINUTE;
    start(store, to.url);
    expect(await attempts(store, one, 2)).toMatchObject({ status: 'delivered' });
  });

  it('that is greylisted is tried again after growing pauses, as the same mail', async () => {
    const { store } = await database('acc_one');
    const to = await server();
    to.answer = () => 451;
    const { send } = start(store, to.url);
    const one = await send();
    for (const [at, pause] of [10 * SECOND, MINUTE, 5 * MINUTE].entries()) {
      expect(await attempts(store, one, at + 1)).toMatchObject({ status: 'queued', code: '451', nextAt: now + pause });
      now += pause;
    }
    expect((await attempts(store, one, 4)).error).toMatch(/^the mail server: [ -~]*451/);
    to.answer = () => 'take';
    now += HOUR;
    expect(await attempts(store, one, 5)).toMatchObject({ status: 'delivered', code: '250' });
    expect([to.taken.length, to.tried.length]).toEqual([1, 5]);
  });

  it('that is refused has failed, with the code; after 5 days of other failures it has, too', async () => {
    const { store } = await database('acc_one');
    const to = await server();
    to.answer = () => 550;
    const { send, series } = start(store, to.url);
    const refused = await send();
    expect(await attempts(store, refused, 1)).toMatchObject({ status: 'failed', code: '550', nextAt: null });
    to.answer = () => 421;
    const later = await send();
    for (let at = 1; (await of(store, later)).status === 'queued'; at++)
      now = (await attempts(store, later, at)).nextAt ?? now;
    const { failingSince, attempts: made } = await of(store, later);
    expect([now - failingSince! >= 5 * DAY, made]).toEqual([true, 13]);
    expect(await store.read.notifications.find('acc_one', later.notificationId)).toMatchObject({
      waiting: 0,
      failed: 1,
    });
    expect(series.attempts()).toContainEqual({ channel: 'email', delivered: 0, failed: 14 });
  });

  it('that breaks off midway, whose server is away, or refuses the login is tried again', async () => {
    const { store } = await database('acc_one');
    const to = await server();
    to.answer = () => 'break';
    const { send, worker } = start(store, to.url);
    const one = await send();
    expect(await attempts(store, one, 1)).toMatchObject({ status: 'queued', code: null });
    await worker.stop();
    const { directory } = await database();
    const authority = createAuthority(directory);
    const strict = await server(authority.issue('mail'));
    now += MINUTE;
    const other = start(store, strict.url.replace('p%3Ass', 'wrong'), { ca: authority.certificate });
    expect(await attempts(store, one, 2)).toMatchObject({
      ...{ status: 'queued', code: null, error: expect.stringContaining('535') },
    });
    await other.worker.stop();
    now += HOUR;
    const away = start(store, 'smtp://127.0.0.1:1');
    expect(await attempts(store, one, 3)).toMatchObject({ status: 'queued', code: null });
    await away.worker.stop();
    to.answer = () => 'take';
    now += HOUR;
    start(store, to.url);
    expect(await attempts(store, one, 4)).toMatchObject({ status: 'delivered' });
    expect(new Set(to.taken.map(({ mail }) => mail.messageId)).size).toBe(1);
  });

  it('is tried at once when the server takes mail again; an outage has a line when it begins and one when it ends', async () => {
    const { store } = await database('acc_one');
    const to = await server();
    to.refusesSender = true;
    const lines: string[] = [];
    const note = (_: unknown, line: string) => void lines.push(line);
    const { send, series } = start(store, to.url, { log: { ...silent, warn: note, info: note } as never });
    const one = await send();
    for (let at = 1; at <= 4; at++) now = (await attempts(store, one, at)).nextAt ?? now;
    expect(await attempts(store, one, 5)).toMatchObject({ status: 'queued', code: null, nextAt: now + 2 * HOUR });
    expect([series.mailFails(), lines]).toEqual([true, ['the mail server takes no mail: it is tried again']]);
    to.refusesSender = false;
    to.answer = (address) => (address === 'any@example.org' ? 'take' : 550);
    now += 2 * MINUTE;
    await send({ target: { kind: 'address', id: 'any@example.org' } });
    expect(await attempts(store, one, 6)).toMatchObject({ status: 'failed' });
    expect(series.mailFails()).toBe(false);
    expect(lines.slice(1).filter((line) => line.startsWith('the mail'))).toEqual(['the mail server takes mail again']);
  });

  it('that one address defers is no outage, and keeps its pauses', async () => {
    const { store } = await database('acc_one');
    const to = await server();
    to.answer = (address) => (address === 'late@example.org' ? 450 : 'take');
    const { send, series } = start(store, to.url);
    const late = await send({ target: { kind: 'address', id: 'late@example.org' } });
    const failing = await attempts(store, late, 1);
    for (let minutes = 0; minutes < 3; minutes++) {
      now += 2 * SECOND;
      expect(await attempts(store, await send(), 1)).toMatchObject({ status: 'delivered' });
      expect(series.mailFails()).toBe(false);
    }
    expect(await of(store, late)).toEqual(failing);
  });

  it('waits while its account is frozen', async () => {
    const { store } = await database('acc_one');
    const to = await server();
    await store.write((tx) => tx.accounts.freeze('acc_one', now, null));
    const { send, worker } = start(store, to.url);
    const one = await send();
    const { rounds } = worker.counts();
    await eventually('it was looked at', async () => worker.counts().rounds > rounds + 2);
    expect(await of(store, one)).toMatchObject({ status: 'queued', attempts: 0 });
    await store.write((tx) => tx.accounts.unfreeze('acc_one'));
    expect((await attempts(store, one, 1)).status).toBe('delivered');
  });

  it('does not go to an address that is the account’s no more, nor to one that never was', async () => {
    const { store } = await database('acc_one', 'acc_two');
    const to = await server();
    const { send, series } = start(store, to.url);
    for (const address of ['eve@two.example', 'eve@sub.example.org', 'eve@one.example@evil.example'])
      expect((await attempts(store, await send({ target: { kind: 'address', id: address } }), 1)).status).toBe(
        'failed',
      );
    await send({ target: { kind: 'address', id: 'any@EXAMPLE.org' } });
    await send({ target: { kind: 'address', id: 'Eve@One.example' } });
    await eventually('the others have come', async () => to.taken.length === 2);
    await store.write((tx) => tx.users.update('acc_one', 'usr_acc_one', { disabledAt: now }));
    expect((await attempts(store, await send(), 1)).error).toMatch(/disabled/);
    expect(to.tried.toSorted()).toEqual(['Eve@one.example', 'any@example.org']);
    expect(series.attempts()).toContainEqual({ channel: 'email', delivered: 2, failed: 0 });
  });
});

describe('sending', () => {
  it('after a crash between an attempt and its record sends the same mail again, and without one never twice', async () => {
    const { store } = await database('acc_one');
    const to = await server();
    let isAway = true;
    /** The database takes nothing once so many have come. */
    const failing = (after: number): Store => ({
      ...store,
      write: (job: never) =>
        isAway && to.taken.length >= after ? Promise.reject(new Error('away')) : store.write(job),
    });
    const one = start(failing(1), to.url);
    const first = await one.send();
    await eventually('noting has failed', async () => one.worker.counts().failures > 0);
    isAway = false;
    expect(await attempts(store, first, 1)).toMatchObject({ status: 'delivered' });
    expect(to.taken).toHaveLength(1);
    await one.worker.stop();
    isAway = true;
    const dying = start(failing(2), to.url);
    const second = await dying.send();
    await eventually('it has come', async () => to.taken.length === 2);
    await dying.worker.stop();
    start(store, to.url);
    expect(await attempts(store, second, 1)).toMatchObject({ status: 'delivered' });
    expect(to.taken).toHaveLength(3);
    expect(to.taken[2]?.mail.messageId).toBe(to.taken[1]?.mail.messageId);
  });

  it('by two processes sends each once', async () => {
    const { store } = await database('acc_one');
    const to = await server();
    const [one] = [start(store, to.url), start(store, to.url)];
    const all = await Promise.all(Array.from({ length: 20 }, () => one.send()));
    for (const each of all) await attempts(store, each, 1);
    expect(new Set(to.taken.map(({ mail }) => mail.messageId)).size).toBe(20);
    expect(to.taken).toHaveLength(20);
  });

  it('takes turns by account: many of one hold up no other', async () => {
    const { store } = await database('acc_one', 'acc_two');
    const to = await server();
    const { send } = start(store, to.url);
    await store.write(async () => {});
    for (let at = 0; at < 60; at++) await send();
    const before = to.taken.length;
    const theirs = await send({ accountId: 'acc_two' });
    await attempts(store, theirs, 1);
    const position = to.taken.findIndex(({ to: [address] }) => address === 'eve@two.example');
    expect(position).toBeLessThan(before + 20);
    await eventually('all have come', async () => to.taken.length === 61);
  });

  it('leaves what has ended for 90 days, and what waits for longer', async () => {
    const { store } = await database('acc_one');
    const to = await server();
    const { send, worker, sweep } = start(store, to.url);
    const sent = await send();
    await attempts(store, sent, 1);
    await worker.stop();
    const waits = await send();
    now += 90 * DAY;
    // The day's count of recipients.
    expect(await sweep()).toBe(1);
    now += 1;
    expect([await sweep(), await store.read.notifications.find('acc_one', sent.notificationId)]).toEqual([2, null]);
    expect(await store.read.notifications.find('acc_one', waits.notificationId)).not.toBeNull();
  });

  it('goes on by other channels while the mail server hangs', async () => {
    const accounts = Array.from({ length: 110 }, (_, at): AccountId => `acc_${10 + at}`);
    const { store } = await database(...accounts);
    const to = await server();
    let release = (): void => {};
    const hangs = new Promise<'take'>((resolve) => (release = () => resolve('take')));
    onTestFinished(() => release());
    to.answer = () => hangs;
    const { send, worker, series } = start(store, to.url);
    const toAll = (channel: 'email' | 'push') => Promise.all(accounts.map((accountId) => send({ accountId, channel })));
    await toAll('email');
    const { rounds } = worker.counts();
    await eventually('all are begun that can be', async () => worker.counts().rounds > rounds + 1);
    for (const one of await toAll('push')) await attempts(store, one, 1);
    expect(series.attempts()).toContainEqual({ channel: 'email', delivered: 0, failed: 0 });
    expect(series.attempts()).toContainEqual({ channel: 'push', delivered: 110, failed: 0 });
  });

  it('goes on where the clock was ahead before a restart', async () => {
    const { store } = await database('acc_one');
    const to = await server();
    to.answer = () => 451;
    now += 3 * DAY;
    const { send, worker } = start(store, to.url);
    const one = await send();
    await attempts(store, one, 1);
    await worker.stop();
    now -= 3 * DAY;
    start(store, to.url);
    await attempts(store, one, 2);
  });

  it('has no lag in a process that leads no more', async () => {
    const { store } = await database('acc_one');
    const to = await server();
    const hangs = Promise.withResolvers<'take'>();
    onTestFinished(() => hangs.resolve('take'));
    to.answer = () => hangs.promise;
    const lost = new AbortController();
    const shared: Store = {
      ...store,
      exclusively: (name, signal, work) =>
        lost.signal.aborted
          ? untilAborted(new Promise<never>(() => {}), signal)
          : store.exclusively(name, AbortSignal.any([signal, lost.signal]), work),
    };
    const { send, series } = start(shared, to.url);
    await send();
    await eventually('it is being sent', async () => to.tried.length === 1);
    now += MINUTE;
    await eventually('it waits', async () => series.lagMs() >= MINUTE);
    lost.abort();
    await eventually('another process leads', async () => series.lagMs() === 0);
  });

  it('goes on after the clock was set back, and not before what was sent for later', async () => {
    const { store } = await database('acc_one');
    const to = await server();
    to.answer = () => 451;
    const { send } = start(store, to.url);
    const one = await send();
    const later = await send({ sendAt: now + HOUR });
    await attempts(store, one, 1);
    to.answer = () => 'take';
    now -= DAY;
    expect(await attempts(store, one, 2)).toMatchObject({ status: 'delivered' });
    expect(await of(store, later)).toMatchObject({ status: 'queued', attempts: 0 });
    now += DAY + HOUR;
    await attempts(store, later, 1);
  });
});
