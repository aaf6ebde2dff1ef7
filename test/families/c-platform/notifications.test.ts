/** Notifications by HTTP: who is told what, who may see it, and what is refused. Time is a clock that the test advances. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Json } from '../../builders/app.ts';
import { startMailServer } from '../../builders/mail-server.ts';
import { eventually } from '../../builders/service-process.ts';
import { startReceiver, verified } from '../../builders/webhook-receiver.ts';
import { PASSWORD, startUsersApp, type UsersApp } from './users-app.ts';

const NOTIFICATIONS = '/api/v1/notifications';
const DAY = 86_400_000;

let service: UsersApp;
beforeAll(async () => {
  service = await startUsersApp({ env: { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } });
});
afterAll(() => service.close());

interface Person {
  readonly id: string;
  readonly token: string;
}
async function person(given: Json = {}): Promise<Person> {
  const { user_id: id, username } = await service.person({ role: 'viewer', ...given });
  const { access_token: token } = (await service.login({ username, password: PASSWORD })).body;
  return { id, token };
}
const told = (user_id: string, more: Json = {}): Json => ({
  ...{ channel: 'in_app', to: { user_id }, subject: 'Refilled', body: 'The wallet has **0.5 BTC**.' },
  ...more,
});
async function send(body: Json, options = {}): Promise<Json> {
  const answer = await service.post(`${NOTIFICATIONS}/send`, body, options);
  expect(answer.status, answer.text).toBe(202);
  return answer.body;
}
const refused = async (body: Json, options = {}): Promise<Json> => {
  const { status, body: answer } = await service.post(`${NOTIFICATIONS}/send`, body, options);
  const { code, field } = answer.error.details;
  return [status, code, field];
};
/** Without the security notices, which each person gets of what happens around them. */
const inbox = async ({ token }: Person, query = ''): Promise<Json[]> => {
  const { data } = (await service.get(`${NOTIFICATIONS}?limit=100${query}`, { apiKey: token })).body;
  return (data as Json[]).filter(({ sent_by }) => sent_by.kind !== 'service');
};
const get = (id: string, options = {}) => service.get(`${NOTIFICATIONS}/${id}`, options);
const group = async (members: Json): Promise<string> =>
  (await service.post('/api/v1/enterprise/groups', { name: `g ${Math.random()}`, ...members })).body.group_id;

