import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { silent, type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';

const never = new AbortController().signal;
const PATIENCE = { timeout: 60_000 };

describe('PostgreSQL store', () => {
  let server: TemporaryPostgres;
  let url: string;
  let store: Store;
  let other: Store;
  beforeAll(async () => {
    server = await withPostgres();
  });
  afterAll(async () => {
    await server?.stop();
  });
  const open = (at = url) => openPostgresStore({ url: at, log: silent, clock: Date.now });
  beforeEach(async () => {
    url = await server.newDatabase();
    // Both at once: the schema is made by one, while the other waits.
    [store, other] = await Promise.all([open(), open()]);
  });
  afterEach(async () => {
    await Promise.all([store.close(), other.close()]);
  });

  test('a server that does not answer is unavailable, without the password in the message', async () => {
    const failure = await open('postgres://ashlar:topsecret@127.0.0.1:1/none').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'unavailable' });
    expect(String(failure)).not.toContain('topsecret');
  });

  test('lost connections refuse what they carried as unavailable, and come back by themselves', async () => {
    await store.write((tx) => tx.accounts.insert(accountRecord('acc_one')));
    const interrupted = store.write(async (tx) => {
      await tx.accounts.insert(accountRecord('acc_two'));
      await server.dropConnections();
      await tx.accounts.insert(accountRecord('acc_three'));
    });
    await expect(interrupted).rejects.toMatchObject({ code: 'unavailable', details: { retryAfterSeconds: 1 } });
    await vi.waitFor(async () => await store.ping(), PATIENCE);
    expect((await store.read.accounts.list()).map(({ accountId }) => accountId)).toEqual(['acc_one']);
    await store.write((tx) => tx.accounts.insert(accountRecord('acc_four')));
    expect(await store.read.accounts.count()).toBe(2);
  });

  test('a job that goes on after a failed statement is refused, not silently lost', async () => {
    const write = store.write(async (tx) => {
      await tx.accounts.insert(accountRecord('acc_one'));
      await tx.accounts.insert(accountRecord('acc_one')).catch(() => {});
    });
    await expect(write).rejects.toThrow(/after a statement of it had failed/);
    expect(await store.read.accounts.count()).toBe(0);
  });

  test('events of one process are heard in the other', async () => {
    const listener = vi.fn();
    other.onEvents(listener);
    const calls = listener.mock.calls.length;
    await store.write((tx) => tx.events.append({ accountId: null, channel: 'blocks', ref: 'b', data: {} }));
    await expect.poll(() => listener.mock.calls.length).toBeGreaterThan(calls);
  });

  test('events are still heard after the connections were lost', async () => {
    await server.dropConnections();
    const listener = vi.fn();
    other.onEvents(listener);
    await vi.waitFor(
      async () =>
        await store.write((tx) => tx.events.append({ accountId: null, channel: 'blocks', ref: 'b', data: {} })),
      PATIENCE,
    );
    await expect.poll(() => listener).toHaveBeenCalled();
  });

  test('exclusive work runs in one process at a time', async () => {
    let running = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
    };
    await Promise.all([store, other, store, other].map((each) => each.exclusively('follower', never, work)));
    expect(most).toBe(1);
  });

  test('whoever loses the connection of its lock is told, and another process takes over', async () => {
    let started = () => {};
    const begun = new Promise<void>((resolve) => {
      started = resolve;
    });
    const warned = vi.spyOn(silent, 'warn');
    const losing = store.exclusively('follower', never, async (signal) => {
      started();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
    });
    const told = expect(losing).rejects.toMatchObject({ code: 'unavailable' });
    await begun;
    await server.dropConnections();
    await told;
    expect(await other.exclusively('follower', never, async () => 'took over')).toBe('took over');
    const lost = { work: 'follower', reason: expect.stringContaining('the lock of follower was lost') };
    expect(warned).toHaveBeenCalledWith(lost, 'this process no longer leads this work');
  });

  test('closing a store ends its exclusive work', async () => {
    const third = await open();
    let started = () => {};
    const begun = new Promise<void>((resolve) => {
      started = resolve;
    });
    const work = third.exclusively('sequencer', never, async (signal) => {
      started();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'stopped';
    });
    await begun;
    await third.close();
    expect(await work).toBe('stopped');
  });

  test('backups are left to pg_dump', async () => {
    await expect(store.backupTo('/tmp/none')).rejects.toThrow(/pg_dump/);
  });
});
