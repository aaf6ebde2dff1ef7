/** What contracts of several accounts wait for is asked of servers that answer, refuse, or hang. */

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AccountId, OracleId } from '../../../src/core/ids.ts';
import { createFetching } from '../../../src/engines/fetching/create-fetching.ts';
import { createAttestationPoller } from '../../../src/services/oracles/attestation-poller.ts';
import { createOracleService } from '../../../src/services/oracles/create-oracle-service.ts';
import type { Store } from '../../../src/store/store.ts';
import { contractRecord, oracleEventRecord, oracleRecord } from '../../builders/contract-records.ts';
import { foreignOracle } from '../../builders/foreign-oracle.ts';
import { gateOver, heldOver } from '../../builders/gate.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, silent, type TemporarySqlite } from '../../builders/stores.ts';
import { COIN } from './oracle-setup.ts';

const MATURITY = 1_000_000;
let sqlite: TemporarySqlite;
let store: Store;
let server: Server;
let origin: string;
/** Paths that were asked, in order. */
let asked: string[];
let answer: (path: string, response: ServerResponse) => void;
let now: number;

beforeEach(async () => {
  sqlite = await openTemporarySqlite();
  store = sqlite.store;
  asked = [];
  now = MATURITY * 1000;
  answer = (_, response) => response.writeHead(404).end();
  server = createServer((request, response) => {
    asked.push(request.url as string);
    answer(request.url as string, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await sqlite.close();
});

/** The rounds follow each other at once. Nothing times out by itself within a test. */
function startPolling({ totalMs = 3_600_000, seen = store }: { totalMs?: number; seen?: Store } = {}) {
  const fetching = createFetching({ allowedHosts: ['127.0.0.1'], totalMs, connectMs: 3_600_000 });
  const base = { store: seen, clock: () => now, log: silent };
  const oracles = createOracleService({
    ...base,
    held: heldOver(store, gateOver(store)),
    box: {} as never,
    fetching,
    randomBytes: (n) => Buffer.alloc(n, 7),
  });
  const ending = new AbortController();
  const running = createAttestationPoller({ ...base, oracles, roundMs: 1 }).run(ending.signal);
  const stop = async () => {
    ending.abort();
    await running;
  };
  onTestFinished(stop);
  return { stop };
}

/** An account that waits for these events of an oracle at that path. */
async function waits(
  accountId: AccountId,
  path: string,
  eventIds: readonly string[],
  oracleId: OracleId = `ora_${path}`,
) {
  await store.write(async (tx) => {
    if ((await tx.accounts.list()).every((account) => account.accountId !== accountId)) {
      await tx.accounts.insert(accountRecord(accountId));
    }
    await tx.oracles.insert(oracleRecord(oracleId, { accountId, url: `${origin}/${path}` }));
    for (const eventId of eventIds) {
      await tx.oracleEvents.insert(oracleEventRecord(oracleId, eventId, { accountId, maturityEpoch: MATURITY }));
      await tx.contracts.insert(
        contractRecord(`ctr_${oracleId}_${eventId}`, {
          ...{ accountId, status: 'confirmed', oracleIds: [oracleId], eventIds: [eventId] },
        }),
      );
    }
  });
}

/** However busy the machine is. */
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 20_000, interval: 5 });
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `e${at}`);
const askedOf = (path: string): string[] => asked.filter((one) => one.startsWith(`/${path}/attestation/`));
const hang = () => {};
/** Many rounds later. */
const roundsLater = async () => {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setTimeout(resolve, 1));
};

