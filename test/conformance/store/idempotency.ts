import { expect, test } from 'vitest';
import { idempotencyRecord } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

export function idempotencyTests(context: StoreContext): void {
  test('an answer is kept with its effect, per account and key, until it expires', async () => {
    const { store } = context;
    const record = idempotencyRecord('k', { target: 'wal_one', body: '{"a":"Ω"}' });
    await store.write((tx) => tx.idempotency.insert(record));
    expect(await store.read.idempotency.find('acc_one', 'k', 1_999)).toEqual(record);
    expect(await store.read.idempotency.find('acc_one', 'k', 2_000)).toBeNull();
    expect(await store.read.idempotency.find('acc_two', 'k', 1_500)).toBeNull();
    await store.write((tx) => tx.idempotency.updateBody('acc_one', 'k', 202, '{"b":1}'));
    expect(await store.read.idempotency.find('acc_one', 'k', 1_500)).toEqual({
      ...record,
      status: 202,
      body: '{"b":1}',
    });
  });

  test('a taken key rolls the whole job back', async () => {
    const { store } = context;
    await store.write((tx) => tx.idempotency.insert(idempotencyRecord('k')));
    const second = store.write(async (tx) => {
      await tx.settings.set('effect', 'done');
      await tx.idempotency.insert(idempotencyRecord('k', { createdAt: 1_999 }));
    });
    await expect(second).rejects.toMatchObject({ code: 'idempotency_in_flight' });
    expect(await store.read.settings.get('effect')).toBeNull();
    await store.write((tx) => tx.idempotency.insert(idempotencyRecord('k', { accountId: 'acc_two' })));
  });

  test('of requests with one key at the same time one takes effect', async () => {
    const { store } = context;
    const other = await context.beside();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? store : other).write(async (tx) => {
          await tx.settings.set(`effect ${i}`, 'done');
          await tx.idempotency.insert(idempotencyRecord('k', { body: String(i) }));
        }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'idempotency_in_flight' });
    }
    expect(await context.harness.observe('select name from settings')).toHaveLength(1);
  });

  test('an expired key is free again, and swept away', async () => {
    const { store } = context;
    await store.write((tx) => tx.idempotency.insert(idempotencyRecord('k')));
    const next = idempotencyRecord('k', { createdAt: 2_000, expiresAt: 3_000, body: 'next' });
    await store.write((tx) => tx.idempotency.insert(next));
    expect(await store.read.idempotency.find('acc_one', 'k', 2_500)).toEqual(next);
    expect(await store.write((tx) => tx.idempotency.deleteExpired(2_999))).toBe(0);
    expect(await store.write((tx) => tx.idempotency.deleteExpired(3_000))).toBe(1);
  });
}
