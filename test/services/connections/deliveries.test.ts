/** Deliveries by several processes, after crashes, and to servers that hang. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { SendFailed, type Sending } from '../../../src/engines/sending/sending.ts';
import { sealBatch } from '../../../src/services/audit/seal-batch.ts';
import { createDeliveries } from '../../../src/services/connections/deliveries.ts';
import { createSendEvents, eventOf } from '../../../src/services/connections/send-events.ts';
import { createArchive } from '../../../src/services/connections/write-segment.ts';
import { createLocalKeyProvider } from '../../../src/services/secrets/local-key-provider.ts';
import { createSecretBox } from '../../../src/services/secrets/secret-box.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { ConnectionRecord } from '../../../src/store/repositories/connections.ts';
import type { Store } from '../../../src/store/store.ts';
import { append, auditParts } from '../../builders/audit.ts';
import { eventually } from '../../builders/service-process.ts';
import { accountRecord, apiKeyRecord, connectionRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, silent, type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';
import { leastHeld, measured } from '../../builders/worst/thread-cpu.ts';

const ARCHIVE = {
  ...{ transport: 's3', endpoint: 'https://s3.example.com', region: 'r', bucket: 'b', prefix: '', accessKeyId: 'a' },
  ...{ retentionDays: null, retentionMode: 'compliance', maxAgeSeconds: 1, batchSize: 3, log: 'account', ca: null },
  secrets: [],
};

async function withAccounts(store: Store, ...accounts: AccountId[]): Promise<void> {
  await store.write(async (tx) => {
    for (const accountId of accounts) {
      await tx.accounts.insert(accountRecord(accountId));
      const keyId = `key_${accountId}`;
      await tx.apiKeys.insert(
        apiKeyRecord({ accountId, keyId, prefix: accountId.slice(-8).padEnd(8, 'x'), role: 'admin', scopes: ['*'] }),
      );
    }
  });
}
const of = (accountId: AccountId, patch: Partial<ConnectionRecord> = {}): ConnectionRecord =>
  connectionRecord(`con_${accountId}`, { accountId, logId: accountId, makerId: `key_${accountId}`, ...patch });

async function log(store: Store, count: number, accountId: AccountId): Promise<void> {
  await store.write(async (tx) => {
    for (let i = 0; i < count; i++) await append(tx, `op-${i}`, accountId);
  });
  const { records } = await store.read.audit.unsealed(null, 10_000);
  await store.write((tx) => sealBatch(tx, records));
}

type Sent = Pick<Sending, 'http' | 's3'>;
const REPLY = { status: 200, headers: {}, body: '', opened: false };

function worker(store: Store, sent: Partial<Sent>, clock = () => Date.now()) {
  const sending = { http: async () => REPLY, s3: async () => REPLY, ...sent } as unknown as Sending;
  const provider = createLocalKeyProvider({
    masterKey: Buffer.alloc(32, 1),
    randomBytes: (size) => Buffer.alloc(size),
  });
  const base = { store, sending, clock, log: silent, hostname: 'ashlar.test' };
  const made = createDeliveries({
    ...base,
    box: createSecretBox({ provider, randomBytes: (size) => Buffer.alloc(size) }),
    sendEvents: createSendEvents(base),
    archive: createArchive({ ...base, ...auditParts(store) }),
    roundMs: 20,
    gatherMs: 1,
  });
  onTestFinished(() => made.worker.stop());
  return made.worker;
}

/** A collector in this process: record ids by the path that they were sent to. */
function collector() {
  const ids = new Map<string, string[]>();
  const http: Sending['http'] = async ({ url, body }) => {
    const lines = String(body).trim().split('\n');
    ids.set(url, [...(ids.get(url) ?? []), ...lines.map((line) => JSON.parse(line).record_id as string)]);
    return REPLY;
  };
  const all = () => [...ids.values()].flat();
  return { http, all };
}
const inLog = async (store: Store, accountId: AccountId) =>
  (await store.read.audit.sealedFrom(accountId, 0, 1_000)).map(({ recordId }) => recordId);

