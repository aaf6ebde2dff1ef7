/**
 * A log collector is away for ten minutes while an account writes 100,000 audit records (or BACKLOG): all arrive afterwards
 * over TLS, in order, and neither memory nor the serving thread feels it.
 */
import { closeSync, createReadStream, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createSending } from '../../src/engines/sending/create-sending.ts';
import { sealBatch } from '../../src/services/audit/seal-batch.ts';
import { createDeliveries } from '../../src/services/connections/deliveries.ts';
import { createSendEvents } from '../../src/services/connections/send-events.ts';
import { createArchive } from '../../src/services/connections/write-segment.ts';
import { createLocalKeyProvider } from '../../src/services/secrets/local-key-provider.ts';
import { createSecretBox } from '../../src/services/secrets/secret-box.ts';
import type { Store } from '../../src/store/store.ts';
import { append, auditParts } from '../builders/audit.ts';
import { createAuthority } from '../builders/certificates.ts';
import { eventually } from '../builders/service-process.ts';
import { accountRecord, apiKeyRecord, connectionRecord } from '../builders/store-records.ts';
import { openTemporarySqlite, silent } from '../builders/stores.ts';
import { createSyslogServer, noSyslog } from '../builders/syslog-server.ts';
import { measured, seriesHeld } from '../builders/worst/thread-cpu.ts';

const BACKLOG = Number(process.env.BACKLOG ?? 100_000);
const MINUTE_MS = 60_000;
const AT_ONCE = 2_000;
/** Of garbage, too, until it is collected. The backlog itself has three times as much. */
const MOST_MEMORY = 160 * 1024 * 1024;

async function writeAndSeal(store: Store, count: number): Promise<void> {
  for (let written = 0; written < count; written += AT_ONCE) {
    await store.write(async (tx) => {
      for (let n = 0; n < Math.min(AT_ONCE, count - written); n++) await append(tx, 'wallet.create');
    });
    const { records } = await store.read.audit.unsealed(null, AT_ONCE);
    await store.write((tx) => sealBatch(tx, records));
  }
}

/** What was written last. */
function endOf(file: string): string {
  const { size } = statSync(file);
  const tail = Buffer.alloc(Math.min(size, 64 * 1024));
  const descriptor = openSync(file, 'r');
  readSync(descriptor, tail, 0, tail.length, size - tail.length);
  closeSync(descriptor);
  return tail.toString();
}

/** Positions in the order in which they were written down; Throws where a line is not a whole record. */
async function* positionsIn(file: string): AsyncGenerator<number> {
  for await (const line of createInterface(createReadStream(file))) {
    const { record_id, position, message } = JSON.parse(line);
    if (JSON.parse(message.m).id !== record_id) throw new Error(`the record at ${position} is not whole`);
    yield Number(position);
  }
}

it.skipIf(noSyslog !== null)(
  'delivers a large backlog of an outage completely and in order, in bounded memory and turns',
  // A larger BACKLOG takes as much longer.
  { timeout: Math.max(1, BACKLOG / 100_000) * 600_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ashlar-siem-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const authority = createAuthority(folder);
    const syslog = await createSyslogServer(folder, authority);
    await using sqlite = await openTemporarySqlite();
    const { store } = sqlite;
    let now = 1_800_000_000_000;
    const base = { store, sending: createSending({ allowedNetworks: ['127.0.0.0/8'] }), hostname: 'ashlar.test' };
    const deps = { ...base, clock: () => now, log: silent };
    const masterKey = Buffer.alloc(32, 1);
    const randomBytes = (size: number) => Buffer.alloc(size);
    const provider = createLocalKeyProvider({ masterKey, randomBytes });
    const { worker } = createDeliveries({
      ...{ ...deps, box: createSecretBox({ provider, randomBytes }), roundMs: 20, gatherMs: 1 },
      sendEvents: createSendEvents(deps),
      archive: createArchive({ ...deps, ...auditParts(store) }),
    });
    const place = { transport: 'syslog', host: '127.0.0.1', port: syslog.port, certificate: null, facility: 'local0' };
    const settings = { ...place, log: 'account', batchSize: 500, ca: authority.certificate, secrets: [] };
    await store.write(async (tx) => {
      await tx.accounts.insert(accountRecord('acc_one'));
      await tx.apiKeys.insert(apiKeyRecord({ accountId: 'acc_one', keyId: 'key_one', role: 'admin', scopes: ['*'] }));
      await tx.connections.insert(connectionRecord('con_one', { settings, nextAt: now }));
    });
    const connection = async () => (await store.read.connections.find('acc_one', 'con_one'))!;
    worker.start();
    onTestFinished(() => worker.stop());
    for (let minute = 0; minute < 10; minute++) {
      await writeAndSeal(store, BACKLOG / 10);
      now += MINUTE_MS;
    }
    const failing = await eventually('it fails', async () => ((await connection()).failures > 0 ? connection() : null));
    expect(failing).toMatchObject({ position: 0, lastError: expect.stringMatching(/^connect: /) });

    await syslog.start();
    onTestFinished(() => syslog.kill());
    now += 10 * MINUTE_MS;
    const inUse = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
    const before = inUse();
    let most = 0;
    const series = await measured(async () => {
      while ((await connection()).position < BACKLOG) {
        most = Math.max(most, inUse() - before);
        // An attempt that was on its way when the collector came back fails after it: the next one is due later.
        now += 1_000;
        await sleep(100);
      }
    });
    await worker.stop();
    const written = `"position":"${BACKLOG - 1}"`;
    await eventually('syslog-ng has written the last', async () => endOf(syslog.output).includes(written));
    let next = 0;
    for await (const position of positionsIn(syslog.output)) {
      if (position !== next) throw new Error(`${position} follows ${next - 1}`);
      next++;
    }
    expect(next).toBe(BACKLOG);
    if (process.env.BACKLOG) {
      const { longestMs, totalMs } = series;
      process.stdout.write(`${JSON.stringify({ longestMs, totalMs, mostMiB: most / 1024 / 1024 })}\n`);
    }
    expect(seriesHeld(series), `longest: ${series.turnsMs.slice(0, 20)} ms`).toBeLessThanOrEqual(1);
    expect(most).toBeLessThan(MOST_MEMORY);
  },
);