describe('polling', () => {
  it('asks at maturity and then ever less often, at least every ten minutes, across restarts', async () => {
    await waits('acc_one', 'quiet', ['e0']);
    now = MATURITY * 1000 - 1;
    const { stop } = startPolling();
    await roundsLater();
    expect(asked).toEqual([]);
    const pauses: number[] = [];
    const dueAt = async () => {
      const at = await store.read.oracles.toPoll(9e15, { ofEach: 1, all: 1 });
      expect(at).toHaveLength(1);
      for (let pause = 0; ; pause += 1_000) {
        if ((await store.read.oracles.toPoll(now + pause, { ofEach: 1, all: 1 })).length > 0) return now + pause;
      }
    };
    now += 1;
    let last = now;
    await eventually(() => expect(askedOf('quiet')).toHaveLength(1));
    await stop();
    startPolling();
    for (let n = 2; n < 40; n++) {
      await eventually(async () => expect(await store.read.oracles.toPoll(now, { ofEach: 1, all: 1 })).toEqual([]));
      now = await dueAt();
      pauses.push(now - last);
      last = now;
      await eventually(() => expect(askedOf('quiet')).toHaveLength(n));
    }
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(10_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(601_000);
    expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
  });

  it("asks for one account's event while thousands of another's hang, and takes what it is told", async () => {
    const foreign = foreignOracle();
    const said = foreign.announce(COIN, 'toss', MATURITY);
    answer = (path, response) => {
      if (path === '/honest/attestation/toss') {
        response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(said.attest('heads'));
      }
    };
    // Older by their ids, and due as long.
    for (const n of [0, 1, 2]) await waits('acc_many', `hangs${n}`, names(1_000), `ora_a${n}`);
    await store.write(async (tx) => {
      await tx.accounts.insert(accountRecord('acc_one'));
      const of = { accountId: 'acc_one', maturityEpoch: MATURITY } as const;
      await tx.oracles.insert(
        oracleRecord('ora_z', { accountId: 'acc_one', url: `${origin}/honest`, publicKey: foreign.publicKey }),
      );
      const announcement = Buffer.from(said.announcement).toString('hex');
      await tx.oracleEvents.insert(oracleEventRecord('ora_z', 'toss', { ...of, announcement }));
      await tx.contracts.insert(
        contractRecord('ctr_z', {
          ...{ accountId: 'acc_one', status: 'confirmed', oracleIds: ['ora_z'], eventIds: ['toss'] },
        }),
      );
    });
    const { stop } = startPolling();
    await eventually(async () =>
      expect(await store.read.attestations.ofEvent('acc_one', 'ora_z', 'toss')).toMatchObject([
        { outcomes: '["heads"]' },
      ]),
    );
    // Of the other two questions hang, and no more.
    await roundsLater();
    expect(asked.filter((path) => path.startsWith('/hangs'))).toHaveLength(2);
    await stop();
  });

  it('begins rounds while a question hangs: what becomes due later is asked', async () => {
    answer = (path, response) => {
      if (!path.startsWith('/slow/')) response.writeHead(404).end();
    };
    await waits('acc_one', 'slow', ['e0']);
    const { stop } = startPolling();
    await eventually(() => expect(askedOf('slow')).toHaveLength(1));
    await waits('acc_one', 'quick', ['e0']);
    await eventually(() => expect(askedOf('quick')).toHaveLength(1));
    await roundsLater();
    expect(askedOf('slow')).toHaveLength(1);
    await stop();
  });

  it('has at most two questions of an account and four of a host under way', async () => {
    answer = hang;
    await waits('acc_one', 'one', names(5));
    const { stop } = startPolling();
    await eventually(() => expect(asked).toHaveLength(2));
    await waits('acc_two', 'two', names(5));
    await waits('acc_three', 'three', names(5));
    await eventually(() => expect(asked).toHaveLength(4));
    await roundsLater();
    expect(asked).toHaveLength(4);
    await stop();
  });

  it('leaves a server that fails in peace, ever longer, keeps others going, and forgets it at an answer', async () => {
    let works = false;
    answer = (path, response) => {
      if (path.startsWith('/bad/') && !works) response.destroy();
      else response.writeHead(404).end();
    };
    const at = (ms: number) => {
      now = MATURITY * 1000 + ms;
    };
    await waits('acc_one', 'bad', names(120));
    const { stop } = startPolling();
    // Two at once; what they tell is told of the rest.
    await eventually(() => expect(askedOf('bad')).toHaveLength(2));
    const put = async () => (await store.read.oracles.toPoll(now, { ofEach: 1_000, all: 1_000 })).length;
    await eventually(async () => expect(await put()).toBe(0));
    expect(askedOf('bad')).toHaveLength(2);
    // Of the same account and another host (a port of its own), not asked before: at once.
    const other = createServer((_, response) => {
      asked.push('/other');
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      other.closeAllConnections();
      await new Promise((resolve) => other.close(resolve));
    });
    const before = origin;
    origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    await waits('acc_one', 'other', ['e0']);
    origin = before;
    await eventually(() => expect(asked).toContain('/other'));
    expect(askedOf('bad')).toHaveLength(2);

    for (const [after, known] of [
      [10_000, 4],
      [30_000, 6],
    ] as const) {
      at(after - 1);
      await roundsLater();
      expect(askedOf('bad')).toHaveLength(known - 2);
      at(after);
      await eventually(() => expect(askedOf('bad')).toHaveLength(known));
      await eventually(async () => expect(await put()).toBe(0));
    }
    // Another account's questions to the same server are its own.
    await waits('acc_two', 'bad', ['e0'], 'ora_second');
    await eventually(() => expect(askedOf('bad')).toHaveLength(7));

    works = true;
    at(70_000);
    // All of them now.
    await eventually(async () => expect(new Set(askedOf('bad')).size).toBe(120));
    await stop();
  });

  it('asks no more for what no contract waits for, and again once one does', async () => {
    await waits('acc_one', 'idle', ['e0']);
    await store.write((tx) => tx.contracts.update('acc_one', 'ctr_ora_idle_e0', { status: 'closed' }));
    const { stop } = startPolling();
    const due = () => store.read.oracles.toPoll(now, { ofEach: 9, all: 9 });
    await eventually(async () => expect(await due()).toEqual([]));
    expect(asked).toEqual([]);
    await store.write((tx) => tx.contracts.update('acc_one', 'ctr_ora_idle_e0', { status: 'confirmed' }));
    await eventually(() => expect(askedOf('idle')).toHaveLength(1));
    await stop();
  });

  it('goes on when the database was away', async () => {
    await waits('acc_one', 'quiet', ['e0']);
    let failing = 3;
    const seen = new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (name === 'write' && failing > 0) {
          return async () => {
            failing--;
            throw new Error('the database is away');
          };
        }
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { stop } = startPolling({ seen });
    await eventually(() => expect(askedOf('quiet')).toHaveLength(1));
    expect(failing).toBe(0);
    await stop();
  });

  it('stops when asked to, although a server hangs', async () => {
    answer = hang;
    await waits('acc_one', 'slow', ['e0']);
    const { stop } = startPolling();
    await eventually(() => expect(asked).toHaveLength(1));
    await stop();
  });
});
