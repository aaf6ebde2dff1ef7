/** What the service tells of itself while it runs: logs, the state of retries; and how its readiness ends. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/app/log.ts';
import type { ChainSource } from '../../src/chain/chain-source.ts';
import { createLocalCounters } from '../../src/counters/local.ts';
import { firstStart } from '../../src/services/credentials/first-start.ts';
import { createSigningKeys } from '../../src/services/credentials/signing-keys.ts';
import { createReadiness } from '../../src/services/readiness.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { apiKeysOn } from '../builders/api-keys.ts';
import { startTestApp, type TestApp } from '../builders/app.ts';

describe('the state of a retry', () => {
  let service: TestApp;
  beforeAll(async () => {
    service = await startTestApp();
  });
  afterAll(() => service.close());

  it('is visible to the account that made it, and to no other', async () => {
    const mined = await service.post('/api/v1/bitcoin/blocks', { count: 1 }, { idempotencyKey: 'a/b?c' });
    const state = await service.get('/api/v1/idempotency/a%2Fb%3Fc');
    expect(state.status, state.text).toBe(200);
    expect(state.body).toEqual({
      key: 'a/b?c',
      state: 'completed',
      status: 201,
      operation: 'blocks.mine',
      target: mined.body.data[0].hash,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    const { apiKey } = await service.anotherAccount();
    expect((await service.get('/api/v1/idempotency/a%2Fb%3Fc', { apiKey })).status).toBe(404);
    expect((await service.get('/api/v1/idempotency/never-used')).status).toBe(404);
  });
});

describe('the log', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  beforeEach(() => {
    lines.length = 0;
  });

  it('takes secrets out, however deep they are', () => {
    const secret = 'abandon-abandon';
    log.info({
      mnemonic: secret,
      wallet: { seed: secret, keys: { private_key: secret } },
      headers: { authorization: secret },
    });
    log.info({ body: { backup_passphrase: secret, backup: secret, api_key: secret }, passphrase: secret });
    expect(lines.join('')).not.toContain(secret);
    expect(lines.join('').match(/\[secret\]/g)).toHaveLength(8);
  });

  it('takes them out of lists and of a child logger, and leaves what was given as it is', () => {
    const secret = 'abandon-abandon';
    const said = { list: [{ one: 1 }, { deep: [{ token: secret }] }], at: new Date(0) };
    log.child({ password: secret, request_id: 'req_1' }).info(said);
    expect(lines.join('')).not.toContain(secret);
    expect(JSON.parse(lines.join(''))).toMatchObject({
      ...{ password: '[secret]', request_id: 'req_1', at: '1970-01-01T00:00:00.000Z' },
      list: [{ one: 1 }, { deep: [{ token: '[secret]' }] }],
    });
    expect(said.list[1]).toEqual({ deep: [{ token: secret }] });
  });

  it.each([
    ['an API key', `ak_12345678_${'a'.repeat(43)}`],
    ['a refresh token', `rt_${'b'.repeat(43)}`],
    ['a client secret', `cs_${'c'.repeat(43)}`],
    ['a JWT', `eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c3JfMSJ9.${'d'.repeat(86)}`],
    ['a password hash', '$argon2id$v=19$m=47104,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g'],
    ['the password of a URL', 'hunter2hunter2@db.example.com'],
  ])('takes %s out of an error', (_, secret) => {
    log.warn({ err: new Error(`connecting to postgres://user:${secret} failed`) });
    log.warn({ err: new Error(`it was ${secret} again`) });
    const [inUrl = '', inText = ''] = lines;
    expect(inUrl).not.toContain(secret.slice(0, 12));
    if (!secret.includes('@')) expect(inText).not.toContain(secret.slice(4, 24));
  });

  it.each([
    ['a text', `ak_12345678_${'a'.repeat(43)}`],
    ['nothing', null],
    ['an object', {}],
  ])('takes %s in the place of an error', (_, thrown) => {
    log.warn({ err: thrown }, 'it failed');
    const [line = ''] = lines;
    expect(JSON.parse(line)).toMatchObject({ msg: 'it failed', err: { type: typeof thrown } });
    expect(line).not.toContain('ak_12345678');
  });

  it('shows of an error its kind and message, no stack, statement or key', () => {
    const error = new Error(`near "x": INSERT INTO wallets VALUES ('ak_12345678_${'a'.repeat(43)}')`);
    log.warn({ err: error }, 'it failed');
    const line = lines.join('');
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', err: { type: 'Error' }, msg: 'it failed' });
    expect(line).not.toMatch(/INSERT|ak_12345678|operations\.test/);
  });
});

describe('readiness', () => {
  let folder: string;
  let store: Store;
  const log = pino({ level: 'silent' });
  const info = { height: 10, syncing: false } as Awaited<ReturnType<ChainSource['info']>>;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ashlar-ready-'));
    store = await openSqliteStore({ path: join(folder, 'ashlar.db'), role: 'service', log, clock: Date.now });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const readiness = (given: Partial<Parameters<typeof createReadiness>[0]> = {}) =>
    createReadiness({
      store,
      blockchain: { info: async () => info, follower: async () => ({ height: 10, lag: 0 }) },
      source: 'bitcoind',
      network: 'signet',
      counters: createLocalCounters({ clock: Date.now }),
      masterKeyStands: async () => true,
      halted: () => null,
      diskWarnings: () => [],
      randomBytes,
      clock: Date.now,
      ...given,
    });

  it('ends first when the service stops', async () => {
    const service = readiness();
    expect((await service.check()).ready).toEqual({ reads: true, writes: true });
    service.stop();
    expect(await service.check()).toMatchObject({
      ready: { reads: false, writes: false },
      stopping: true,
      database: { ok: true },
    });
  });

  it('ends where another process changed the master key, and says what to do', async () => {
    const answer = await readiness({ masterKeyStands: async () => false }).check();
    expect(answer).toMatchObject({ ready: { reads: true, writes: false }, masterKey: { ok: false } });
    expect(answer.warnings).toContainEqual(expect.stringContaining('restart this process'));
    const unknown = { masterKeyStands: () => Promise.reject(new Error('away')) };
    expect((await readiness(unknown).check()).ready.writes).toBe(true);
  });

  it('waits for a node in initial download, on regtest not', async () => {
    const blockchain = {
      info: async () => ({ ...info, syncing: true }),
      follower: async () => ({ height: 10, lag: 0 }),
    };
    expect(await readiness({ blockchain }).check()).toMatchObject({
      ready: { reads: true, writes: false },
      chain: { ok: false, syncing: true },
    });
    expect((await readiness({ blockchain, network: 'regtest' }).check()).ready.writes).toBe(true);
  });

  it.each([
    ['has not begun', { height: null, lag: null }],
    ['is 7 blocks behind', { height: 3, lag: 7 }],
  ])('waits for a follower that %s', async (_, follower) => {
    const blockchain = { info: async () => info, follower: async () => follower };
    expect(await readiness({ blockchain }).check()).toMatchObject({
      ready: { reads: true, writes: false },
      follower: { ok: false },
    });
  });

  it('ends while spending is halted, saying why', async () => {
    const check = await readiness({ halted: () => 'a reorg deeper than can be walked back' }).check();
    expect(check).toMatchObject({
      ready: { reads: true, writes: false },
      follower: { ok: false, halted: 'a reorg deeper than can be walked back' },
    });
  });

  it('holds up nobody who asks for reads while the node hangs, and tells what was known for a minute', async () => {
    let now = 1_000_000;
    let hangs = true;
    const never = () => new Promise<never>(() => {});
    const blockchain = {
      info: () => (hangs ? never() : Promise.resolve(info)),
      follower: () => (hangs ? never() : Promise.resolve({ height: 10, lag: 0 })),
    };
    expect(await readiness({ blockchain }).check('reads')).toMatchObject({
      ready: { reads: true, writes: false },
      // Whoever waits for the node hears that it did not answer in time.
      chain: { ok: false, height: null, problem: 'the chain source has not answered yet' },
    });

    hangs = false;
    const service = readiness({ blockchain, clock: () => now });
    expect(await service.check('writes')).toMatchObject({ ready: { writes: true }, chain: { height: 10 } });
    hangs = true;
    expect(await service.check('reads')).toMatchObject({ ready: { writes: true }, chain: { ok: true, height: 10 } });
    now += 60_001;
    expect(await service.check('reads')).toMatchObject({ ready: { writes: false }, chain: { ok: false } });
  });

  it('ends where the database does not answer', async () => {
    const broken = { ...store, ping: () => Promise.reject(new Error('gone')) };
    expect(await readiness({ store: broken }).check()).toMatchObject({
      ready: { reads: false, writes: false },
      database: { ok: false, writable: false, problem: 'gone' },
    });
  });

  it('serves reads where the database takes no writes, asks by a write at most every five seconds, and is back by itself', async () => {
    let now = 1_000_000;
    let writes = 0;
    let full = true;
    const write: Store['write'] = (job) => {
      writes++;
      return full ? Promise.reject(new Error('no room')) : store.write(job);
    };
    const service = readiness({ store: { ...store, write }, clock: () => now });
    const refused = {
      ready: { reads: true, writes: false },
      database: { ok: true, writable: false, problem: 'no room' },
    };
    expect(await service.check()).toMatchObject(refused);
    full = false;
    now += 4_999;
    expect(await service.check()).toMatchObject(refused);
    expect(writes).toBe(1);
    now += 1;
    expect(await service.check()).toMatchObject({ ready: { reads: true, writes: true }, database: { problem: null } });
    expect(writes).toBe(2);
  });

  it('warns of the first key off regtest, until it is revoked', async () => {
    const signingKeys = createSigningKeys({ store, clock: Date.now, log });
    await firstStart({ store, signingKeys, dataDir: folder, randomBytes, clock: Date.now, log });
    expect((await readiness().check()).warnings).toEqual([expect.stringMatching(/first start still stands/)]);
    expect((await readiness({ network: 'regtest' }).check()).warnings).toEqual([]);
    const { accountId } = (await store.read.accounts.list())[0]!;
    const [key] = await store.read.apiKeys.list(accountId);
    const keys = apiKeysOn(store);
    await keys.revoke(accountId, key?.keyId ?? '');
    expect((await readiness().check()).warnings).toEqual([]);
  });
});
