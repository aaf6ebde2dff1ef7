/**
 * kill -9 right before and right after every COMMIT in the life of a notification, from the request to the record of its last attempt, by e-mail
 * to a group and by push: each arrives, at most once more for each kill, and then with the same Message-ID or notification_id.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MailServer, startMailServer } from '../builders/mail-server.ts';
import { startPushReceiver } from '../builders/push-receiver.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';
import { type Caller, type Credentials, createCaller } from './crashes/caller.ts';
import { unlimited } from './crashes/series.ts';
import { post } from './crashes/voices.ts';

const NOTIFICATIONS = '/api/v1/notifications';
const PRELOAD = fileURLToPath(new URL('crashes/killed-at-commit.ts', import.meta.url));
const KILL_AT = join(mkdtempSync(join(tmpdir(), 'ashlar-kills-')), 'kill-at');
const PASSWORD = 'correct horse battery staple';
/** A life has fewer. */
const MOST_COMMITS = 12;

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

let service: ServiceProcess;
let admin: Caller;
let mail: MailServer;
let receiver: Awaited<ReturnType<typeof startPushReceiver>>;
let ways: Record<string, Way>;
let [deaths, asked, repeated, over] = [0, 0, 0, false];

const startAgain = (): Promise<void> =>
  service.exited.then(async () => {
    if (over) return;
    deaths++;
    rmSync(KILL_AT, { force: true });
    const started = service.start();
    void startAgain();
    await started.catch(() => {});
  });

/** A person at this address, with a device that has subscribed. */
async function person(username: string): Promise<{ user_id: string; email: string }> {
  const email = `${username}@example.org`;
  const given = { username, email, role: 'viewer', scopes: ['mobile:read'], password: PASSWORD };
  const { user_id } = (await post(admin, { method: 'POST', path: '/api/v1/users', body: given }, username)).body;
  const ask = async (method: string, path: string, body: object, token?: string) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const answer = await fetch(service.baseUrl + path, { method, headers, body: JSON.stringify(body) });
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
  service = await startService({
    ...{ CHAIN: 'simulated', LOG_LEVEL: 'debug', OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' },
    ...{ SMTP_URL: mail.url, NOTIFICATION_EMAIL_FROM: 'a@example.com', NOTIFICATION_EMAIL_DOMAINS: 'example.org' },
    ...{ PUSH_CONTACT: 'mailto:ops@example.com', NODE_OPTIONS: `--import ${PRELOAD}`, KILL_AT },
    KILL_TABLES: 'notifications|notification_deliveries',
  });
  const first = JSON.parse(readFileSync(join(service.dataDir, 'admin-credentials.json'), 'utf8')) as Credentials;
  admin = await unlimited(service.baseUrl, createCaller(service.baseUrl, first));
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
  void startAgain();
}, 120_000);
afterAll(async () => {
  over = true;
  await service?.dispose();
  await receiver?.close();
  await mail?.close();
});

/** From the request to its last record; true if the service was killed on the way. */
async function live({ channel, to, reaches, arrived }: Way, commit: number, when: string): Promise<boolean> {
  const subject = `${channel}-${when}-${commit}`;
  const before = deaths;
  writeFileSync(KILL_AT, JSON.stringify({ subject, commit, when }));
  const body = { channel, to, subject, body: 'x', external_id: subject };
  const { notification_id } = (await post(admin, { method: 'POST', path: `${NOTIFICATIONS}/send`, body }, subject))
    .body;
  const ended = await eventually(`${subject} ends`, async () => {
    const { status } = await admin.read(`${NOTIFICATIONS}/${notification_id}`);
    return status !== 'queued' && status;
  });
  expect(ended).toBe('sent');
  rmSync(KILL_AT, { force: true });
  asked++;
  const all = arrived(subject);
  for (const one of reaches) {
    const ids = all.flatMap(({ to: at, id }) => (at === one ? [id] : []));
    expect(new Set(ids).size, `${subject} ${one}`).toBe(1);
    expect(ids.length, `${subject} ${one}`).toBeLessThanOrEqual(1 + deaths - before);
    repeated += ids.length - 1;
  }
  expect(all.every(({ to: at }) => reaches.includes(at))).toBe(true);
  return deaths > before;
}

it.each(['email', 'push'])('%s', { timeout: 300_000 }, async (name) => {
  repeated = 0;
  for (const when of ['before', 'after']) {
    let commit = 1;
    while (await live(ways[name]!, commit, when)) expect(commit++).toBeLessThan(MOST_COMMITS);
    // Of the request, that an attempt begins, and how it went.
    expect(commit).toBeGreaterThan(3);
  }
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
