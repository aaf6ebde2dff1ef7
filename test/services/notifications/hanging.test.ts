/** Targets that hang: nobody else's notifications wait for their answer. */
import { expect, it, onTestFinished } from 'vitest';
import type { NotificationChannel } from '../../../src/core/notifications/notification.ts';
import type { Channel, Outcome } from '../../../src/services/notifications/channels/channel.ts';
import { createDelivering } from '../../../src/services/notifications/delivering.ts';
import { createEnqueue } from '../../../src/services/notifications/enqueue.ts';
import { eventually } from '../../builders/service-process.ts';
import { openTemporarySqlite, silent } from '../../builders/stores.ts';
import { numbers, withAccounts } from '../../builders/webhook-world.ts';

const clock = Date.now;

/** A channel whose recipients called hangs… answer when they are let go, and the others at once. */
async function startChannel(name: NotificationChannel) {
  const { store, close } = await openTemporarySqlite();
  await withAccounts(store, 'acc_one');
  const hanging = Promise.withResolvers<void>();
  const tried: string[] = [];
  const taken: string[] = [];
  const underWay = new Map<string, number>();
  let most = 0;
  const channel: Channel = {
    ...{ name, needs: '', haveOwnServers: true, configured: () => true },
    async deliver({ recipient, notification: { subject } }, signal): Promise<Outcome> {
      const now = (underWay.get(recipient) ?? 0) + 1;
      underWay.set(recipient, now);
      most = Math.max(most, now);
      tried.push(`${recipient} ${subject}`);
      const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      if (recipient.startsWith('hangs')) await Promise.race([hanging.promise, ended]);
      underWay.set(recipient, now - 1);
      if (!signal.aborted) taken.push(`${recipient} ${subject}`);
      return signal.aborted
        ? { delivered: false, isFinal: false, code: null, error: 'it ended' }
        : { delivered: true, code: null };
    },
  };
  const enqueue = createEnqueue({ clock, randomBytes: (size) => crypto.getRandomValues(Buffer.alloc(size)) });
  const { worker } = createDelivering({
    store,
    channels: [channel],
    clock,
    random: Math.random,
    log: silent,
    roundMs: 20,
  });
  onTestFinished(async () => {
    await worker.stop();
    await close();
  });
  return {
    ...{ worker, tried, taken, letGo: () => hanging.resolve(), most: () => most },
    /** Each is sent one of each subject. */
    send: (recipients: readonly string[], subjects: readonly string[]) =>
      store.write(async (tx) => {
        for (const subject of subjects) {
          for (const id of recipients)
            await enqueue(tx, {
              ...{ accountId: 'acc_one', channel: name, target: { kind: 'subject', id }, subject, body: 'b' },
              maker: { kind: 'service', id: 'test' },
            });
        }
      }),
  };
}

const OTHERS = numbers(10).map((one) => `quick ${one}`);
const SUBJECTS = numbers(6);

it.each([
  ['push', ['hangs']],
  ['webhook', numbers(7).map((one) => `hangs ${one}`)],
] as const)('%s: all others get theirs while some hang, and those get theirs when they answer', async (name, hanging) => {
  const { worker, send, tried, taken, letGo, most } = await startChannel(name);
  await send(hanging, SUBJECTS);
  await send(OTHERS, SUBJECTS);
  worker.start();
  const all = (of: readonly string[]) => of.length * SUBJECTS.length;
  await eventually('the others get theirs', async () => taken.length === all(OTHERS));
  expect(taken.every((one) => one.startsWith('quick'))).toBe(true);
  // Of a turn, together.
  expect(most()).toBeLessThanOrEqual(4);
  letGo();
  await eventually('all get theirs', async () => taken.length === all(OTHERS) + all(hanging));
  expect(new Set(tried).size).toBe(tried.length);
});

it('what hangs ends soon after the process is told to', async () => {
  const { worker, send, tried, taken } = await startChannel('push');
  await send(['hangs'], SUBJECTS);
  await send(['quick'], SUBJECTS);
  worker.start();
  await eventually('one hangs, and the other has its own', async () => taken.length === SUBJECTS.length);
  await worker.stop();
  expect(tried.length).toBeGreaterThan(taken.length);
});
