/** Two processes, one bound: 50 at once get exactly what fits. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dayOf } from '../../../src/core/notifications/notification.ts';
import { createConnectionService, type NewConnection } from '../../../src/services/connections/connection-service.ts';
import { createDevices } from '../../../src/services/mobile/devices.ts';
import { createEnqueue } from '../../../src/services/notifications/enqueue.ts';
import type { SecretBox } from '../../../src/services/secrets/secret-box.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { requestContext } from '../../builders/request-context.ts';
import { silent, type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';
import { withAccounts } from '../../builders/webhook-world.ts';

const AT_ONCE = 50;
const clock = (): number => Date.parse('2026-11-27T10:00:00Z');
let postgres: TemporaryPostgres;
let stores: Store[] = [];
beforeAll(async () => {
  postgres = await withPostgres();
  const url = await postgres.newTables();
  const open = () => openPostgresStore({ url, log: silent, clock });
  stores = [await open(), await open()];
  await withAccounts(stores[0]!, 'acc_one');
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await postgres?.stop();
});

/** Half of them in each process; answers what the others were refused with. */
async function refusals(work: (store: Store, at: number) => Promise<unknown>): Promise<unknown[]> {
  const all = await Promise.allSettled(Array.from({ length: AT_ONCE }, (_, at) => work(stores[at % 2]!, at)));
  return all.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
}

it('an account reaches so many recipients a day, and none more', async () => {
  const enqueue = createEnqueue({ clock, randomBytes: (size) => crypto.getRandomValues(Buffer.alloc(size)) });
  const today = { accountId: 'acc_one', channel: 'in_app', day: dayOf(clock()) } as const;
  await stores[0]!.write(async (tx) => {
    await tx.notificationDays.lock(today);
    await tx.notificationDays.add(today, 20_000 - 10);
  });
  const refused = await refusals((store) =>
    store.write((tx) =>
      enqueue(tx, {
        ...{ accountId: 'acc_one', channel: 'in_app', target: { kind: 'subject', id: 'key_acc_one' } },
        ...{ maker: { kind: 'api_key', id: 'key_acc_one' }, subject: 'Hello', body: 'x' },
      }),
    ),
  );
  for (const reason of refused) expect(reason).toMatchObject({ code: 'rate_limited' });
  expect(refused).toHaveLength(AT_ONCE - 10);
  expect(await stores[0]!.read.notificationDays.of(today)).toBe(20_000);
  expect(await stores[0]!.read.notificationDeliveries.unread('acc_one', 'key_acc_one')).toBe(10);
});

it('a person has so many devices, and none more', async () => {
  const context = requestContext();
  const owner = { accountId: 'acc_one', subject: context.credential.id } as const;
  const first = { before: null, name: null, syncedSeq: null };
  const refused = await refusals((store, at) =>
    createDevices({ store, clock }).note({ ...owner, deviceId: `phone-${at}` }, first, context),
  );
  for (const reason of refused) expect(reason).toMatchObject({ code: 'policy_refused' });
  expect(refused).toHaveLength(AT_ONCE - 20);
  expect(await stores[0]!.read.devices.count(owner)).toBe(20);
});

it('an account has so many connections, and none more', async () => {
  const settings = { transport: 'https', url: 'https://siem.example', log: 'account', batchSize: 100 } as const;
  const made = { type: 'siem', name: 'siem', settings, secrets: {}, from: 'now' } as unknown as NewConnection;
  const refused = await refusals((store) =>
    createConnectionService({
      ...{ store, clock, randomBytes: (size) => crypto.getRandomValues(Buffer.alloc(size)), onChanged: () => {} },
      ...{ box: {} as SecretBox, sending: { urlProblem: () => null, hostProblem: () => null } },
      tryOut: async () => ({ steps: [], lockedUntil: null }),
    }).create(made, requestContext()),
  );
  for (const reason of refused) expect(reason).toMatchObject({ code: 'policy_refused' });
  expect(refused).toHaveLength(AT_ONCE - 20);
  expect(await stores[0]!.read.connections.count('acc_one')).toBe(20);
});
