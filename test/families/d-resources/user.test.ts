import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../builders/app.ts';
import { PASSWORD, startUsersApp, type UsersApp } from '../c-platform/users-app.ts';
import { clientToken, personToken } from './tokens.ts';

let app: UsersApp;
let admin: string;
beforeAll(async () => {
  app = await startUsersApp({ limits: true });
  admin = (await personToken(app)).token;
});
afterAll(() => app.close());

const by = (apiKey: string | null) => ({ apiKey });
const make = (body: Json, apiKey = admin) => app.post('/api/v1/user', body, { apiKey });
const put = (id: string, body: Json, apiKey = admin) => app.call('PUT', `/api/v1/user/${id}`, body, { apiKey });
const remove = (id: string, apiKey = admin) => app.call('DELETE', `/api/v1/user/${id}`, undefined, { apiKey });
const asUsersSays = async (id: string) => (await app.get(`/api/v1/users/${id}`)).body;

describe('family D', () => {
  it('takes access tokens of people and OAuth clients, and nothing else', async () => {
    expect((await app.get('/api/v1/user', by(admin))).status).toBe(200);
    expect((await app.get('/api/v1/user', by(await clientToken(app)))).status).toBe(200);
    for (const credential of [app.adminKey, null, 'a.b.c']) {
      const { status, body, headers } = await app.get('/api/v1/user', by(credential));
      expect([status, Object.keys(body), body.error.code]).toEqual([401, ['message', 'error'], 'unauthorized']);
      expect(headers['www-authenticate']).toMatch(/^Bearer/);
    }
  });

  it('refuses in its own body: {message, error: {code, details}}', async () => {
    const scopeless = (await personToken(app, { scopes: ['wallets:read'] })).token;
    const answers = [
      [await app.get('/api/v1/user/usr_0000000000000000000000', by(admin)), 404, 'not_found'],
      [await app.get('/api/v1/user', by(scopeless)), 403, 'forbidden'],
      [await make({ email: 'x@example.com' }), 400, 'invalid_request'],
      [await app.get('/api/v1/user/x', by(admin)), 400, 'invalid_request'],
      [await app.get('/api/v1/network/nothing/there', by(admin)), 404, 'not_found'],
    ] as const;
    for (const [{ status, body }, expected, code] of answers) {
      expect([status, Object.keys(body), Object.keys(body.error)]).toEqual([
        expected,
        ['message', 'error'],
        ['code', 'details'],
      ]);
      expect([body.error.code, typeof body.message]).toEqual([code, 'string']);
    }
    expect(answers[2][0].body.error.details).toMatchObject({ field: 'username', code: 'invalid_value' });
  });

  it('has no PUT and DELETE of a collection: 405 with what there is', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const { status, headers, body } = await app.call(method, '/api/v1/user', {}, by(admin));
      expect([status, headers.allow, body.error.details.code]).toEqual([405, 'GET, HEAD, POST', 'method_not_allowed']);
      expect(Object.keys(body)).toEqual(['message', 'error']);
    }
  });

  it('counts 100 requests a minute of each user', async () => {
    const [one, other] = [(await personToken(app)).token, (await personToken(app)).token];
    const first = await app.get('/api/v1/user', by(one));
    expect([first.headers['x-ratelimit-limit'], first.headers['x-ratelimit-remaining']]).toEqual(['100', '99']);
    for (let i = 0; i < 99; i++) await app.get('/api/v1/user?limit=1', by(one));
    const { status, body, headers } = await app.get('/api/v1/user', by(one));
    expect([status, body.error.code, Number(headers['retry-after']) > 0]).toEqual([429, 'rate_limited', true]);
    expect((await app.get('/api/v1/user', by(other))).status).toBe(200);
    // The other families' minute is another.
    expect((await app.get('/api/v1/users', by(one))).status).toBe(200);
  });
});

