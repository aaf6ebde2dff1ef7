/** What the record says of logins and users, and what it never says. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../builders/app.ts';
import { PASSWORD, type PeopleApp, startPeopleApp } from './people.ts';

let app: PeopleApp;
beforeAll(async () => {
  app = await startPeopleApp();
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

  it('has what was made of people, and neither a password, a token nor a digest of them', async () => {
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

  it('has a refused login in the log of the service, without the name that was tried', async () => {
    await app.person({ username: 'guessed' });
    for (const username of ['guessed', 'never-heard-of']) {
      expect((await app.login({ username, password: 'a wrong guess it is' })).status).toBe(401);
    }
    const page = { limit: 100, offset: 0 };
    const { data } = await app.app.store.read.audit.list('service', { operation: 'auth.login' }, page);
    expect(data.slice(0, 2)).toMatchObject([{ outcome: 'unauthorized' }, { outcome: 'unauthorized' }]);
    const text = JSON.stringify(data, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(text).not.toMatch(/guessed|never-heard-of|a wrong guess/);
  });
});
