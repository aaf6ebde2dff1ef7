import { expect, test } from 'vitest';
import type { SessionRecord } from '../../../src/store/repositories/sessions.ts';
import type { UserRecord } from '../../../src/store/repositories/users.ts';
import type { StoreContext } from '../store.ts';

const NOW = 1_700_000_000_000;

export const userRecord = (userId: string, given: Partial<UserRecord> = {}): UserRecord => ({
  userId,
  accountId: 'acc_one',
  username: userId,
  email: null,
  emailVerifiedAt: null,
  name: null,
  role: 'viewer',
  scopes: ['wallets:read'],
  tier: 'standard',
  expiresAt: null,
  allowedIps: null,
  mayGrant: false,
  hadRights: null,
  setByRights: null,
  passwordHash: null,
  passwordChangedAt: null,
  totpSecret: null,
  totpConfirmedAt: null,
  totpLastStep: 0,
  disabledAt: null,
  deletedAt: null,
  lastLoginAt: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...given,
});

export const sessionRecord = (sessionId: string, given: Partial<SessionRecord> = {}): SessionRecord => ({
  sessionId,
  accountId: 'acc_one',
  userId: 'usr_one',
  method: 'password',
  boundKeyId: null,
  remoteAddress: '203.0.113.7',
  addressClass: '203.0.113.0/24',
  createdAt: NOW,
  lastUsedAt: NOW,
  expiresAt: NOW + 1000,
  endedAt: null,
  endReason: null,
  ...given,
});

const page = { limit: 20, offset: 0 };

