/** Webhooks: whose time has come, a cursor that only its own delivery moves, and a bounded history. */
import { expect, it } from 'vitest';
import type { EventType } from '../../../src/core/events/event-types.ts';
import type { WebhookDelivery } from '../../../src/store/repositories/webhook-deliveries.ts';
import type { WebhookKey, WebhookRecord } from '../../../src/store/repositories/webhooks.ts';
import { webhookRecord } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

export function webhookTests(context: StoreContext): void {
  const insert = (...records: WebhookRecord[]) =>
    context.store.write(async (tx) => {
      for (const record of records) await tx.webhooks.insert(record);
    });
  const one = { accountId: 'acc_one', webhookId: 'whk_one' } as const;
  const delivery = (at: number, patch: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
    ...{ ...one, deliveryId: `msg_${String(at).padStart(2, '0')}`, seq: BigInt(at), type: 'block.connected' },
    ...{ status: 'delivered', attempts: 1, httpStatus: 200, latencyMs: 3, error: null, answer: 'ok' },
    ...{ attemptedAt: at, nextAt: null, createdAt: at },
    ...patch,
  });
  const note = (...deliveries: WebhookDelivery[]) => context.store.write((tx) => tx.webhookDeliveries.note(deliveries));
  const listed = async (webhook: WebhookKey = one) =>
    (await context.store.read.webhookDeliveries.list(webhook, {}, { limit: 50, offset: 0 })).data;

  it('are kept whole, and are their account’s alone', async () => {
    const record = webhookRecord('whk_one', { wallets: ['wal_one'], lastError: 'no', nextAt: 5, failingSince: 4 });
    await insert(record);
    await note(delivery(1, { error: 'no', answer: null, httpStatus: null }));
    const { webhooks, webhookDeliveries } = context.store.read;
    expect(await webhooks.find('acc_one', 'whk_one')).toEqual(record);
    expect(await webhooks.find('acc_two', 'whk_one')).toBeNull();
    expect((await webhooks.list('acc_two', { limit: 5, offset: 0 })).total).toBe(0);
    expect(await listed()).toEqual([delivery(1, { error: 'no', answer: null, httpStatus: null })]);
    expect(await listed({ ...one, accountId: 'acc_two' })).toEqual([]);
    expect(await webhookDeliveries.find({ ...one, accountId: 'acc_two' }, 'msg_01')).toBeNull();
    expect(await context.store.write((tx) => tx.webhooks.delete('acc_two', 'whk_one'))).toBe(false);
  });

  it('are due when their time has come, the longest waiting first, and listen by account or to blocks', async () => {
    await insert(
      webhookRecord('whk_later', { nextAt: 50 }),
      webhookRecord('whk_sooner', { nextAt: 40, readsBlocks: true }),
      webhookRecord('whk_not_yet', { nextAt: 101 }),
      webhookRecord('whk_idle', { readsBlocks: true }),
      webhookRecord('whk_off', { nextAt: 1, enabled: false, readsBlocks: true }),
      webhookRecord('whk_other', { accountId: 'acc_two' }),
    );
    const { webhooks } = context.store.read;
    const ids = (found: readonly WebhookRecord[]) => found.map(({ webhookId }) => webhookId);
    expect(ids(await webhooks.due(100, 10))).toEqual(['whk_sooner', 'whk_later']);
    expect(ids(await webhooks.listening('acc_two'))).toEqual(['whk_other']);
    expect(ids(await webhooks.readingBlocks('', 10))).toEqual(['whk_idle', 'whk_sooner']);
    expect(ids(await webhooks.readingBlocks('whk_idle', 10))).toEqual(['whk_sooner']);
    await context.store.write((tx) => tx.webhooks.bringForward(60));
    expect(ids(await webhooks.due(60, 10))).toEqual(['whk_sooner', 'whk_later', 'whk_not_yet']);
    expect(await webhooks.overall()).toEqual(
      expect.arrayContaining([
        { state: 'active', count: 5 },
        { state: 'disabled', count: 1 },
      ]),
    );
  });

  it('move on from where they stood, and not where a replay moved them', async () => {
    const record = webhookRecord('whk_one', { deliveredSeq: 5n });
    await insert(record);
    const move = (from: WebhookRecord, deliveredSeq: bigint) =>
      context.store.write((tx) => tx.webhooks.progress(from, { deliveredSeq }));
    expect([await move(record, 7n), await move(record, 8n)]).toEqual([true, false]);
  });

  it('keep an attempt more in the delivery that is there, and only the newest deliveries that wait for nothing', async () => {
    await insert(webhookRecord('whk_one'));
    await note(delivery(1, { status: 'failed', nextAt: 9 }), delivery(2), delivery(3), delivery(4));
    await note(delivery(3, { status: 'failed', httpStatus: 500, attemptedAt: 8 }));
    expect((await listed()).map(({ seq, attempts, status }) => [seq, attempts, status])).toEqual([
      [4n, 1, 'delivered'],
      [3n, 2, 'failed'],
      [2n, 1, 'delivered'],
      [1n, 1, 'failed'],
    ]);
    const ofTypes = async (...types: EventType[]) =>
      (await context.store.read.webhookDeliveries.list(one, { types, status: 'failed' }, { limit: 1, offset: 0 }))
        .total;
    expect([await ofTypes('block.connected', 'key.expiring'), await ofTypes('key.expiring')]).toEqual([2, 0]);
    expect(await context.store.read.webhookDeliveries.waiting(one, 5)).toMatchObject([{ seq: 1n, nextAt: 9 }]);
    await context.store.write((tx) => tx.webhookDeliveries.dropOld(one, 1));
    expect((await listed()).map(({ seq }) => seq)).toEqual([4n, 3n, 1n]);
    const sweep = () => context.store.write((tx) => tx.webhookDeliveries.deleteEnded(Number.MAX_SAFE_INTEGER, 1));
    expect([await sweep(), await listed().then((all) => all.map(({ seq }) => seq))]).toEqual([1, [4n, 1n]]);
    await context.store.write((tx) => tx.webhookDeliveries.deleteOf(one));
    expect(await listed()).toEqual([]);
  });
}