describe('on PostgreSQL', () => {
  let postgres: TemporaryPostgres;
  beforeAll(async () => {
    postgres = await withPostgres();
  });
  afterAll(() => postgres.stop());

  it('two processes deliver each record once, and the other goes on where one ends', async () => {
    const url = await postgres.newTables();
    const [one, two] = [
      await openPostgresStore({ url, log: silent, clock: Date.now }),
      await openPostgresStore({ url, log: silent, clock: Date.now }),
    ];
    onTestFinished(async () => void (await Promise.all([one.close(), two.close()])));
    await withAccounts(one, 'acc_one');
    await one.write((tx) => tx.connections.insert(of('acc_one')));
    const to = collector();
    const workers = [worker(one, to), worker(two, to)];
    for (const started of workers) started.start();
    await log(one, 25, 'acc_one');
    await eventually('all are there', async () => to.all().length >= 25);
    const leader = [one, two].findIndex((store) => store.leads().has('connections'));
    await workers[leader]?.stop();
    await log(one, 10, 'acc_one');
    await eventually('the others, too', async () => to.all().length >= 35);
    await Promise.all(workers.map((each) => each.stop()));
    expect(to.all()).toEqual(await inLog(one, 'acc_one'));
  });
});

describe('deliveries', () => {
  it('repeat a batch of which it is not known that it was taken, and nothing else', async () => {
    await using sqlite = await openTemporarySqlite();
    const { store } = sqlite;
    await withAccounts(store, 'acc_one');
    await store.write((tx) =>
      tx.connections.insert(of('acc_one', { settings: { ...connectionRecord('x').settings, batchSize: 4 } })),
    );
    await log(store, 10, 'acc_one');
    const to = collector();
    // The process ends when the second batch has been taken, and before that is noted.
    const dying = {
      ...store,
      write: (job: never) => (to.all().length > 4 ? Promise.reject(new Error('killed')) : store.write(job)),
    };
    const first = worker(dying as Store, to);
    first.start();
    await eventually('the second batch is taken', async () => to.all().length >= 8);
    await first.stop();
    const taken = to.all().length;
    worker(store, to).start();
    const expected = await inLog(store, 'acc_one');
    await eventually('the rest is taken', async () => to.all().at(-1) === expected.at(-1));
    expect(to.all().slice(0, 8)).toEqual(expected.slice(0, 8));
    expect(to.all().slice(taken)).toEqual(expected.slice(4));
  });

  it('write a segment again under the same name and with the same bytes, whatever has come since', async () => {
    await using sqlite = await openTemporarySqlite();
    const { store } = sqlite;
    await withAccounts(store, 'acc_one');
    await store.write((tx) => tx.connections.insert(of('acc_one', { type: 'archive', settings: ARCHIVE })));
    await log(store, 2, 'acc_one');
    const objects: [name: string, text: string][] = [];
    const s3: Sending['s3'] = async ({ method, key, body }) => {
      if (method === 'PUT') objects.push([key, String(body?.bytes)]);
      if (objects.length === 1) throw new SendFailed('deliver', 'the connection broke off');
      return REPLY;
    };
    let now = Date.now() + 60_000;
    const first = worker(store, { s3 }, () => now);
    first.start();
    await eventually('it was put', async () => objects.length === 1);
    await eventually(
      'the failure is noted',
      async () => (await store.read.connections.find('acc_one', 'con_acc_one'))?.failures === 1,
    );
    await first.stop();
    await log(store, 5, 'acc_one');
    now += 600_000;
    worker(store, { s3 }, () => now).start();
    await eventually(
      'all is put',
      async () => (await store.read.connections.find('acc_one', 'con_acc_one'))?.position === 7,
    );
    expect(objects[1]).toEqual(objects[0]);
    expect(objects.map(([name]) => name)).toEqual([
      ...[0, 0].map(() => 'acc_one/000000000000-000000000001.ndjson'),
      ...['acc_one/000000000002-000000000004.ndjson', 'acc_one/000000000005-000000000006.ndjson'],
    ]);
  });

  it('to servers that hang keep no other account waiting', async () => {
    await using sqlite = await openTemporarySqlite();
    const { store } = sqlite;
    await withAccounts(store, 'acc_slow', 'acc_one');
    const hanging = (i: number) =>
      of('acc_slow', {
        connectionId: `con_slow_${i}`,
        settings: { ...connectionRecord('x').settings, url: `https://slow.example.com/${i}` },
      });
    await store.write(async (tx) => {
      for (let i = 0; i < 10; i++) await tx.connections.insert(hanging(i));
      await tx.connections.insert(of('acc_one'));
    });
    await log(store, 3, 'acc_slow');
    await log(store, 3, 'acc_one');
    const to = collector();
    let hang = 0;
    const http: Sending['http'] = (request, options) => {
      if (!request.url.includes('slow')) return to.http(request, options);
      hang++;
      return new Promise((_, reject) =>
        options.signal.addEventListener('abort', () => reject(new SendFailed('deliver', 'it took too long'))),
      );
    };
    worker(store, { http }).start();
    await eventually('the other account has its own', async () => to.all().length === 3);
    expect(hang).toBeLessThanOrEqual(2);
  });

  it('end where the account is frozen or the maker demoted, with a record of it', async () => {
    await using sqlite = await openTemporarySqlite();
    const { store } = sqlite;
    await withAccounts(store, 'acc_frozen', 'acc_low');
    await store.write(async (tx) => {
      await tx.accounts.freeze('acc_frozen', 1, null);
      const viewer = {
        accountId: 'acc_low',
        keyId: 'key_viewer',
        prefix: 'viewerxx',
        role: 'viewer',
        scopes: ['*'],
      } as const;
      await tx.apiKeys.insert(apiKeyRecord(viewer));
      await tx.connections.insert(of('acc_frozen'));
      await tx.connections.insert(of('acc_low', { makerId: 'key_viewer' }));
    });
    await log(store, 1, 'acc_frozen');
    await log(store, 1, 'acc_low');
    const to = collector();
    worker(store, to).start();
    const reasonOf = (accountId: AccountId) =>
      eventually(
        'it ends',
        async () => (await store.read.connections.find(accountId, `con_${accountId}`))?.stoppedReason,
      );
    expect(await reasonOf('acc_frozen')).toBe('the account is frozen');
    expect(await reasonOf('acc_low')).toContain('compliance:read');
    const { data } = await store.read.audit.list(
      'acc_low',
      { operation: 'connection.update' },
      { limit: 5, offset: 0 },
    );
    expect(data).toMatchObject([{ target: 'con_acc_low', credentialKind: 'service' }]);
    expect(to.all()).toEqual([]);
  });

  it('let others have their turn while a large batch is made', async () => {
    await using sqlite = await openTemporarySqlite();
    const { store } = sqlite;
    await withAccounts(store, 'acc_one');
    await log(store, 1, 'acc_one');
    const [record] = await store.read.audit.sealedFrom('acc_one', 0, 1);
    const event = eventOf({ ...record!, entry: JSON.stringify({ text: 'x'.repeat(16_384) }) });
    const sending = { syslog: async () => {} } as unknown as Sending;
    const send = createSendEvents({ sending, hostname: 'ashlar.test', clock: Date.now });
    const settings = {
      transport: 'syslog',
      host: 'h',
      port: 1,
      certificate: null,
      facility: 'audit',
      log: 'account',
      batchSize: 500,
      ca: null,
    } as const;
    const batch = { connectionId: 'con_one', events: Array(2_000).fill(event), settings, secrets: {} };
    const { ratio, said } = await leastHeld(() =>
      measured(() => send(batch, { signal: new AbortController().signal })),
    );
    expect(ratio, said).toBeLessThanOrEqual(1);
  });
});
