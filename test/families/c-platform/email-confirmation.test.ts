/** Confirmed e-mail addresses: what a code that is mailed to one opens, and how few are mailed. To a real SMTP server on loopback. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../builders/app.ts';
import { type MailServer, startMailServer } from '../../builders/mail-server.ts';
import { PASSWORD, startUsersApp, type UsersApp } from './users-app.ts';

const DAY = 86_400_000;
const START = '/api/v1/auth/email';
let mails: MailServer;
let app: UsersApp;

beforeAll(async () => {
  mails = await startMailServer();
  const sender = { NOTIFICATION_EMAIL_FROM: 'a@example.com', NOTIFICATION_EMAIL_DOMAINS: 'example.org' };
  app = await startUsersApp({ env: { SMTP_URL: mails.url, ...sender } });
});
afterAll(async () => {
  await app.close();
  await mails.close();
});

async function loggedIn(given: Json) {
  const { user_id: id, username } = await app.person(given);
  const login = async () => ({ apiKey: (await app.login({ username, password: PASSWORD })).body.access_token });
  let by = await login();
  return {
    ...{ id, username, email: given.email as string },
    async again() {
      by = await login();
    },
    start: () => app.post(START, undefined, by),
    confirm: (code: string) => app.post(`${START}/confirm`, { code }, by),
    isVerified: async () => (await app.get('/api/v1/auth/me', by)).body.email_verified as boolean,
  };
}
const lastMail = (to: string) => mails.taken.findLast((one) => one.to.includes(to))!.mail;
const codeTo = (to: string): string => /\b[0-9A-Za-z]{12}\b/.exec(lastMail(to).text!)![0];
const wrong = 'x'.repeat(12);
const codeOf = ({ status, body }: Json) => [status, body.error?.details.code];
const mailTo = async (to: Json) =>
  codeOf(await app.post('/api/v1/notifications/send', { channel: 'email', to, subject: 'Hi', body: 'Hello' }));

it('a confirmed address gets mail outside the domains, until it changes', async () => {
  const eve = await loggedIn({ email: 'Eve@elsewhere.test', name: 'Buy at https://spam.test' });
  const [person, address] = [{ user_id: eve.id }, { address: 'eve@elsewhere.test' }];
  expect([await mailTo(person), await mailTo(address)]).toEqual(Array(2).fill([422, 'policy_refused']));
  const { status, body } = await eve.start();
  expect([status, body.email, Date.parse(body.expires_at)]).toEqual([202, eve.email, app.now() + DAY]);
  const { text, html, subject } = lastMail(eve.email);
  expect(`${subject} ${text} ${html}`).not.toMatch(/spam|person-|Eve@/);
  expect(await eve.isVerified()).toBe(false);
  const { body: user } = await eve.confirm(codeTo(eve.email));
  expect([user.user_id, user.email_verified]).toEqual([eve.id, true]);
  expect([await mailTo(person), await mailTo(address)]).toEqual(Array(2).fill([202, undefined]));
  expect(codeOf(await eve.start())).toEqual([409, 'state_conflict']);
  const change = (more: Json) =>
    app.call('PUT', `/api/v1/users/${eve.id}`, {
      username: eve.username,
      role: 'viewer',
      scopes: ['wallets:read'],
      ...more,
    });
  expect((await change({ email: 'eve@ELSEWHERE.test' })).body.email_verified).toBe(true);
  expect((await change({ email: 'mallory@elsewhere.test' })).body.email_verified).toBe(false);
  expect((await change({ email: eve.email })).body.email_verified).toBe(false);
  expect([await mailTo(person), await mailTo(address)]).toEqual(Array(2).fill([422, 'policy_refused']));
});

it('a confirmation counts in its own account alone', async () => {
  const { apiKey } = await app.anotherAccount('strangers');
  const ada = await loggedIn({ email: 'ada@elsewhere.test' });
  await ada.start();
  await ada.confirm(codeTo(ada.email));
  const body = { channel: 'email', to: { address: ada.email }, subject: 'Hi', body: 'Hello' };
  expect(codeOf(await app.post('/api/v1/notifications/send', body, { apiKey }))).toEqual([422, 'policy_refused']);
});

it('a code is good for 5 tries and 24 hours, for whoever asked for it and the address they had', async () => {
  const bob = await loggedIn({ email: 'bob@elsewhere.test' });
  expect(codeOf(await bob.confirm(wrong))).toEqual([409, 'state_conflict']);
  await bob.start();
  const first = codeTo(bob.email);
  for (let tries = 0; tries < 5; tries++) expect(codeOf(await bob.confirm(wrong))).toEqual([403, 'forbidden']);
  expect(codeOf(await bob.confirm(first))).toEqual([409, 'state_conflict']);
  await bob.start();
  const second = codeTo(bob.email);
  expect(second).not.toBe(first);
  const eve = await loggedIn({ email: 'other@elsewhere.test' });
  await eve.start();
  expect(codeOf(await eve.confirm(second))).toEqual([403, 'forbidden']);
  app.advance(DAY);
  await bob.again();
  expect(codeOf(await bob.confirm(second))).toEqual([409, 'state_conflict']);
  await bob.start();
  const third = codeTo(bob.email);
  const put = (email: string) =>
    app.call('PUT', `/api/v1/users/${bob.id}`, {
      username: bob.username,
      email,
      role: 'viewer',
      scopes: ['wallets:read'],
    });
  await put('away@elsewhere.test');
  await put(bob.email);
  expect(codeOf(await bob.confirm(third))).toEqual([409, 'state_conflict']);
});

it('an address gets 3 mails a day, whoever has it, and an account sends 20', async () => {
  app.advance(DAY);
  const email = 'carol@elsewhere.test';
  const carol = await loggedIn({ email });
  const statuses = async (person: typeof carol, count: number) => {
    const made: number[] = [];
    for (let i = 0; i < count; i++) made.push((await person.start()).status);
    return made;
  };
  mails.answer = () => 421;
  expect(codeOf(await carol.start())).toEqual([503, 'unavailable']);
  mails.answer = () => 'take';
  expect(await statuses(carol, 2)).toEqual([202, 202]);
  await app.call('DELETE', `/api/v1/users/${carol.id}`);
  const next = await loggedIn({ email });
  expect(await statuses(next, 2)).toEqual([202, 429]);
  for (let i = 0; i < 17; i++) expect((await (await loggedIn({ email: `p${i}@x.test` })).start()).status).toBe(202);
  const last = await loggedIn({ email: 'last@x.test' });
  const { headers, ...refused } = await last.start();
  expect([codeOf(refused), headers['retry-after']]).toEqual([[429, 'rate_limited'], String(12 * 3_600)]);
  expect(mails.tried.filter((to) => to === 'last@x.test')).toEqual([]);
  app.advance(DAY / 2);
  await last.again();
  expect((await last.start()).status).toBe(202);
});

it('refuses who has no address, and says what the mail server refuses', async () => {
  const nobody = await loggedIn({});
  expect(codeOf(await nobody.start())).toEqual([409, 'state_conflict']);
  const dan = await loggedIn({ email: 'dan@elsewhere.test' });
  mails.answer = () => 550;
  const { status, body } = await dan.start();
  mails.answer = () => 'take';
  expect([status, body.error.details.field]).toEqual([422, 'email']);
});

it('names what is to be set where mail is not configured', async () => {
  const bare = await startUsersApp();
  try {
    await bare.person({ username: 'bare', email: 'bare@example.org' });
    const { access_token: apiKey } = (await bare.login({ username: 'bare', password: PASSWORD })).body;
    const { status, body } = await bare.post(START, undefined, { apiKey });
    expect([status, body.error.details.code]).toEqual([422, 'not_configured']);
    expect(body.error.message).toContain('SMTP_URL');
  } finally {
    await bare.close();
  }
});