describe('a notification in the application', () => {
  it('is there at once for the person whom it is for, with HTML that is safe, and for nobody else of the account', async () => {
    const [eve, bob] = [await person(), await person()];
    const body = '<script>x</script> [a](javascript:x) ![b](https://a/b.png) [c](https://a/?b&c)';
    const made = await send(told(eve.id, { body, data: { wallet: 'wal_1' } }));
    expect(made).toMatchObject({ status: 'sent', to: { user_id: eve.id }, read_at: null, template_id: null });
    const [shown] = await inbox(eve);
    const { html, ...listed } = { ...made, sent_by: { kind: 'api_key', id: null } };
    expect(shown).toEqual(listed);
    expect(html).toBe(
      '<p>&lt;script&gt;x&lt;/script&gt; [a](javascript:x) !<a href="https://a/b.png" rel="noopener noreferrer nofollow">b</a> ' +
        '<a href="https://a/?b&amp;c" rel="noopener noreferrer nofollow">c</a></p>\n',
    );
    expect(await inbox(bob)).toEqual([]);
    expect((await get(made.notification_id, { apiKey: bob.token })).status).toBe(404);
    const mine = (await get(made.notification_id, { apiKey: eve.token })).body;
    expect(mine).toEqual({ ...listed, html, deliveries: [] });
    const all = (await get(made.notification_id)).body;
    expect(all.deliveries).toMatchObject([{ recipient: eve.id, status: 'delivered', attempts: 0 }]);
    const { apiKey } = await service.anotherAccount();
    expect((await get(made.notification_id, { apiKey })).status).toBe(404);
  });

  it('is read, and unread again, by the person alone', async () => {
    const [eve, bob] = [await person(), await person()];
    const { notification_id: id } = await send(told(eve.id));
    await send(told(eve.id));
    const mark = (read: boolean, apiKey: string) =>
      service.call('PATCH', `${NOTIFICATIONS}/${id}`, { read }, { apiKey });
    expect((await mark(true, eve.token)).body.read_at).toBe(new Date(service.now()).toISOString());
    expect([await inbox(eve, '&unread=true'), await inbox(eve, '&unread=false')].map((all) => all.length)).toEqual([
      1, 1,
    ]);
    expect((await mark(false, eve.token)).body.read_at).toBeNull();
    expect(await inbox(eve, '&unread=true')).toHaveLength(2);
    expect((await mark(true, bob.token)).status).toBe(404);
    expect((await mark(true, service.adminKey)).status).toBe(404);
  });

  it('reaches the members of a group as they are when its time comes, each once', async () => {
    const people = [await person(), await person(), await person()];
    const ids = people.map(({ id }) => id);
    const group_id = await group({ user_ids: ids.slice(0, 2) });
    const send_at = new Date(service.now() + DAY).toISOString();
    const made = await send(told('', { to: { group_id }, send_at }));
    expect(made).toMatchObject({ status: 'queued', send_at, recipients: { waiting: 1, delivered: 0, failed: 0 } });
    await service.call('PATCH', `/api/v1/enterprise/groups/${group_id}`, { user_ids: ids });
    await service.call('DELETE', `/api/v1/users/${ids[0]}`);
    service.advance(DAY);
    const sent = await eventually('it is sent', async () => {
      const { body } = await get(made.notification_id);
      return body.status === 'sent' && body;
    });
    expect(sent.recipients).toEqual({ waiting: 0, delivered: 2, failed: 0 });
    expect(sent.deliveries.map(({ recipient }: Json) => recipient)).toEqual(ids.slice(1).sort());
    const { username } = (await service.get(`/api/v1/users/${ids[1]}`)).body;
    const { access_token: token } = (await service.login({ username, password: PASSWORD })).body;
    expect(await inbox({ id: ids[1]!, token })).toMatchObject([{ notification_id: made.notification_id }]);
  });

  it('of a group shows each member nothing of the others, of who sent it and of its external_id', async () => {
    const [eve, bob] = [await person(), await person()];
    const group_id = await group({ user_ids: [eve.id, bob.id] });
    const { notification_id: id } = await send(told('', { to: { group_id }, external_id: `order ${eve.id}` }));
    await eventually('it is sent', async () => (await get(id)).body.status === 'sent');
    const recipients = { waiting: 0, delivered: 1, failed: 0 };
    const seen = { to: { user_id: eve.id }, external_id: null, sent_by: { kind: 'api_key', id: null }, recipients };
    expect((await get(id, { apiKey: eve.token })).body).toMatchObject(seen);
    expect(await inbox(eve)).toMatchObject([seen]);
    const marked = await service.call('PATCH', `${NOTIFICATIONS}/${id}`, { read: true }, { apiKey: eve.token });
    expect(marked.body).toMatchObject(seen);
    expect((await get(id)).body).toMatchObject({ to: { group_id }, recipients: { delivered: 2 } });
  });

  it('for somebody who was deleted meanwhile has failed', async () => {
    const eve = await person();
    const send_at = new Date(service.now() + DAY).toISOString();
    const { notification_id: id } = await send(told(eve.id, { send_at }));
    const rule = { events: ['security.key_created'], channel: 'in_app', to: { user_id: eve.id } };
    const { rule_id } = (await service.post(`${NOTIFICATIONS}/rules`, rule)).body;
    await service.call('DELETE', `/api/v1/users/${eve.id}`);
    await service.post('/api/v1/api-keys', { name: 'told of', scopes: ['wallets:read'] });
    service.advance(DAY);
    const failed = await eventually('both have failed', async () => {
      const { data } = (await service.get(`${NOTIFICATIONS}?box=sent&limit=100`)).body;
      const both = (data as Json[]).filter((one) => one.notification_id === id || one.data?.rule_id === rule_id);
      return both.length === 2 && both.every(({ status }) => status === 'failed') && both;
    });
    for (const one of failed)
      expect((await get(one.notification_id)).body.deliveries[0].error).toBe('the person was deleted');
    await service.call('DELETE', `${NOTIFICATIONS}/rules/${rule_id}`);
  });

  it('is cancelled while it waits, and not after; nobody sees what waits', async () => {
    const eve = await person();
    const send_at = new Date(service.now() + DAY).toISOString();
    const { notification_id: id } = await send(told(eve.id, { send_at }));
    expect(await inbox(eve)).toEqual([]);
    const cancel = async (apiKey = service.adminKey, of = id) =>
      (await service.call('DELETE', `${NOTIFICATIONS}/${of}`, undefined, { apiKey })).status;
    const operators = { role: 'operator', scopes: ['notifications:write'] } as const;
    const [sender, other] = [await service.key(operators), await service.key(operators)];
    expect(await cancel(other)).toBe(403);
    expect([await cancel(), await cancel()]).toEqual([204, 409]);
    const theirs = await send(told(eve.id, { send_at }), { apiKey: sender });
    expect([await cancel(other, theirs.notification_id), await cancel(sender, theirs.notification_id)]).toEqual([
      403, 204,
    ]);
    expect((await get(id)).body).toMatchObject({ status: 'cancelled', recipients: { waiting: 0, delivered: 0 } });
    const { notification_id: sent } = await send(told(eve.id));
    expect((await service.call('DELETE', `${NOTIFICATIONS}/${sent}`)).status).toBe(409);
  });

  it('of a credential that was revoked meanwhile does not come any more', async () => {
    const eve = await person();
    const apiKey = await service.key({ name: 'sender', role: 'operator', scopes: ['notifications:write'] });
    const send_at = new Date(service.now() + DAY).toISOString();
    const { notification_id, sent_by } = await send(told(eve.id, { send_at }), { apiKey });
    const { id: api_key_id } = sent_by;
    await service.call('DELETE', `/api/v1/api-keys/${api_key_id}`);
    service.advance(DAY);
    const failed = await eventually('it fails', async () => {
      const { body } = await get(notification_id);
      return body.status === 'failed' && body;
    });
    expect(failed.deliveries[0].error).toMatch(/was revoked/);
    const { notificationDeliveries } = service.app.store.read;
    expect(await notificationDeliveries.find(service.accountId, notification_id, eve.id)).toMatchObject({
      readAt: null,
      deliveredAt: null,
    });
  });

  it('with an external_id is sent once', async () => {
    const eve = await person();
    const body = told(eve.id, { external_id: `once ${eve.id}` });
    const [first, second] = [await send(body), await send(body)];
    expect(second).toEqual(first);
    expect(await inbox(eve)).toHaveLength(1);
    expect(await refused({ ...body, subject: 'Another' })).toEqual([409, 'already_exists', 'external_id']);
  });
});

