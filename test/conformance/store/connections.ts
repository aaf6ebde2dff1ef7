/** Outgoing connections: what is due, how far each is behind, and a position that only its own delivery moves. */
import { expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { sealBatch } from '../../../src/services/audit/seal-batch.ts';
import type { ConnectionRecord } from '../../../src/store/repositories/connections.ts';
import { append } from '../../builders/audit.ts';
import { connectionRecord } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

export function connectionTests(context: StoreContext): void {
  const insert = (...records: ConnectionRecord[]) =>
    context.store.write(async (tx) => {
      for (const record of records) await tx.connections.insert(record);
    });
  /** So many records of the log, sealed. */
  async function log(count: number, accountId: AccountId = 'acc_one'): Promise<void> {
    await context.store.write(async (tx) => {
      for (let i = 0; i < count; i++) await append(tx, `op-${i}`, accountId);
    });
    const { records } = await context.store.read.audit.unsealed(null, 1_000);
    await context.store.write((tx) => sealBatch(tx, records));
  }
  const due = async (now: number) =>
    (await context.store.read.connections.due(now, 10)).map(({ connectionId }) => connectionId);

  it('are kept whole, and are their account’s alone', async () => {
    const record = connectionRecord('con_one', { segmentEnd: 9, lastError: 'tls: no', lockedUntil: 5 });
    await insert(record);
    const { connections } = context.store.read;
    expect(await connections.find('acc_one', 'con_one')).toEqual(record);
    expect(await connections.find('acc_two', 'con_one')).toBeNull();
    expect((await connections.list('acc_one', { type: 'archive' }, { limit: 5, offset: 0 })).total).toBe(0);
    expect(await context.store.write((tx) => tx.connections.delete('acc_two', 'con_one'))).toBe(false);
  });

  it('are due where the log is ahead and their time has come, the longest waiting first', async () => {
    await log(3);
    await insert(
      connectionRecord('con_later', { nextAt: 50 }),
      connectionRecord('con_sooner', { nextAt: 40 }),
      connectionRecord('con_not_yet', { nextAt: 101 }),
      connectionRecord('con_done', { position: 3 }),
      connectionRecord('con_off', { enabled: false }),
      connectionRecord('con_stopped', { stoppedReason: 'revoked' }),
      connectionRecord('con_other', { accountId: 'acc_two', logId: 'acc_two' }),
    );
    expect(await due(100)).toEqual(['con_sooner', 'con_later']);
  });

  it('tell how far behind they are', async () => {
    await log(3);
    await insert(
      connectionRecord('con_behind', { position: 1, failures: 2 }),
      connectionRecord('con_done', { position: 3 }),
    );
    const lags = new Map((await context.store.read.connections.lags('acc_one')).map((lag) => [lag.connectionId, lag]));
    expect(lags.get('con_behind')).toMatchObject({ events: 2, oldestAt: expect.any(Number) });
    expect(lags.get('con_done')).toMatchObject({ events: 0, oldestAt: null });
    const overall = await context.store.read.connections.overall();
    expect(overall.sort((a, b) => a.state.localeCompare(b.state))).toMatchObject([
      { state: 'active', count: 1, events: 0 },
      { state: 'failing', count: 1, events: 2 },
    ]);
  });

  it('move on from where they stood, and not where they were changed meanwhile', async () => {
    const record = connectionRecord('con_one');
    await insert(record);
    const move = (from: ConnectionRecord, position: number) =>
      context.store.write((tx) => tx.connections.progress(from, { position }));
    expect([await move(record, 2), await move(record, 2)]).toEqual([true, false]);
    const moved = { ...record, position: 2 };
    expect(await context.store.write((tx) => tx.connections.update(moved, { revision: 2 }))).toBe(true);
    expect(await move(moved, 4)).toBe(false);
  });
}
