/** Users of two processes on one PostgreSQL: one successor of a refresh token, one count of guesses, sessions that end in both. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { silent, type TemporaryPostgres, withPostgres } from '../builders/stores.ts';
import { PASSWORD, startUsersApp, type UsersApp } from '../families/c-platform/users-app.ts';

let postgres: TemporaryPostgres;
let stores: Store[];
let dataDir: string;
let one: UsersApp;
let two: UsersApp;

beforeAll(async () => {
  postgres = await withPostgres();
  const url = await postgres.newTables();
  stores = [];
  for (let i = 0; i < 2; i++) stores.push(await openPostgresStore({ url, log: silent, clock: Date.now }));
  const [first, second] = stores as [Store, Store];
  dataDir = mkdtempSync(join(tmpdir(), 'ashlar-people-'));
  const env = { MASTER_KEY_FILE: join(dataDir, 'given.key') };
  writeFileSync(env.MASTER_KEY_FILE, randomBytes(32), { mode: 0o600 });
  one = await startUsersApp({ clock: Date.now, store: first, dataDir, env });
  two = await startUsersApp({ clock: Date.now, store: second, dataDir, env, chain: one.simulated });
});
afterAll(async () => {
  await two.close();
  await one.close();
  await Promise.all(stores.map((store) => store.close()));
  await postgres.stop();
  rmSync(dataDir, { recursive: true });
});

const either = (i: number): UsersApp => (i % 2 === 0 ? one : two);

describe('people of two processes', () => {
  it('get one successor of a refresh token, whichever they ask', async () => {
    await one.person({ username: 'two-faced' });
    const { body } = await one.login({ username: 'two-faced', password: PASSWORD });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => either(i).refresh(body.refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(new Set(answers.map((answer) => answer.body.refresh_token)).size).toBe(1);
  });

  it('are logged out of both at once', async () => {
    await one.person({ username: 'leaving' });
    const { body } = await one.login({ username: 'leaving', password: PASSWORD });
    const me = (app: UsersApp) => app.get('/api/v1/auth/me', { apiKey: body.access_token });
    expect((await me(one)).status).toBe(200);
    expect((await me(two)).status).toBe(200);
    await one.post('/api/v1/auth/logout', { refresh_token: body.refresh_token }, { apiKey: null });
    expect((await me(one)).status).toBe(401);
    expect((await me(two)).status).toBe(401);
  });

  it('are guarded by one count of guesses', async () => {
    await one.person({ username: 'guarded' });
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => either(i).login({ username: 'guarded', password: `guess ${i}` })),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(11);
  });
});