describe('a template', () => {
  const TEMPLATES = `${NOTIFICATIONS}/templates`;
  const given = { subject: 'Of {{who}}', body: '**{{who}}** {{sum}}', placeholders: { who: 'text', sum: 'amount' } };

  it('makes subject, text and HTML of data; a send repeated after its change is the first', async () => {
    const eve = await person();
    const made = await service.post(TEMPLATES, { name: 'one', ...given });
    expect(made.status, made.text).toBe(201);
    const { template_id } = made.body;
    const by = { channel: 'in_app', to: { user_id: eve.id }, template_id, external_id: 'by template' };
    const body = { ...by, data: { who: '<b>', sum: '0.5' } };
    const sent = await send(body);
    expect(sent).toMatchObject({ subject: 'Of <b>', body: '**<b>** 0.5', template_id });
    expect(sent.html).toBe('<p><strong>&lt;b&gt;</strong> 0.5</p>\n');
    const path = `${TEMPLATES}/${template_id}`;
    expect((await service.call('PATCH', path, { body: '{{who}}, {{sum}}' })).body.body).toBe('{{who}}, {{sum}}');
    expect(await send(body)).toEqual(sent);
    expect(await refused({ ...by, data: { who: 'x' } })).toEqual([409, 'already_exists', 'external_id']);
    expect((await service.call('DELETE', path)).status).toBe(204);
    expect(await refused({ ...body, external_id: null })).toEqual([404, 'not_found', 'template_id']);
    expect((await inbox(eve))[0]).toMatchObject({ notification_id: sent.notification_id, body: sent.body });
  });

  it('is changed by its maker, or who has all rights that it was made with; one whose maker is not known by administrators', async () => {
    const scopes = ['notifications:write', 'transactions:read'];
    const [own, less, same] = await Promise.all(
      [scopes, scopes.slice(0, 1), scopes].map((some) => service.key({ role: 'operator', scopes: some })),
    );
    const make = async (name: string, apiKey = service.adminKey): Promise<Json> =>
      (await service.post(TEMPLATES, { name, ...given }, { apiKey })).body;
    const ask = (method: 'PATCH' | 'DELETE', { template_id }: Json, apiKey?: string) =>
      service.call(
        method,
        `${TEMPLATES}/${template_id}`,
        method === 'PATCH' ? { body: '{{who}} {{sum}}' } : undefined,
        { apiKey: apiKey ?? service.adminKey },
      );
    const status = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status;
    const [admins, theirs] = [await make('of an admin'), await make('of an operator', own)];
    for (const method of ['PATCH', 'DELETE'] as const) {
      const { status, body } = await ask(method, admins, own);
      expect([status, body.error.details.field]).toEqual([403, 'template_id']);
    }
    expect([await status('PATCH', theirs, less), await status('DELETE', theirs, less)]).toEqual([403, 403]);
    expect((await ask('PATCH', theirs)).body.made_by).toEqual(theirs.made_by);
    expect([await status('PATCH', theirs, own), await status('DELETE', theirs, same)]).toEqual([200, 204]);
    await service.app.store.write((tx) =>
      tx.notificationTemplates.update(service.accountId, admins.template_id, {
        makerKind: null,
        makerId: null,
        makerRole: null,
        makerScopes: null,
      }),
    );
    expect([await status('PATCH', admins, same), (await ask('PATCH', admins)).body.made_by]).toEqual([403, null]);
  });

  it('is refused with the field: a placeholder unknown, a name taken, data that does not fit, another account’s', async () => {
    const eve = await person();
    const refusal = async (body: Json) => (await service.post(TEMPLATES, body)).body.error.details.field;
    expect(await refusal({ name: 'two', ...given, placeholders: { who: 'text' } })).toBe('body');
    const { template_id } = (await service.post(TEMPLATES, { name: 'two', ...given })).body;
    expect(await refusal({ name: 'two', ...given })).toBe('name');
    const body = { channel: 'in_app', to: { user_id: eve.id }, template_id };
    expect(await refused({ ...body, data: { who: 'x', sum: 'y' } })).toEqual([400, 'invalid_value', 'data.sum']);
    expect((await refused({ ...body, subject: 'too' }))[0]).toBe(400);
    const { apiKey } = await service.anotherAccount('of templates');
    const theirs = (await service.get(`${TEMPLATES}/${template_id}`, { apiKey })).status;
    expect([theirs, (await service.get(TEMPLATES, { apiKey })).body.data]).toEqual([404, []]);
  });
});

