/** Two processes on one database are one service: what one has seen, revoked, counted or written holds at the other at once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLiveEvents } from '../../src/demo/live-events.ts';
import { noRedis, type RedisServer, startRedisServer } from '../builders/redis-server.ts';
import { eventually, type ServiceProcess } from '../builders/service-process.ts';
import {
  type Credentials,
  HOST,
  prepare,
  type Sent,
  send,
  startTwoProcesses,
  type TwoProcesses,
} from './replicas/two-processes.ts';

const WORK = ['follower', 'sequencer', 'sealer'] as const;

describe('two processes on one PostgreSQL share', () => {
  let both: TwoProcesses;
  let redis: RedisServer | null = null;
  let first: ServiceProcess;
  let second: ServiceProcess;
  let admin: Credentials;

  beforeAll(async () => {
    redis = noRedis === null ? await startRedisServer() : null;
    // A Redis that a busy machine holds up is not away.
    both = await startTwoProcesses(redis === null ? {} : { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '60000' });
    ({ first, second, admin } = both);
  });
  afterAll(async () => {
    await both?.stop();
    await redis?.stop();
  });

  const read = (service: ServiceProcess, path: string, credentials: Credentials | null = admin) =>
    send(service, prepare('GET', path, credentials));
  async function write(service: ServiceProcess, method: string, path: string, body?: unknown): Promise<Sent> {
    return send(service, prepare(method, path, admin, { body: body ?? null }));
  }
  async function newKey(more: Record<string, unknown> = {}): Promise<Credentials & { api_key_id: string }> {
    const made = await write(first, 'POST', '/api/v1/api-keys', { name: 'k', scopes: ['*'], role: 'admin', ...more });
    expect(made.status).toBe(201);
    return made.body;
  }

  it('nonces: the identical request gets the recorded answer at the other, a changed one is refused', async () => {
    const body = { name: 'once', type: 'segwit', backup_type: 'none' };
    const signed = prepare('POST', '/api/v1/wallets', admin, { body, nonce: 'nonce-of-one' });
    const made = await send(first, signed);
    expect(made.status).toBe(201);
    const again = await send(second, signed);
    expect(again).toMatchObject({ status: 201, body: made.body });
    expect(again.headers['idempotency-replayed']).toBe('true');

    const changed = await send(second, { ...signed, body: JSON.stringify({ ...body, name: 'twice' }) });
    expect(changed).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
    const resigned = prepare('POST', '/api/v1/wallets', admin, {
      ...{ body: { ...body, name: 'thrice' }, nonce: 'nonce-of-one' },
    });
    expect((await send(second, resigned)).status).toBe(401);
    expect((await send(first, resigned)).status).toBe(401);
    const wallets = await read(second, '/api/v1/wallets');
    expect(wallets.body.data.map(({ name }: { name: string }) => name)).toEqual(['once']);
  });

  it('kept answers: one Idempotency-Key sent to both at once makes one wallet', async () => {
    const request = () =>
      prepare('POST', '/api/v1/wallets', admin, {
        body: { name: 'both', type: 'segwit', backup_type: 'none' },
        headers: { 'idempotency-key': 'one-for-both' },
      });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i % 2 ? first : second, request())));
    const made = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.wallet_id));
    expect(made.size).toBe(1);
    for (const { status } of answers) expect([201, 409]).toContain(status);
    const late = await send(second, request());
    expect(late).toMatchObject({ status: 201, body: { wallet_id: [...made][0] } });
    const wallets = await read(first, '/api/v1/wallets');
    expect(wallets.body.data.filter(({ name }: { name: string }) => name === 'both')).toHaveLength(1);
  });

  it('revocations: a key revoked at one is refused by the next request at the other', async () => {
    for (let i = 0; i < 5; i++) {
      const key = await newKey();
      expect((await read(second, '/api/v1/wallets', key)).status).toBe(200);
      expect((await write(first, 'DELETE', `/api/v1/api-keys/${key.api_key_id}`)).status).toBeLessThan(300);
      expect((await read(second, '/api/v1/wallets', key)).status).toBe(401);
    }
  });

  it('frozen accounts: the next change at the other is refused, the next read is not', async () => {
    const account = await write(first, 'POST', '/api/v1/accounts', { name: 'tenant' });
    expect(account.status).toBe(201);
    const owner = account.body as Credentials;
    const path = `/api/v1/accounts/${account.body.account_id}`;
    const wallet = (name: string) =>
      send(second, prepare('POST', '/api/v1/wallets', owner, { body: { name, type: 'segwit', backup_type: 'none' } }));
    expect((await wallet('before')).status).toBe(201);
    expect((await write(first, 'POST', `${path}/freeze`, {})).status).toBeLessThan(300);
    expect((await wallet('frozen')).status).toBe(403);
    expect((await read(second, '/api/v1/wallets', owner)).status).toBe(200);
  });

  it('token keys: a token of one is taken by the other, and refused by it once it was revoked at the first', async () => {
    const made = await write(first, 'POST', '/api/v1/oauth-clients', { name: 'c', scopes: ['wallets:read'] });
    expect(made.status).toBe(201);
    const { client_id, client_secret } = made.body as { client_id: string; client_secret: string };
    const form = (service: ServiceProcess, path: string, fields: Record<string, string>) =>
      send(service, {
        method: 'POST',
        path,
        headers: {
          host: HOST,
          authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(fields).toString(),
      });
    const issued = await form(first, '/oauth/token', { grant_type: 'client_credentials' });
    expect(issued.status).toBe(200);
    const token = { api_key: issued.body.access_token as string, private_key: admin.private_key };
    expect((await read(second, '/api/v1/wallets', token)).status).toBe(200);
    const [one, other] = await Promise.all(
      [first, second].map((service) => read(service, '/.well-known/jwks.json', null)),
    );
    expect(other?.body).toEqual(one?.body);
    expect((await form(first, '/oauth/revoke', { token: token.api_key })).status).toBe(200);
    expect((await read(second, '/api/v1/wallets', token)).status).toBe(401);
  });

  it.skipIf(noRedis !== null)(`limits, through Redis${noRedis === null ? '' : ` (skipped: ${noRedis})`}`, async () => {
    const key = await newKey({ tier: 'custom', limits: { requests_per_minute: 40 } });
    const windows = new Map<string, [number, number][]>();
    // A minute may end meanwhile: until one has seen more than it allows.
    for (let i = 0; ![...windows.values()].some(({ length }) => length === 50); i++) {
      const { status, headers } = await read(i % 2 ? first : second, '/api/v1/wallets', key);
      const window = String(headers['x-ratelimit-reset']);
      windows.set(window, [...(windows.get(window) ?? []), [status, Number(headers['x-ratelimit-remaining'])]]);
    }
    // One count in each window, whoever was asked: forty are let in and each finds one less left than the one before.
    for (const answers of windows.values()) {
      expect(answers).toEqual(answers.map((_, i) => (i < 40 ? [200, 39 - i] : [429, 0])));
    }
  });

  it('events: what happens once is heard once on either', async () => {
    const lives = await Promise.all(
      [first, second].map(async (service) => {
        const seen: unknown[] = [];
        const live = await openLiveEvents(service.baseUrl, admin.api_key, ({ data }) => seen.push(data));
        return { live, seen };
      }),
    );
    const wallet = await write(first, 'POST', '/api/v1/wallets', {
      name: 'heard',
      type: 'segwit',
      backup_type: 'none',
    });
    const { body } = await write(second, 'POST', `/api/v1/wallets/${wallet.body.wallet_id}/addresses`);
    const txid = await both.node.rpc<string>('sendtoaddress', body.address, '1');
    await both.node.mine(1);
    for (const { live } of lives) {
      await live.until('the deposit confirms', ({ data }) => data.txid === txid && data.status === 'confirmed');
    }
    for (const { live, seen } of lives) {
      const heard = seen.filter((data) => (data as { txid?: string; status?: string }).txid === txid);
      expect(heard.filter((data) => (data as { status: string }).status === 'confirmed')).toHaveLength(1);
      live.close();
    }
  });

  it('background work: each runs in exactly one, and in the other when that one is killed', async () => {
    for (const work of WORK) {
      expect([first, second]).toContain(await eventually(`${work} is taken up`, () => both.holder(work)));
    }
    const dying = await both.holder('follower');
    const survivor = dying === first ? second : first;
    await dying.kill();
    for (const work of WORK) {
      await eventually(`${work} moves`, async () => (await both.holder(work)) === survivor);
    }
    // Each does its work there: a block is followed, its event is numbered, a record is sealed.
    const live = await openLiveEvents(survivor.baseUrl, admin.api_key, () => {});
    const [hash] = await both.node.mine(1);
    await live.until('the block', ({ type, data }) => type === 'block' && data.hash === hash);
    live.close();
    const made = await write(survivor, 'POST', '/api/v1/wallets', {
      name: 'after',
      type: 'segwit',
      backup_type: 'none',
    });
    expect(made.status).toBe(201);
    await eventually('its record is sealed', async () => {
      const { body } = await read(survivor, `/api/v1/compliance/audit?target=${made.body.wallet_id}`);
      return body.data[0]?.seal ?? null;
    });
    await dying.start();
    for (const work of WORK) expect(await both.holder(work)).toBe(survivor);
  });
});
