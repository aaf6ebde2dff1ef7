/**
 * kill -9 right before and right after every COMMIT in the life of a notification, from the request to the record of its last attempt, by e-mail
 * to a group and by push: each arrives, at most once more for each kill, and then with the same Message-ID or notification_id.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MailServer, startMailServer } from '../builders/mail-server.ts';
import { startPushReceiver } from '../builders/push-receiver.ts';
import { eventually } from '../builders/service-process.ts';
import type { Caller } from './crashes/caller.ts';
import { type KilledService, livesKilledAtEach, startKilledService, type When } from './crashes/killed-service.ts';
import { post } from './crashes/voices.ts';

const NOTIFICATIONS = '/api/v1/notifications';
const PASSWORD = 'correct horse battery staple';
interface Arrived {
  readonly to: string;
  /** The same however often it arrives. */
  readonly id: string;
}
interface Way {
  readonly channel: string;
  readonly to: object;
  readonly reaches: readonly string[];
  arrived(subject: string): Arrived[];
}

let killed: KilledService;
let admin: Caller;
let mail: MailServer;
let receiver: Awaited<ReturnType<typeof startPushReceiver>>;
let ways: Record<string, Way>;
let [asked, repeated] = [0, 0];

/** A person at this address, with a device that has subscribed. */
async function person(username: string): Promise<{ user_id: string; email: string }> {
  const email = `${username}@example.org`;
  const given = { username, email, role: 'viewer', scopes: ['mobile:read'], password: PASSWORD };
  const { user_id } = (await post(admin, { method: 'POST', path: '/api/v1/users', body: given }, username)).body;
  const ask = async (method: string, path: string, body: object, token?: string) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const answer = await fetch(killed.service.baseUrl + path, { method, headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
    return answer.json() as Promise<{ access_token: string }>;
  };
  const { access_token } = await ask('POST', '/api/v1/auth/login', { username, password: PASSWORD });
  await ask('POST', '/api/v1/mobile/sync', { device_id: 'phone' }, access_token);
  const push = { device_id: 'phone', push_subscription: receiver.subscribe() };
  await ask('PUT', '/api/v1/mobile/preferences', push, access_token);
  return { user_id, email };
}

beforeAll(async () => {
  [mail, receiver] = [await startMailServer(), await startPushReceiver()];
  const env = {
    ...{ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', PUSH_CONTACT: 'mailto:ops@example.com' },
    ...{ SMTP_URL: mail.url, NOTIFICATION_EMAIL_FROM: 'a@example.com', NOTIFICATION_EMAIL_DOMAINS: 'example.org' },
  };
  killed = await startKilledService(env, 'notifications|notification_deliveries');
  admin = killed.admin;
  const [eve, ada] = [await person('eve'), await person('ada')];
  const both = { name: 'both', user_ids: [eve.user_id, ada.user_id] };
  const group = (await post(admin, { method: 'POST', path: '/api/v1/enterprise/groups', body: both }, 'both')).body;
  ways = {
    email: {
      ...{ channel: 'email', to: { group_id: group.group_id }, reaches: [ada.email, eve.email] },
      arrived: (subject) =>
        mail.taken
          .filter((one) => one.mail.subject === subject)
          .map((one) => ({ to: one.to[0]!, id: one.mail.messageId! })),
    },
    push: {
      ...{ channel: 'push', to: { user_id: eve.user_id }, reaches: ['eve'] },
      arrived: (subject) =>
        receiver.pushed
          .filter(({ payload }) => payload.subject === subject)
          .map(({ payload }) => ({ to: 'eve', id: payload.notification_id })),
    },
  };
  killed.startAgain();
}, 120_000);
afterAll(async () => {
  await killed?.dispose();
  await receiver?.close();
  await mail?.close();
});

/** From the request to its last record; true if the service was killed on the way. */
async function live({ channel, to, reaches, arrived }: Way, commit: number, when: When): Promise<boolean> {
  const subject = `${channel}-${when}-${commit}`;
  const before = killed.deaths;
  killed.arm(subject, commit, when);
  const body = { channel, to, subject, body: 'x', external_id: subject };
  const { notification_id } = (await post(admin, { method: 'POST', path: `${NOTIFICATIONS}/send`, body }, subject))
    .body;
  const ended = await eventually(`${subject} ends`, async () => {
    const { status } = await admin.read(`${NOTIFICATIONS}/${notification_id}`);
    return status !== 'queued' && status;
  });
  expect(ended).toBe('sent');
  killed.spare();
  asked++;
  const all = arrived(subject);
  for (const one of reaches) {
    const ids = all.flatMap(({ to: at, id }) => (at === one ? [id] : []));
    expect(new Set(ids).size, `${subject} ${one}`).toBe(1);
    expect(ids.length, `${subject} ${one}`).toBeLessThanOrEqual(1 + killed.deaths - before);
    repeated += ids.length - 1;
  }
  expect(all.every(({ to: at }) => reaches.includes(at))).toBe(true);
  return killed.deaths > before;
}

it.each(['email', 'push'])('%s', { timeout: 300_000 }, async (name) => {
  repeated = 0;
  // Of the request, that an attempt begins, and how it went.
  for (const when of ['before', 'after'] as const)
    expect(await livesKilledAtEach((commit) => live(ways[name]!, commit, when))).toBeGreaterThan(3);
  // Killed between an attempt and its record.
  expect(repeated).toBeGreaterThan(0);
});

it('and nothing was sent that nobody asked for', async () => {
  const all = await admin.readAll(`${NOTIFICATIONS}?box=sent`);
  const sent = all.filter(({ external_id }) => external_id !== null).map(({ external_id }) => external_id);
  expect(sent).toHaveLength(asked);
  expect(new Set(sent).size).toBe(asked);
  expect(receiver.problems).toEqual([]);
});