describe('users of family D', () => {
  it('are made by either form, with least rights', async () => {
    const one = await make({ username: 'Lin', email: 'lin@example.com', password: PASSWORD });
    expect([one.status, one.body.role, one.body.scopes, one.body.invitation]).toEqual([201, 'viewer', [], null]);
    expect((await app.login({ username: 'lin', password: PASSWORD })).status).toBe(200);
    const two = await make({ name: 'Mary', email: 'Mary.Muller+x@Example.com' });
    expect(two.body).toMatchObject({ name: 'Mary', has_password: false });
    expect(two.body.username).toMatch(/^mary\.muller-x-[0-9a-f]{8}$/);
    expect(two.body).toMatchObject(await asUsersSays(two.body.user_id));
    const reset = { reset_token: two.body.invitation.reset_token, new_password: PASSWORD };
    expect((await app.login(reset)).status).toBe(200);
    const again = await make({ name: 'Mary', email: 'mary.muller+x@example.com' });
    expect([again.status, again.body.error.details.code]).toEqual([409, 'already_exists']);
    const page = (await app.get('/api/v1/user?username=lin&limit=5', by(admin))).body;
    expect([page.data.length, page.data[0].user_id, page.pagination.total]).toEqual([1, one.body.user_id, 1]);
  });

  it('are replaced by either form; what is left out stays', async () => {
    const rights = { role: 'operator', scopes: ['wallets:read', 'fees:read'], tier: 'free' };
    const { user_id: id } = await app.person({ username: 'kept', email: 'kept@example.com', name: 'Kept', ...rights });
    const named = await put(id, { name: 'New', email: 'new@example.com' });
    expect(named.body).toMatchObject({ username: 'kept', name: 'New', email: 'new@example.com', ...rights });
    expect((await app.login({ username: 'kept', password: PASSWORD })).status).toBe(200);
    const other = 'another good password';
    const replaced = await put(id, { username: 'kept2', email: 'new@example.com', password: other, role: 'viewer' });
    expect(replaced.body).toMatchObject({ username: 'kept2', name: 'New', role: 'viewer', scopes: rights.scopes });
    const renamed = await put(id, { name: 'Newer' });
    expect(renamed.body).toMatchObject({ username: 'kept2', name: 'Newer', email: 'new@example.com' });
    expect((await app.login({ username: 'kept2', password: other })).status).toBe(200);
    expect(await asUsersSays(id)).toMatchObject({ role: 'viewer', tier: 'free' });
  });

  it('keep what another request gives meanwhile', async () => {
    const { user_id: id } = await app.person({ username: 'raced', role: 'admin', scopes: ['wallets:read'] });
    const { read, write } = app.app.store;
    const { users } = read;
    const { find } = users;
    // Between what is read first and the job that writes.
    users.find = async (...asked) => {
      const found = await find(...asked);
      users.find = find;
      await write((tx) => tx.users.update(app.accountId, id, { role: 'viewer', scopes: ['fees:read'], disabledAt: 1 }));
      return found;
    };
    const late = await put(id, { name: 'Late', email: 'raced@example.com' });
    expect(users.find).toBe(find);
    expect(late.body).toMatchObject({ name: 'Late', role: 'viewer', scopes: ['fees:read'], disabled: true });
  });

  it('are changed by nobody who has less than they have or had', async () => {
    const strong = await app.person({ username: 'strong', role: 'admin', scopes: ['*'] });
    await app.call('PUT', `/api/v1/users/${strong.user_id}`, {
      username: 'strong',
      role: 'viewer',
      scopes: ['fees:read'],
    });
    const { token: weak } = await personToken(app, { scopes: ['users:write', 'fees:read'] });
    for (const answer of [
      await put(strong.user_id, { name: 'Mine', email: 'mine@example.com' }, weak),
      await remove(strong.user_id, weak),
      await make({ name: 'Mine', email: 'mine@example.com', role: 'admin', scopes: ['*'] }, weak),
    ])
      expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden']);
    expect((await app.get(`/api/v1/user/${strong.user_id}`, by(weak))).body).toMatchObject({
      name: null,
      disabled: false,
    });
  });

  it('change their own name and password, and nothing else of themselves', async () => {
    const me = await personToken(app, { role: 'viewer', scopes: ['fees:read'], email: 'me@example.com' });
    const mine = (body: Json) => put(me.userId, { email: 'me@example.com', ...body }, me.token);
    expect((await mine({ name: 'Me' })).body).toMatchObject({ name: 'Me', role: 'viewer' });
    expect((await mine({ name: 'Me', role: 'admin' })).status).toBe(403);
    expect((await mine({ name: 'Me', password: 'another good password' })).status).toBe(400);
    const changed = await mine({ name: 'Me', password: 'another good password', current_password: PASSWORD });
    expect(changed.status).toBe(200);
    const bare = await personToken(app, { role: 'viewer', scopes: ['fees:read'] });
    expect((await put(bare.userId, { name: 'No address' }, bare.token)).body).toMatchObject({
      name: 'No address',
      email: null,
    });
    const again = { username: bare.username, password: 'another good password', current_password: PASSWORD };
    expect((await put(bare.userId, again, bare.token)).body).toMatchObject({ name: 'No address' });
    expect((await put(bare.userId, { name: 'x', email: 'taken@example.com' }, bare.token)).status).toBe(403);
    expect((await remove(me.userId, me.token)).status).toBe(403);
    const self = await personToken(app);
    expect((await remove(self.userId, self.token)).status).toBe(409);
  });

  it('are deactivated, not deleted: nobody logs in, and the record stays', async () => {
    const gone = await personToken(app, { email: 'gone@example.com' });
    expect((await remove(gone.userId)).status).toBe(204);
    expect((await remove(gone.userId)).status).toBe(204);
    expect((await app.get('/api/v1/user', by(gone.token))).status).toBe(401);
    expect((await app.login({ username: gone.username, password: PASSWORD })).status).toBe(401);
    const { body } = await app.get(`/api/v1/user/${gone.userId}`, by(admin));
    expect(body).toMatchObject({ username: gone.username, disabled: true, has_password: true });
    // A replacement does not let them in again.
    expect((await put(gone.userId, { name: 'Gone', email: 'gone@example.com' })).body.disabled).toBe(true);
    const audit = (await app.get(`/api/v1/compliance/audit?target=${gone.userId}`)).body.data as Json[];
    expect(audit.map(({ operation }) => operation)).toContain('user-resource.delete');
    const back = { username: gone.username, role: 'admin', scopes: ['*'] };
    await app.call('PUT', `/api/v1/users/${gone.userId}`, back);
    expect((await app.login({ username: gone.username, password: PASSWORD })).status).toBe(200);
  });

  it('of another account are not there', async () => {
    const { apiKey } = await app.anotherAccount('elsewhere');
    const { token: stranger } = await personToken(app, {}, { apiKey });
    const { user_id: id } = await app.person({ username: 'local' });
    const body = { name: 'Mine', email: 'mine@example.com' };
    for (const { status } of [
      await app.get(`/api/v1/user/${id}`, by(stranger)),
      await put(id, body, stranger),
      await remove(id, stranger),
    ])
      expect(status).toBe(404);
    expect((await app.get('/api/v1/user', by(stranger))).body.data).toHaveLength(1);
  });
});