describe('sending', () => {
  it('is refused to what is not the account’s, with the field', async () => {
    const eve = await person();
    const { apiKey } = await service.anotherAccount('a stranger');
    expect(await refused(told(eve.id), { apiKey })).toEqual([404, 'not_found', 'to.user_id']);
    const group_id = await group({ user_ids: [eve.id] });
    expect(await refused(told('', { to: { group_id } }), { apiKey })).toEqual([404, 'not_found', 'to.group_id']);
  });

  it('names the field that does not fit the channel, and what would', async () => {
    const eve = await person();
    const address = { to: { address: 'eve@example.com' } };
    expect(await refused(told(eve.id, address))).toEqual([400, 'invalid_value', 'to.address']);
    const both = { to: { user_id: eve.id, address: 'eve@example.com' } };
    expect((await refused(told(eve.id, both)))[2]).toBe('to');
    for (const [more, field] of [
      [{ subject: 'a\r\nBcc: all@example.com' }, 'subject'],
      [{ body: 'x'.repeat(5_001) }, 'body'],
      [{ send_at: new Date(service.now() + 31 * DAY).toISOString() }, 'send_at'],
      [{ data: { x: 'y'.repeat(9_000) } }, 'data'],
    ] as const)
      expect((await refused(told(eve.id, more)))[2]).toBe(field);
  });

  it('takes an operator, and so does seeing what the account sent', async () => {
    const eve = await person({ scopes: ['notifications:write'] });
    expect((await refused(told(eve.id), { apiKey: eve.token, sign: false }))[0]).toBeGreaterThanOrEqual(401);
    const sent = await service.get(`${NOTIFICATIONS}?box=sent`, { apiKey: eve.token });
    expect([sent.status, sent.body.error.details.field]).toEqual([403, 'query.box']);
    const { data } = (await service.get(`${NOTIFICATIONS}?box=sent&channel=in_app`)).body;
    expect(data[0]).toHaveProperty('recipients');
    for (const status of ['sent', 'cancelled']) {
      const { data: all } = (await service.get(`${NOTIFICATIONS}?box=sent&status=${status}`)).body;
      expect(new Set(all.map((one: Json) => one.status))).toEqual(new Set([status]));
    }
  });

  it('counts the own unread for people without the scope, and nothing of the account', async () => {
    const eve = await person();
    await send(told(eve.id));
    const { unread, channels } = (await service.get(`${NOTIFICATIONS}/status`, { apiKey: eve.token })).body;
    expect([unread, channels]).toEqual([
      (await service.get(`${NOTIFICATIONS}?unread=true&limit=100`, { apiKey: eve.token })).body.data.length,
      [],
    ]);
    expect(unread).toBeGreaterThan(0);
  });

  it('is bounded by day and account, and told by the figures', async () => {
    const { accountId, apiKey } = await service.anotherAccount('busy');
    const { user_id: userId } = (
      await service.post('/api/v1/users', { username: 'busy', scopes: ['wallets:read'] }, { apiKey })
    ).body;
    await send(told(userId), { apiKey });
    const today = { accountId, channel: 'in_app', day: Math.floor(service.now() / DAY) } as const;
    expect(await service.app.store.read.notificationDays.of(today)).toBe(1);
    await service.app.store.write((tx) => tx.notificationDays.add(today, 19_999));
    expect(await refused(told(userId), { apiKey })).toEqual([429, 'rate_limited', 'channel']);
    const figures = (await service.get(`${NOTIFICATIONS}/status`, { apiKey })).body;
    expect(figures.channels[0]).toMatchObject({ channel: 'in_app', configured: true, waiting: 0 });
    expect(figures.channels[0].delivered).toBe(1);
    service.advance(DAY);
    await send(told(userId), { apiKey });
  });
});

