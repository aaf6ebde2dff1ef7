/** Devices: each of its owner alone, and what changed of an account's records since a place. */
import { expect, it } from 'vitest';
import type { NewEvent } from '../../../src/store/records.ts';
import type { DeviceRecord } from '../../../src/store/repositories/devices.ts';
import type { StoreContext } from '../store.ts';

const device = (deviceId: string, patch: Partial<DeviceRecord> = {}): DeviceRecord => ({
  ...{ accountId: 'acc_one', subject: 'usr_one', deviceId, name: null, makerKind: 'person', makerId: 'usr_one' },
  ...{ makerRole: 'viewer', makerScopes: ['*'], sessionId: 'ses_one', syncedSeq: null, pushSubscription: null },
  ...{ lastSyncedAt: 5, createdAt: 5, revokedAt: null },
  ...patch,
});

export function deviceTests(context: StoreContext): void {
  const insert = (...records: DeviceRecord[]) =>
    context.store.write(async (tx) => {
      for (const record of records) await tx.devices.insert(record);
    });

  it('are their owner’s alone; one that is revoked is found, and is none of them', async () => {
    const whole = device('phone', { name: 'Phone', syncedSeq: 4n, pushSubscription: 'sealed' });
    await insert(whole, device('lost', { revokedAt: 9 }), device('phone', { subject: 'usr_two' }));
    await insert(device('phone', { accountId: 'acc_two' }));
    const { devices } = context.store.read;
    expect(await devices.find(whole)).toEqual(whole);
    expect(await devices.find(device('lost'))).toMatchObject({ revokedAt: 9 });
    expect(await devices.devicesOf(whole)).toEqual([whole]);
    expect(await devices.count(whole)).toBe(1);
    expect((await devices.list(whole, { limit: 5, offset: 0 })).data).toEqual([whole]);
    expect(await context.store.write((tx) => tx.devices.setPush(device('lost'), 'sealed'))).toBe(false);
    expect(await context.store.write((tx) => tx.devices.setPush(whole, null))).toBe(true);
    expect(await devices.devicesOf(whole)).toEqual([{ ...whole, pushSubscription: null }]);
    expect(await devices.devicesOf(device('', { accountId: 'acc_two' }))).toHaveLength(1);
    await insert(device('older', { accountId: 'acc_two', revokedAt: 8 }));
    const sweep = (before: number) => context.store.write((tx) => tx.devices.deleteRevoked(before, 1));
    expect([await sweep(8), await sweep(10), (await devices.find(device('lost'))) === null]).toEqual([0, 1, false]);
    expect([await sweep(10), await sweep(10), await devices.find(device('lost'))]).toEqual([1, 0, null]);
    expect(await devices.count(whole)).toBe(1);
  });

  it('learn of a record by its last event alone, of their own account, and of what was deleted before a place', async () => {
    const { store } = context;
    const event = (ref: string, patch: Partial<NewEvent> = {}): NewEvent => ({
      ...{ accountId: 'acc_one', channel: 'transactions', ref, data: { txid: ref } },
      ...patch,
    });
    await store.write(async (tx) => {
      await tx.events.appendMany([event('a'), event('b'), event('a'), event('b', { accountId: 'acc_two' })]);
      await tx.events.appendMany([
        event('b', { channel: 'deposits' }),
        event('tip', { accountId: null, channel: 'blocks' }),
        event('phone', { channel: 'security' }),
        event('phone', { channel: 'security' }),
      ]);
      await tx.events.number(100);
    });
    const { events } = store.read;
    const notices = await events.changesAfter('acc_one', 'security', 0n, 10);
    expect(notices.map(({ seq, superseded }) => [seq, superseded])).toEqual([
      [7n, false],
      [8n, false],
    ]);
    const changes = await events.changesAfter('acc_one', 'transactions', 0n, 10);
    expect(changes.map(({ seq, superseded }) => [seq, superseded])).toEqual([
      [1n, true],
      [2n, false],
      [3n, false],
    ]);
    expect((await events.changesAfter('acc_one', 'transactions', 1n, 1)).map(({ seq }) => seq)).toEqual([2n]);
    expect((await events.forAllAfter(0n, 10, 'blocks')).map(({ seq }) => seq)).toEqual([6n]);
    expect([await events.lastForAll('blocks', 0n, 6n), await events.lastForAll('blocks', 6n, 9n)]).toEqual([6n, null]);
    expect(await events.lastForAll('blocks', 0n, 5n)).toBeNull();
    expect(await events.deletedSeq()).toBe(0n);
    await store.write((tx) => tx.events.deleteOlderThan(Number.MAX_SAFE_INTEGER));
    expect(await events.deletedSeq()).toBe(8n);
    await store.write((tx) => tx.events.deleteOlderThan(0));
    expect(await events.deletedSeq()).toBe(8n);
  });
}
