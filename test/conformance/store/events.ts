import { expect, test, vi } from 'vitest';
import type { NewEvent } from '../../../src/store/records.ts';
import type { StoreContext } from '../store.ts';

const event = (ref: string, patch: Partial<NewEvent> = {}): NewEvent => ({
  accountId: 'acc_one',
  channel: 'transactions',
  ref,
  data: { txid: ref },
  ...patch,
});

export function eventTests(context: StoreContext): void {
  test('events are numbered in the order they were written, without gaps: on SQLite by their commit, else after it', async () => {
    const { store } = context;
    const ids = await store.write((tx) => tx.events.appendMany(Array.from({ length: 100 }, (_, i) => event(`t${i}`))));
    if (store.kind === 'postgres') {
      expect(await store.read.events.after(0n, 10)).toEqual([]);
      expect(await store.read.events.firstSeq()).toBeNull();
      expect(await store.write((tx) => tx.events.number(30))).toBe(30);
      expect(await store.write((tx) => tx.events.number(1_000))).toBe(70);
    }
    expect(await store.write((tx) => tx.events.number(1_000))).toBe(0);
    const events = await store.read.events.after(0n, 1_000);
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, i) => BigInt(i + 1)));
    expect(events.map(({ eventId }) => eventId)).toEqual(ids);
    expect(events.map(({ data }) => JSON.parse(data))).toEqual(
      Array.from({ length: 100 }, (_, i) => ({ txid: `t${i}` })),
    );
    expect(await store.read.events.lastSeq()).toBe(100n);
  });

  test('a job that fails leaves no event and no number', async () => {
    const { store } = context;
    const failing = store.write(async (tx) => {
      await tx.events.append(event('lost'));
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    await store.write((tx) => tx.events.append(event('kept')));
    await store.write((tx) => tx.events.number(10));
    const events = await store.read.events.after(0n, 10);
    expect(events.map(({ seq, data }) => [seq, data])).toEqual([[1n, '{"txid":"kept"}']]);
  });

  test('an account reads its own events and those for all, of one channel, in order', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      for (let i = 0; i < 12; i++) {
        await tx.events.append(event(`one ${i}`));
        await tx.events.append(event(`two ${i}`, { accountId: 'acc_two' }));
        await tx.events.append(event(`block ${i}`, { accountId: null, channel: 'blocks' }));
        await tx.events.append(event(`notice ${i}`, { accountId: null }));
      }
      await tx.events.number(100);
    });
    const only = { accountId: 'acc_one', channel: 'transactions' } as const;
    const refs = (events: { data: string }[]) => events.map(({ data }) => (JSON.parse(data) as { txid: string }).txid);
    const page = await store.read.events.after(4n, 5, only);
    expect(refs(page)).toEqual(['one 1', 'notice 1', 'one 2', 'notice 2', 'one 3']);
    const rest = await store.read.events.after(page.at(-1)!.seq, 100, only);
    expect([...page, ...rest]).toHaveLength(22);
    expect(refs(await store.read.events.after(44n, 100, { accountId: 'acc_two', channel: 'blocks' }))).toEqual([
      'block 11',
    ]);
  });

  test('a retraction carries the seq of the event it takes back', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.events.append(event('other'));
      const taken = await tx.events.append(event('t'));
      expect(await tx.events.latestFor('transactions', 't', 'acc_one')).toBe(taken);
      expect(await tx.events.latestFor('transactions', 't', 'acc_two')).toBeNull();
      expect(await tx.events.latestFor('transactions', 't', null)).toBeNull();
      const again = await tx.events.append(event('t', { retractsEventId: taken }));
      expect(await tx.events.latestFor('transactions', 't', 'acc_one')).toBe(again);
      const block = await tx.events.append(event('b', { accountId: null, channel: 'blocks' }));
      expect(await tx.events.latestFor('blocks', 'b', null)).toBe(block);
      await tx.events.number(10);
    });
    expect((await store.read.events.after(0n, 10)).map(({ retractsSeq }) => retractsSeq)).toEqual([
      null,
      null,
      2n,
      null,
    ]);
  });

  test('old events go, their numbers do not come again', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.events.appendMany([event('a'), event('b')]);
      await tx.events.number(10);
    });
    expect(await store.write((tx) => tx.events.deleteOlderThan(1))).toBe(0);
    await store.write(async (tx) => {
      await tx.events.append(event('not numbered yet'));
      expect(await tx.events.deleteOlderThan(Date.now() + 60_000)).toBe(2);
    });
    if (store.kind === 'postgres') {
      expect(await store.read.events.firstSeq()).toBeNull();
      expect(await store.read.events.lastSeq()).toBe(2n);
      await store.write((tx) => tx.events.number(10));
    }
    expect((await store.read.events.after(0n, 10)).map(({ seq }) => seq)).toEqual([3n]);
    expect(await store.read.events.firstSeq()).toBe(3n);
  });

  test('listeners are called once the events are there to read, and not for other writes', async () => {
    const { store } = context;
    const ids: number[] = [];
    const counts: Promise<number>[] = [];
    const listener = vi.fn(() => {
      counts.push(context.harness.observe('select event_id from events').then((rows) => rows.length));
    });
    const stop = store.onEvents(listener);
    await store.write((tx) => tx.settings.set('a', '1'));
    await store.write(async (tx) => ids.push(Number(await tx.events.append(event('t')))));
    await expect.poll(() => listener).toHaveBeenCalled();
    expect(await counts[0]).toBe(1);
    stop();
    const calls = listener.mock.calls.length;
    await store.write((tx) => tx.events.append(event('u')));
    expect(listener).toHaveBeenCalledTimes(calls);
  });
}
