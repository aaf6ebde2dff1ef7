/** What the record says of logins and users, and what it never says. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../builders/app.ts';
import { PASSWORD, startUsersApp, type UsersApp } from './users-app.ts';

let app: UsersApp;
beforeAll(async () => {
  app = await startUsersApp();
});
afterAll(() => app.close());

const records = async (query: string): Promise<Json[]> =>
  (await app.get(`/api/v1/compliance/audit?limit=100&${query}`)).body.data;

describe('the record', () => {
  it("has each login, refresh and logout in the person's account, as theirs, with its session", async () => {
    const user = await app.person({ username: 'recorded' });
    const { body } = await app.login({ username: 'recorded', password: PASSWORD });
    const next = (await app.refresh(body.refresh_token)).body;
    await app.post('/api/v1/auth/logout', { refresh_token: next.refresh_token }, { apiKey: null });
    for (const operation of ['auth.login', 'auth.refresh', 'auth.logout']) {
      const [record, ...more] = await records(`operation=${operation}`);
      expect(more, operation).toEqual([]);
      expect(JSON.stringify(record), operation).toContain(user.user_id);
      expect(record).toMatchObject({ operation, outcome: 'done', target: body.session_id });
    }
  });

  it('records changes of users without a password, a token or a digest of one', async () => {
    const { publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
    const user = await app.person({ username: 'secretive', public_key: publicJwk });
    const signed = (await app.login({ username: 'secretive', password: PASSWORD }, { sign: privateJwk })).body;
    const reset = (await app.post(`/api/v1/users/${user.user_id}/password-reset`)).body;
    await app.login({ reset_token: reset.reset_token, new_password: 'the next good password' });
    await app.login({ username: 'secretive', password: 'a wrong password it was' });
    const made = await records('operation=user.create');
    expect(made.map(({ target }) => target)).toContain(user.user_id);

    const exported = await app.get('/api/v1/compliance/audit/export');
    const kept = JSON.stringify(await records('')) + exported.text;
    const secrets = [
      PASSWORD,
      'the next good password',
      'a wrong password it was',
      signed.access_token,
      signed.refresh_token,
      reset.reset_token,
    ];
    for (const secret of secrets) expect(kept).not.toContain(secret);
    const bodyOf = (body: object) => Buffer.from(JSON.stringify(body));
    const { createHash } = await import('node:crypto');
    for (const body of [
      { username: 'secretive', password: PASSWORD },
      { username: 'secretive', scopes: ['wallets:read'], password: PASSWORD, public_key: publicJwk },
    ]) {
      expect(kept).not.toContain(createHash('sha256').update(bodyOf(body)).digest('base64'));
    }
    // That it was signed is on record, by whom and when.
    expect(kept).toContain(signed.signing_key_id);
  });

  const logins = async (log: string) => {
    const page = { limit: 100, offset: 0 };
    const { data } = await app.app.store.read.audit.list(log, { operation: 'auth.login' }, page);
    return data;
  };

  it("has a refused login in the log of the person's account, that of nobody in the service's, without a name, and says the same to both", async () => {
    const { user_id: id } = await app.person({ username: 'guessed' });
    const before = [(await logins(app.accountId)).length, (await logins('service')).length];
    const answers = [];
    for (const username of ['guessed', 'never-heard-of']) {
      answers.push(await app.login({ username, password: 'a wrong guess it is' }));
    }
    const [known, unknown] = answers.map(({ status, body, headers }) => ({
      status,
      error: { ...body.error, details: { ...body.error.details, request_id: '' }, request_id: '' },
      headers: Object.keys(headers).sort(),
    }));
    expect(known).toEqual(unknown);
    expect(known?.status).toBe(401);
    const [theirs, nobodys] = [await logins(app.accountId), await logins('service')];
    expect([theirs.length, nobodys.length]).toEqual([before[0]! + 1, before[1]! + 1]);
    const refused = { outcome: 'unauthorized', target: null };
    expect(theirs[0]).toMatchObject({ ...refused, credentialKind: 'person', credentialId: id });
    expect(nobodys[0]).toMatchObject({ ...refused, accountId: null, credentialId: null });
    const text = [...theirs, ...nobodys].map(({ entry }) => entry).join();
    expect(text).not.toMatch(/guessed|never-heard-of|a wrong guess/);
  });

  it('has every other refusal of a login there, too: a disabled person, a link that was used', async () => {
    const disabled = await app.person({ username: 'disabled' });
    await app.app.store.write((tx) => tx.users.update(app.accountId, disabled.user_id, { disabledAt: app.now() }));
    expect((await app.login({ username: 'disabled', password: PASSWORD })).status).toBe(401);
    expect((await logins(app.accountId))[0]).toMatchObject({
      outcome: 'unauthorized',
      credentialId: disabled.user_id,
    });

    const linked = await app.person({ username: 'linked' });
    const { reset_token } = (await app.post(`/api/v1/users/${linked.user_id}/password-reset`)).body;
    const redeem = () => app.login({ reset_token, new_password: 'the next good password' });
    expect((await redeem()).status).toBe(200);
    const again = await redeem();
    expect([again.status, again.body.error.details.field]).toEqual([401, 'reset_token']);
    expect((await logins(app.accountId))[0]).toMatchObject({ outcome: 'unauthorized', credentialId: linked.user_id });
  });

  it('has no more of them than the throttle lets through', async () => {
    const { user_id: id } = await app.person({ username: 'flooded' });
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) {
      statuses.push((await app.login({ username: 'flooded', password: `a wrong guess ${i}` })).status);
    }
    expect(statuses).toContain(429);
    const theirs = (await logins(app.accountId)).filter(({ credentialId }) => credentialId === id);
    expect(theirs).toHaveLength(statuses.filter((status) => status === 401).length);
  });
});
