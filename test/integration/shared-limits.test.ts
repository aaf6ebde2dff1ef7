/** Replicas that share a Redis share their limits; without it each goes on by itself, and they find together again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestApp, type TestApp } from '../builders/app.ts';
import { noRedis, type RedisServer, startRedisServer } from '../builders/redis-server.ts';
import { openTemporarySqlite } from '../builders/stores.ts';

describe.skipIf(noRedis !== null)(`shared limits${noRedis === null ? '' : ` (skipped: ${noRedis})`}`, () => {
  let redis: RedisServer;
  const lines: string[] = [];
  beforeAll(async () => {
    redis = await startRedisServer();
  });
  afterAll(() => redis.stop());

  /** Two services on one database: one process plays both, so that one clock stands for them. */
  async function replicas(): Promise<[TestApp, TestApp]> {
    const { store, close } = await openTemporarySqlite();
    const clock = () => Date.UTC(2026, 10, 21, 12, 30, 20);
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    // A Redis that a busy machine holds up is not away.
    const env = { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '60000' };
    const options = { store, clock, log, limits: true, env } as const;
    const one = await startTestApp(options);
    const another = await startTestApp({ ...options, dataDir: one.dataDir });
    onTestFinished(async () => {
      await another.close();
      await one.close();
      await close();
    });
    return [one, another];
  }

  const degraded = async (app: TestApp) => (await app.get('/readyz', { apiKey: null })).body.parts.limits.degraded;
  const until = async (holds: () => Promise<boolean>) => {
    while (!(await holds())) await sleep(10);
  };
  const remaining = ({ headers }: { headers: Record<string, string | undefined> }) =>
    Number(headers['x-ratelimit-remaining']);

  it('hold for all together, for credentials and for addresses', async () => {
    const [one, another] = await replicas();
    await until(async () => !(await degraded(one)) && !(await degraded(another)));
    const apiKey = await one.key({ tier: 'custom', limits: { requests_per_minute: 4 } });
    expect(remaining(await one.get('/api/v1/wallets', { apiKey }))).toBe(3);
    expect(remaining(await another.get('/api/v1/wallets', { apiKey }))).toBe(2);
    expect(remaining(await one.get('/api/v1/wallets', { apiKey }))).toBe(1);
    expect(remaining(await another.get('/nothing', { apiKey }))).toBe(0);
    for (const app of [one, another]) {
      const refused = await app.get('/api/v1/wallets', { apiKey });
      expect(refused.status).toBe(429);
      expect(refused.headers['retry-after']).toBe('40');
    }
    expect(remaining(await one.get('/api/v1/wallets', { apiKey: null }))).toBe(999);
    expect(remaining(await another.get('/api/v1/wallets', { apiKey: null }))).toBe(998);
  });

  it('go on in each while Redis is away, said once in the log and in /readyz, and hold together when it is back', async () => {
    const [one, another] = await replicas();
    await until(async () => !(await degraded(one)) && !(await degraded(another)));
    const apiKey = await one.key({ tier: 'custom', limits: { requests_per_minute: 30 } });
    for (let i = 29; i >= 20; i--) expect(remaining(await one.get('/api/v1/wallets', { apiKey }))).toBe(i);
    lines.length = 0;
    await redis.kill();
    // Each by what it last knew: nobody gets a fresh allowance out of an outage.
    for (let i = 19; i >= 10; i--) {
      const answer = await one.get('/api/v1/wallets', { apiKey });
      expect([answer.status, remaining(answer)]).toEqual([200, i]);
    }
    expect(remaining(await another.get('/api/v1/wallets', { apiKey }))).toBe(29);
    const ready = await one.get('/readyz', { apiKey: null });
    expect(ready.status).toBe(200);
    expect(ready.body).toMatchObject({
      status: 'ready',
      parts: { limits: { store: 'redis', degraded: true } },
      warnings: expect.arrayContaining([expect.stringMatching(/^Redis is away/)]),
    });
    await redis.restart();
    await until(async () => !(await degraded(one)) && !(await degraded(another)));
    const fresh = await one.key({ tier: 'custom', limits: { requests_per_minute: 3 } });
    expect(remaining(await one.get('/api/v1/wallets', { apiKey: fresh }))).toBe(2);
    expect(remaining(await another.get('/api/v1/wallets', { apiKey: fresh }))).toBe(1);
    const said = lines.map((line) => JSON.parse(line)).filter(({ msg }) => String(msg).startsWith('Redis'));
    // Two services, each once for the outage and once for its end.
    expect(said.filter(({ level }) => level === 40)).toHaveLength(2);
    expect(said.filter(({ level }) => level === 30)).toHaveLength(2);
  });

  it('are not those of another service on the same Redis', async () => {
    const [one] = await replicas();
    const [other] = await replicas();
    await until(async () => !(await degraded(one)) && !(await degraded(other)));
    for (let i = 0; i < 3; i++) await one.get('/api/v1/wallets', { apiKey: null });
    expect(remaining(await other.get('/api/v1/wallets', { apiKey: null }))).toBe(999);
  });
});
