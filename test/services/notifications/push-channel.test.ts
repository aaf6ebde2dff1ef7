/** Which devices get a message when it is tried again: each that did not take it. */
import { expect, it, onTestFinished } from 'vitest';
import { createPushChannel } from '../../../src/services/notifications/channels/push.ts';
import type { NotificationRecord } from '../../../src/store/repositories/notifications.ts';
import { apiKeyRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite } from '../../builders/stores.ts';
import { withAccounts } from '../../builders/webhook-world.ts';

it('a message tried again goes to the devices that did not take it, and to each of a group, whatever they are called', async () => {
  const { store, close } = await openTemporarySqlite();
  onTestFinished(close);
  await withAccounts(store, 'acc_one');
  const accountId = 'acc_one';
  await store.write(async (tx) => {
    for (const [subject, ...devices] of [
      ['key_a', 'phone', 'tablet'],
      ['key_b', 'phone'],
    ] as const) {
      await tx.apiKeys.insert(apiKeyRecord({ accountId, keyId: subject, prefix: subject.padEnd(8, 'x') }));
      for (const deviceId of devices)
        await tx.devices.insert({
          ...{ accountId, subject, deviceId, name: null, makerKind: 'api_key', makerId: subject, makerRole: 'admin' },
          ...{ makerScopes: ['*'], sessionId: null, syncedSeq: null, pushSubscription: `${subject} ${deviceId}` },
          ...{ lastSyncedAt: 1, createdAt: 1, revokedAt: null },
        });
    }
  });
  const tried: string[] = [];
  let isAway = true;
  const { channel } = createPushChannel({
    ...{ store, clock: Date.now },
    subscriptions: { of: ({ pushSubscription: endpoint }) => ({ endpoint }) as never },
    send: async ({ endpoint }) => {
      tried.push(endpoint);
      return isAway && endpoint.endsWith('tablet') ? { is: 'failed', error: 'away' } : { is: 'delivered' };
    },
  });
  const notification = {
    accountId,
    notificationId: 'ntf_one',
    makerKind: 'api_key',
    subject: 's',
    body: 'b',
    data: null,
  };
  const delivered = async (recipient: string) => {
    const outgoing = { notification: notification as unknown as NotificationRecord, recipient };
    return (await channel.deliver(outgoing, new AbortController().signal)).delivered;
  };
  expect([await delivered('key_a'), tried.splice(0).sort()]).toEqual([false, ['key_a phone', 'key_a tablet']]);
  expect([await delivered('key_b'), tried.splice(0)]).toEqual([true, ['key_b phone']]);
  isAway = false;
  expect([await delivered('key_a'), tried.splice(0)]).toEqual([true, ['key_a tablet']]);
});
