/**
 * Webhooks whose endpoints fail in every way while the service is killed (kill -9) at random moments: every event arrives, in order where
 * the webhook is ordered, under one id. WEBHOOK_EVENTS=10000 WEBHOOK_KILLS=20 is the whole run, CRASH_SEED=n repeats the moments.
 */
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Json } from '../builders/app.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';
import { silent } from '../builders/stores.ts';
import { type Received, startReceiver, verified } from '../builders/webhook-receiver.ts';
import { numbers, tell } from '../builders/webhook-world.ts';
import { seededRandom } from './crashes/random.ts';

const EVENTS = Number(process.env.WEBHOOK_EVENTS ?? 2_000);
const KILLS = Number(process.env.WEBHOOK_KILLS ?? 8);
const SEED = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const WEBHOOKS = '/api/v1/webhooks';
/** One of so many events meets a fault when it first arrives. */
const FAULT_EVERY = 60;
/** Each takes the 15 seconds that an answer may take. */
const HANGS = 2;
/** Sent and not noted when the process is killed, at most: those of a turn. */
const IN_A_TURN = { ordered: 20, unordered: 8 };

type Fault = (response: ServerResponse) => void;
const TAKEN: Readonly<Record<string, Fault>> = {
  'answers 10 MB': (response) => void response.writeHead(200).end(Buffer.alloc(10_000_000, 65)),
  'breaks off after its status': (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setImmediate(() => response.destroy());
  },
};
const REFUSED: Readonly<Record<string, Fault>> = {
  'answers 500': (response) => void response.writeHead(500).end('no'),
  'closes without an answer': (response) => void response.destroy(),
  'closes midway through its headers': (response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\ncontent-le');
    setImmediate(() => response.destroy());
  },
  hangs: () => {},
};
const FAULTS = [...Object.keys(REFUSED), ...Object.keys(TAKEN)];

const seqOf = ({ body }: Received): number => body.seq;
const firsts = (received: readonly Received[]): number[] => [...new Set(received.map(seqOf))];

/** A webhook at an endpoint whose first answer to some events is a fault. */
async function endpoint(service: ServiceProcess, ordered: boolean) {
  const to = await startReceiver();
  onTestFinished(() => to.close());
  const made = await service.call('POST', WEBHOOKS, { url: to.url, events: ['security.*'], ordered });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { webhook_id, secret, delivered_seq } = made.body;
  const taken: Received[] = [];
  const forged: unknown[] = [];
  const met = new Map<string, number>();
  const known = new Set<number>();
  let fails = false;

  function faultOf(received: Received): string | undefined {
    const isFirst = !known.has(seqOf(received));
    known.add(seqOf(received));
    if (!isFirst || known.size % FAULT_EVERY !== 0) return undefined;
    const fault = FAULTS[(known.size / FAULT_EVERY) % FAULTS.length]!;
    const times = met.get(fault) ?? 0;
    if (fault === 'hangs' && times === HANGS) return undefined;
    met.set(fault, times + 1);
    return fault;
  }
  to.answer = (response, received) => {
    try {
      expect(verified(received, secret)).toMatchObject({ webhook_id });
    } catch (error) {
      forged.push(error);
    }
    const fault = faultOf(received) ?? '';
    const refused = REFUSED[fault];
    if (refused !== undefined) {
      fails = true;
      return refused(response);
    }
    taken.push(received);
    (TAKEN[fault] ?? (() => response.writeHead(200).end('ok')))(response);
  };
  return {
    ...{ to, taken, forged, met, ordered, since: BigInt(delivered_seq) },
    /** An ordered one would pause for 10 seconds, or a minute. */
    async resume() {
      if (!fails || !ordered) return;
      const path = `${WEBHOOKS}/${webhook_id}`;
      if ((await service.call('GET', path)).body.failures === 0) return;
      fails = false;
      await service.call('PATCH', path, { enabled: true });
    },
  };
}

it(`webhooks bring every event over ${KILLS} kills and endpoints that fail (CRASH_SEED=${SEED})`, async () => {
  const random = seededRandom(SEED);
  const env = { CHAIN: 'simulated', OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'warn' };
  const service = await startService(env, { unlimited: true });
  onTestFinished(() => service.dispose());
  const inOrder = await endpoint(service, true);
  const both = [inOrder, await endpoint(service, false)];
  const heard = (): number => both.reduce((sum, { to }) => sum + to.seen.length, 0);
  const whileDown = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const path = join(service.dataDir, 'ashlar.db');
    const store = await openSqliteStore({ path, role: 'service', log: silent, clock: Date.now });
    return work(store).finally(() => store.close());
  };
  const happening = () => service.call('POST', '/api/v1/api-keys', { name: 'told of', scopes: ['wallets:read'] });
  const batch = Math.ceil(EVENTS / KILLS);

  await happening();
  const { account_id: accountId } = await eventually('one arrives', async () => inOrder.taken[0]?.body);
  await service.kill();
  for (let at = 0; at < KILLS; at++) {
    await whileDown((store) => tell(store, accountId, ...numbers(batch, at * batch)));
    await service.start();
    await happening();
    const enough = heard() + random.between(batch / 4, batch);
    await eventually('more arrive', async () => {
      for (const one of both) await one.resume();
      return heard() >= enough;
    });
    const last = happening().catch(() => null);
    await sleep(random.between(0, 60));
    await service.kill();
    await last;
  }
  const events = await whileDown((store) =>
    store.read.events.after(inOrder.since, 1_000_000, { accountId, channel: 'security' }),
  );
  const expected = events.map(({ seq }) => Number(seq));
  expect(expected.length).toBeGreaterThanOrEqual(EVENTS);
  await service.start();
  const through = async (): Promise<boolean> => {
    for (const one of both) await one.resume();
    const { data } = (await service.call('GET', WEBHOOKS)).body;
    return data.every((one: Json) => one.delivered_seq >= expected.at(-1)! && one.next_try_at === null);
  };
  await eventually('nothing is left to deliver', through, 600_000);

  const names = new Map(
    both.flatMap(({ to }) => to.seen.map(({ id, body }) => [id, `${body.webhook_id} ${body.seq}`])),
  );
  expect(names.size).toBe(2 * expected.length);
  expect(new Set(names.values()).size).toBe(names.size);
  for (const { taken, to, forged, met, ordered } of both) {
    expect(forged).toEqual([]);
    expect(firsts(taken).toSorted((a, b) => a - b)).toEqual(expected);
    if (ordered) expect([firsts(taken), firsts(to.seen)]).toEqual([expected, expected]);
    if (EVENTS >= FAULT_EVERY * FAULTS.length) expect([...met.keys()].sort()).toEqual(FAULTS.toSorted());
    const repeated = taken.length - expected.length;
    expect(repeated).toBeLessThanOrEqual(KILLS * IN_A_TURN[ordered ? 'ordered' : 'unordered']);
  }
}, 600_000);