export function userTests(context: StoreContext): void {
  const insert = (user: UserRecord) =>
    context.store.write((tx) => tx.users.insert(user, { username: user.username, email: user.email }));

  test('users come back as they went in, to their own account alone, by each of their names', async () => {
    const { read } = context.store;
    const full = userRecord('usr_full', {
      email: 'full@example.com',
      name: 'Full',
      role: 'admin',
      scopes: ['*'],
      tier: 'enterprise',
      passwordHash: '$argon2id$v=19$m=7168,t=1,p=1$c2FsdA$aGFzaA',
      passwordChangedAt: 1,
      totpSecret: 'sealed',
      totpConfirmedAt: 2,
      totpLastStep: 3,
      disabledAt: 4,
      lastLoginAt: 5,
      updatedAt: 6,
    });
    await insert(full);
    expect(await read.users.find('acc_one', 'usr_full')).toEqual(full);
    expect(await read.users.find('acc_two', 'usr_full')).toBeNull();
    expect(await read.users.findById('usr_full')).toEqual(full);
    expect(await read.users.findByLoginName('usr_full')).toEqual(full);
    expect(await read.users.findByLoginName('full@example.com')).toEqual(full);
    expect(await read.users.findByLoginName('Full@example.com')).toBeNull();
  });

  test('a name is one person’s in the whole service, until it is given up', async () => {
    const { store } = context;
    await insert(userRecord('usr_one', { username: 'ada', email: 'ada@example.com' }));
    const rival = (given: Partial<UserRecord>) => insert(userRecord('usr_two', { accountId: 'acc_two', ...given }));
    await expect(rival({ username: 'ada' })).rejects.toMatchObject({
      code: 'already_exists',
      details: { field: 'username' },
    });
    await expect(rival({ email: 'ada@example.com' })).rejects.toMatchObject({ details: { field: 'email' } });
    expect(await store.read.users.findById('usr_two')).toBeNull();
    await insert(userRecord('usr_three', { username: 'grace' }));
    const taken = { username: 'grace', email: null };
    await expect(store.write((tx) => tx.users.setLoginNames('acc_one', 'usr_one', taken))).rejects.toMatchObject({
      code: 'already_exists',
    });
    expect((await store.read.users.findByLoginName('ada'))?.userId).toBe('usr_one');
    await store.write((tx) => tx.users.setLoginNames('acc_one', 'usr_one', null));
    await rival({ username: 'ada' });
    expect((await store.read.users.findByLoginName('ada'))?.userId).toBe('usr_two');
  });

  test('of two who take a name at once one gets it', async () => {
    const other = await context.beside();
    const makers = [context.store, other].map((store, i) =>
      store.write((tx) =>
        tx.users.insert(userRecord(`usr_${i}`, { username: 'wanted' }), { username: 'wanted', email: null }),
      ),
    );
    const outcomes = await Promise.allSettled(makers);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'already_exists' } });
  });

  test('lists are newest first, filtered, without the deleted, in pages that join', async () => {
    const { store } = context;
    for (let i = 0; i < 5; i++) {
      await insert(
        userRecord(`usr_${i}`, {
          createdAt: NOW + i,
          role: i % 2 ? 'admin' : 'viewer',
          disabledAt: i === 4 ? 1 : null,
        }),
      );
    }
    await insert(userRecord('usr_other', { accountId: 'acc_two' }));
    await store.write((tx) => tx.users.update('acc_one', 'usr_0', { deletedAt: 7 }));
    const list = store.read.users.list;
    const ids = (found: { data: UserRecord[] }) => found.data.map(({ userId }) => userId);
    expect(ids(await list('acc_one', {}, page))).toEqual(['usr_4', 'usr_3', 'usr_2', 'usr_1']);
    expect(ids(await list('acc_one', { role: 'admin' }, page))).toEqual(['usr_3', 'usr_1']);
    expect(ids(await list('acc_one', { disabled: true }, page))).toEqual(['usr_4']);
    expect(ids(await list('acc_one', { loginName: 'usr_2' }, page))).toEqual(['usr_2']);
    const first = await list('acc_one', {}, { limit: 3, offset: 0 });
    expect(first).toMatchObject({ total: 4, hasMore: true });
    const rest = await list('acc_one', {}, { limit: 3, offset: 0, cursor: first.nextCursor as string });
    expect(ids(rest)).toEqual(['usr_1']);
    expect(rest).toMatchObject({ total: 4, hasMore: false, offset: 3, nextCursor: null });
  });

  test('codes are taken once: a step never twice nor backwards, a recovery code by its own person', async () => {
    const { store } = context;
    await insert(userRecord('usr_one'));
    await insert(userRecord('usr_two'));
    const step = (number: number) => store.write((tx) => tx.users.takeTotpStep('acc_one', 'usr_one', number));
    expect([await step(10), await step(10), await step(9), await step(11)]).toEqual([true, false, false, true]);
    await store.write((tx) => tx.users.setRecoveryCodes('acc_one', 'usr_one', ['a', 'b']));
    const take = (userId: string, digest: string) =>
      store.write((tx) => tx.users.takeRecoveryCode('acc_one', userId, digest, 5));
    expect([await take('usr_two', 'a'), await take('usr_one', 'a'), await take('usr_one', 'a')]).toEqual([
      false,
      true,
      false,
    ]);
    expect(await store.read.users.countRecoveryCodes('acc_one', 'usr_one')).toBe(1);
    await store.write((tx) => tx.users.setRecoveryCodes('acc_one', 'usr_one', []));
    expect(await take('usr_one', 'b')).toBe(false);
  });

  test('changes of users and ends of sessions notify credential listeners; logins do not', async () => {
    const { store } = context;
    await insert(userRecord('usr_one'));
    await store.write((tx) => tx.sessions.insert(sessionRecord('ses_one')));
    let told = 0;
    store.onCredentials(() => told++);
    await store.write((tx) => tx.users.loggedIn('acc_one', 'usr_one', 7));
    await store.write((tx) => tx.sessions.prolong('acc_one', 'ses_one', 7, 8));
    expect(told).toBe(0);
    await store.write((tx) => tx.users.update('acc_one', 'usr_one', { role: 'admin' }));
    expect(told).toBe(1);
    await store.write((tx) =>
      tx.sessions.end({ accountId: 'acc_one', userId: 'usr_one', sessionId: 'ses_one' }, 9, 'logout'),
    );
    expect(told).toBe(2);
  });

  test('sessions: listed while they live, prolonged, ended once and by their own person', async () => {
    const { store } = context;
    await insert(userRecord('usr_one'));
    await insert(userRecord('usr_two'));
    const full = sessionRecord('ses_one', { method: 'sso', boundKeyId: 'thumb' });
    await store.write(async (tx) => {
      await tx.sessions.insert(full);
      await tx.sessions.insert(sessionRecord('ses_two', { createdAt: NOW + 1 }));
      await tx.sessions.insert(sessionRecord('ses_other', { userId: 'usr_two' }));
    });
    expect(await store.read.sessions.find('acc_one', 'ses_one')).toEqual(full);
    expect(await store.read.sessions.find('acc_two', 'ses_one')).toBeNull();
    const ids = async (now: number) =>
      (await store.read.sessions.listLive('acc_one', 'usr_one', now, page)).data.map(({ sessionId }) => sessionId);
    expect(await ids(NOW)).toEqual(['ses_two', 'ses_one']);
    await store.write((tx) => tx.sessions.prolong('acc_one', 'ses_one', NOW + 5, NOW + 2000));
    expect(await ids(NOW + 1000)).toEqual(['ses_one']);
    const end = (userId: string, id: string) =>
      store.write((tx) => tx.sessions.end({ accountId: 'acc_one', userId, sessionId: id }, NOW + 9, 'revoked'));
    expect(await end('usr_two', 'ses_one')).toBe(false);
    expect(await end('usr_one', 'ses_one')).toBe(true);
    expect(await end('usr_one', 'ses_one')).toBe(false);
    expect(await store.read.sessions.find('acc_one', 'ses_one')).toMatchObject({
      endedAt: NOW + 9,
      endReason: 'revoked',
    });
    expect(await store.read.sessions.cameFrom('acc_one', 'usr_one', '203.0.113.0/24', NOW)).toBe(true);
    expect(await store.read.sessions.cameFrom('acc_one', 'usr_one', '203.0.113.0/24', NOW + 2)).toBe(false);
    expect(await store.read.sessions.cameFrom('acc_one', 'usr_one', '198.51.100.0/24', NOW)).toBe(false);
    await store.write((tx) => tx.sessions.insert(sessionRecord('ses_three')));
    const ended = await store.write((tx) => tx.sessions.endAll('acc_one', 'usr_one', NOW, 'password', 'ses_two'));
    expect(ended).toBe(1);
    expect(await ids(NOW)).toEqual(['ses_two']);
  });

  test('a refresh token is spent by one of many at once; who comes second reads who was first', async () => {
    const { store } = context;
    const other = await context.beside();
    await insert(userRecord('usr_one'));
    const token = {
      digest: 'd',
      accountId: 'acc_one',
      sessionId: 'ses_one',
      createdAt: NOW,
      expiresAt: NOW + 1000,
      spentAt: null,
      successor: null,
    } as const;
    await store.write(async (tx) => {
      await tx.sessions.insert(sessionRecord('ses_one'));
      await tx.refreshTokens.insert(token);
    });
    expect(await store.read.refreshTokens.find('d')).toEqual(token);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? store : other).write(async (tx) => {
          const won = await tx.refreshTokens.spend('acc_one', 'd', NOW + i, `next ${i}`);
          return { won, successor: (await tx.refreshTokens.find('d'))?.successor };
        }),
      ),
    );
    expect(outcomes.filter(({ won }) => won)).toHaveLength(1);
    expect(new Set(outcomes.map(({ successor }) => successor)).size).toBe(1);
    expect(await store.write((tx) => tx.sessions.deleteExpiredBefore(NOW + 1001))).toBe(1);
    expect(await store.read.refreshTokens.find('d')).toBeNull();
  });

  test('a one-time link takes the place of the older, and is used once before its end', async () => {
    const { store } = context;
    await insert(userRecord('usr_one'));
    const reset = {
      digest: 'r',
      accountId: 'acc_one',
      userId: 'usr_one',
      createdAt: NOW,
      expiresAt: NOW + 10,
      usedAt: null,
    } as const;
    await store.write((tx) => tx.passwordResets.replace({ ...reset, digest: 'older' }));
    await store.write((tx) => tx.passwordResets.replace(reset));
    expect(await store.read.passwordResets.find('older')).toBeNull();
    expect(await store.read.passwordResets.find('r')).toEqual(reset);
    const use = (at: number) => store.write((tx) => tx.passwordResets.use('acc_one', 'r', at));
    expect([await use(NOW + 10), await use(NOW + 9), await use(NOW + 9)]).toEqual([false, true, false]);
    expect(await store.write((tx) => tx.passwordResets.deleteExpired(NOW + 10))).toBe(1);
  });

  test('failures of processes at once are all counted', async () => {
    const { store } = context;
    const other = await context.beside();
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? store : other).write(async (tx) => {
          const { failures } = await tx.loginFailures.findForUpdate('k');
          await tx.loginFailures.set('k', { failures: failures + 1, lastFailedAt: NOW });
        }),
      ),
    );
    expect(await store.read.loginFailures.find('k')).toEqual({ failures: 10, lastFailedAt: NOW });
    expect(await store.write((tx) => tx.loginFailures.deleteOlderThan(NOW))).toBe(0);
    expect(await store.write((tx) => tx.loginFailures.deleteOlderThan(NOW + 1))).toBe(1);
    expect(await store.read.loginFailures.find('k')).toBeNull();
  });

  test('a state of single sign-on is used once; an identity is one person’s, and a person has one of an issuer', async () => {
    const { store } = context;
    await insert(userRecord('usr_one'));
    await insert(userRecord('usr_two'));
    const use = (at: number) => store.write((tx) => tx.sso.useState('s', at));
    expect([await use(NOW), await use(NOW)]).toEqual([true, false]);
    expect(await store.write((tx) => tx.sso.deleteExpiredStates(NOW))).toBe(1);
    expect(await use(NOW)).toBe(true);
    const identity = {
      ...{ issuer: 'https://login', subject: 'a', userId: 'usr_one', createdAt: NOW },
      accountId: 'acc_one' as const,
    };
    const link = (given: Partial<typeof identity>) =>
      store.write((tx) => tx.sso.insertIdentity({ ...identity, ...given }));
    expect(await link({})).toBe(true);
    expect(await link({ userId: 'usr_two' })).toBe(false);
    expect(await link({ subject: 'b' })).toBe(false);
    expect(await store.read.sso.findIdentity('https://login', 'a')).toEqual(identity);
    expect(await store.read.sso.findIdentityOf('acc_one', 'usr_one', 'https://login')).toEqual(identity);
    expect(await store.read.sso.findIdentityOf('acc_two', 'usr_one', 'https://login')).toBeNull();
    await store.write((tx) => tx.sso.deleteIdentities('acc_one', 'usr_one'));
    expect(await store.read.sso.findIdentity('https://login', 'a')).toBeNull();
  });
}