describe('by e-mail', () => {
  it('names what is to be set where that is not configured', async () => {
    const eve = await person();
    const { status, body } = await service.post(`${NOTIFICATIONS}/send`, told(eve.id, { channel: 'email' }));
    expect([status, body.error.details.code, body.error.details.field]).toEqual([422, 'not_configured', 'channel']);
    expect(body.error.message).toContain('SMTP_URL');
  });

  it.each([
    ['whatever address a person has', 'example.org,*'],
    ['people', 'example.org'],
  ])('reaches %s and strangers within %s, and nobody else', async (_, domains) => {
    const to = await startMailServer();
    const env = {
      SMTP_URL: to.url,
      NOTIFICATION_EMAIL_FROM: 'a@example.com',
      NOTIFICATION_EMAIL_DOMAINS: domains,
    };
    const app = await startUsersApp({ env });
    onTestFinished(async () => {
      await app.close();
      await to.close();
    });
    const elsewhere = domains.includes('*') ? 'elsewhere.example' : 'example.org';
    const { user_id: stranger } = await app.person({ email: 'mallory@elsewhere.test' });
    const { user_id: eve } = await app.person({ email: `eve@${elsewhere}` });
    const { user_id: nowhere } = await app.person();
    const mail = async (target: Json) => {
      const { status, body } = await app.post(`${NOTIFICATIONS}/send`, told('', { channel: 'email', to: target }));
      return status === 202 ? status : [status, body.error.details.field];
    };
    for (const user_id of domains.includes('*') ? [nowhere] : [nowhere, stranger])
      expect(await mail({ user_id })).toEqual([422, 'to.user_id']);
    for (const address of ['any@elsewhere.example', 'any@sub.example.org', 'any@example.org.evil.example'])
      expect(await mail({ address })).toEqual([422, 'to.address']);
    const { body } = await app.post('/api/v1/enterprise/groups', { name: 'all', user_ids: [eve, nowhere] });
    for (const target of [{ user_id: eve }, { address: `EVE@${elsewhere}` }, { address: 'any@example.org' }, body])
      expect(await mail(target.group_id ? { group_id: target.group_id } : target)).toBe(202);
    await eventually('all have come', async () => to.taken.length === 4);
    const addresses = to.taken.map(({ to: [address] }) => address!.toLowerCase()).sort();
    expect(addresses).toEqual(['any@example.org', ...Array(3).fill(`eve@${elsewhere}`)]);
  });
});

