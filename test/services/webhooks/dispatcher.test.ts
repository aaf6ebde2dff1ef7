/** Which events a listener is told to look at: all of those that were read together. */
import { expect, it, onTestFinished } from 'vitest';
import { createDispatcher } from '../../../src/services/webhooks/dispatcher.ts';
import { eventually } from '../../builders/service-process.ts';
import { openTemporarySqlite, silent } from '../../builders/stores.ts';
import { tell, withAccounts } from '../../builders/webhook-world.ts';

it('a listener without a cursor of its own begins at the first of several events, whatever the order of its types', async () => {
  const sqlite = await openTemporarySqlite();
  onTestFinished(() => sqlite[Symbol.asyncDispose]());
  const { store } = sqlite;
  await withAccounts(store, 'acc_one');
  // What a process that stops has left.
  await store.write((tx) => tx.settings.set('notificationRules.position', JSON.stringify({ seq: '0', at: 0 })));
  await tell(store, 'acc_one', 'n1', 'n2');
  const credential = { kind: 'api_key', id: 'key_one' };
  const changed = { notice: 'policy_changed', operation: 'policy.update', target: 'pol_one', credential };
  await store.write((tx) =>
    tx.events.append({ accountId: 'acc_one', channel: 'security', ref: 'pol_one', data: changed }),
  );
  await tell(store, 'acc_one', 'n3');
  const asked: { since: bigint; seen: bigint }[] = [];
  const types = ['security.policy_changed', 'security.key_created'] as const;
  const listener = { key: 'security acc_one', accountId: 'acc_one', types } as const;
  const { worker } = createDispatcher({
    ...{ store, clock: Date.now, log: silent, roundMs: 10 },
    listeners: {
      ...{ name: 'notificationRules', reading: { failed: '', recovered: '' }, storing: { began: '', ended: '' } },
      ...{ listening: async () => [listener], readingBlocks: async () => [], due: async () => [] },
      perform: async (_, events) => {
        asked.push(events);
        return { covered: events.seen, more: false };
      },
    },
  });
  worker.start();
  onTestFinished(() => worker.stop());
  await eventually('it is asked', async () => asked.length > 0);
  expect(asked).toEqual([{ since: 1n, seen: 4n }]);
});