describe('to a webhook', () => {
  it('that hangs they hold up no other webhook', async () => {
    const [slow, quick] = [await startReceiver(), await startReceiver()];
    onTestFinished(async () => void (await Promise.all([slow.close(), quick.close()])));
    slow.answer = () => {};
    const hook = async (url: string): Promise<string> =>
      (await service.post('/api/v1/webhooks', { url, events: ['security.policy_changed'] })).body.webhook_id;
    const to = async (webhook_id: string) => send({ ...told('', { channel: 'webhook', to: { webhook_id } }) });
    const [hangs, takes] = [await hook(slow.url), await hook(quick.url)];
    const waiting = [await to(hangs), await to(hangs), await to(hangs), await to(hangs)];
    await eventually('one hangs', async () => slow.seen.length > 0);
    await to(takes);
    await eventually('the other has its own', async () => quick.taken.length === 1);
    for (const { notification_id } of waiting)
      expect((await get(notification_id)).body.deliveries).toMatchObject([{ status: 'queued', attempts: 0 }]);
    await service.call('DELETE', `/api/v1/webhooks/${hangs}`);
  });

  it('of the account it comes signed, beside its events; who may not have it sign cannot send to it', async () => {
    const to = await startReceiver();
    onTestFinished(() => to.close());
    const made = { url: to.url, events: ['security.policy_changed'] };
    const { webhook_id, secret } = (await service.post('/api/v1/webhooks', made)).body;
    const body = { ...told('', { channel: 'webhook', to: { webhook_id } }), data: { order: 7 } };
    const { notification_id } = await send(body);
    await eventually('it has come', async () => to.taken.length === 1);
    vi.setSystemTime(service.now());
    onTestFinished(() => void vi.useRealTimers());
    expect(verified(to.taken[0]!, secret)).toMatchObject({
      ...{ type: 'notification.sent', seq: null, account_id: service.accountId, webhook_id },
      data: { notification_id, subject: 'Refilled', data: { order: 7 } },
    });
    const { apiKey } = await service.anotherAccount('another stranger');
    expect(await refused(body, { apiKey })).toEqual([404, 'not_found', 'to.webhook_id']);
    const lesser = await service.key({ role: 'operator', scopes: ['notifications:write'] });
    expect((await refused(body, { apiKey: lesser }))[0]).toBe(403);
    to.answer = (response) => void response.writeHead(410).end();
    const gone = await send(body);
    await eventually('it has failed', async () => (await get(gone.notification_id)).body.status === 'failed');
    expect((await get(gone.notification_id)).body.deliveries[0]).toMatchObject({ code: '410', attempts: 1 });
  });
});
