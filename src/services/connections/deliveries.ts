/**
 * Delivers the audit log after each connection's position, in order: a batch at a time, in one process of several, accounts in turn. The
 * position advances after the receiver has accepted the batch. A batch that is sent again after a crash or an outage is recognised by its
 * records' ids, or by the object's name.
 */
import type { Logger } from 'pino';
import { SendFailed } from '../../engines/sending/sending.ts';
import { createWorkOutage } from '../../outages/outage.ts';
import { createJobQueue, type Job } from '../../scheduling/job-queue.ts';
import { retryPause, type Worker } from '../../scheduling/worker.ts';
import type { ConnectionRecord } from '../../store/repositories/connections.ts';
import type { Store } from '../../store/store.ts';
import { recordChangesBy } from '../audit/record-change.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { type ConnectionSecrets, hostOf, type KeptSettings } from './connection-settings.ts';
import { whyNotRead } from './may-read.ts';
import { type createSendEvents, eventOf, type SealedRecord } from './send-events.ts';
import type { Archive } from './write-segment.ts';

const ROUND_MS = 5_000;
/** Records that are written together are delivered together, after they are sealed. */
const GATHER_MS = 1_000;
const AT_ONCE = { all: 32, ofAccount: 2, ofHost: 4 };
const A_ROUND = 1_000;
const LONGEST_PAUSE_MS = 300_000;
/** Bytes per batch: hashed and encrypted in one piece. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Records per read. */
const PAGE = 100;
/** When a segment that is not full is looked at again. */
const LOOK_AGAIN_MS = 60_000;

const recordChange = recordChangesBy({ kind: 'service', id: 'connections' });

export interface DeliveryCounts {
  /** Batches. */
  delivered: number;
  failed: number;
}

interface Delivery extends Job {
  readonly connection: ConnectionRecord;
}

export function createDeliveries(deps: {
  store: Store;
  box: SecretBox;
  sendEvents: ReturnType<typeof createSendEvents>;
  archive: Archive;
  clock: () => number;
  log: Pick<Logger, 'info' | 'warn'>;
  roundMs?: number;
  gatherMs?: number;
}): { readonly worker: Worker; counts(): DeliveryCounts } {
  const { store, box, sendEvents, archive, clock, log, roundMs = ROUND_MS, gatherMs = GATHER_MS } = deps;
  const { read } = store;
  const counts: DeliveryCounts = { delivered: 0, failed: 0 };

  const stop = (connection: ConnectionRecord, reason: string): Promise<void> =>
    store.write(async (tx) => {
      const { accountId, connectionId, revision } = connection;
      const stopped = { stoppedReason: reason, revision: revision + 1, updatedAt: clock() };
      if (!(await tx.connections.update(connection, stopped))) return;
      await recordChange(tx, { operation: 'connection.update', accountId, target: connectionId });
      log.warn({ connectionId, reason }, 'an outgoing connection has ended');
    });

  /** The records after the position, in order and without a gap, as many as fit in a batch. */
  async function recordsOf({ logId, position, segmentEnd }: ConnectionRecord, most: number): Promise<SealedRecord[]> {
    const found: SealedRecord[] = [];
    const limit = segmentEnd === null ? most : segmentEnd - position;
    for (let bytes = 0; found.length < limit; ) {
      const page = await read.audit.sealedFrom(logId, position + found.length, Math.min(PAGE, limit - found.length));
      for (const record of page) {
        bytes += record.entry.length;
        if (segmentEnd === null && found.length > 0 && bytes > MAX_BYTES) return found;
        found.push(record);
      }
      if (page.length < PAGE) return found;
    }
    return found;
  }

  async function secretsOf({ connectionId, secret }: ConnectionRecord): Promise<ConnectionSecrets> {
    if (secret === null) return {};
    const bytes = await box.decrypt(secret, { connectionId, purpose: 'connection-secrets' });
    try {
      return JSON.parse(Buffer.from(bytes).toString()) as ConnectionSecrets;
    } finally {
      bytes.fill(0);
    }
  }

  /** For an archive: false if the segment is to be written later. */
  async function isDecided(connection: ConnectionRecord, settings: KeptSettings, records: readonly SealedRecord[]) {
    if (settings.transport !== 's3' || connection.segmentEnd !== null) return true;
    const full =
      records.length >= settings.batchSize || records.reduce((sum, one) => sum + one.entry.length, 0) >= MAX_BYTES / 2;
    const dueAt = records[0]!.time + settings.maxAgeSeconds * 1000;
    if (!full && dueAt > clock()) {
      const nextAt = Math.min(dueAt, clock() + LOOK_AGAIN_MS);
      await store.write((tx) => tx.connections.progress(connection, { nextAt }));
      return false;
    }
    const segmentEnd = connection.position + records.length;
    return store.write((tx) => tx.connections.progress(connection, { segmentEnd }));
  }

  async function send(connection: ConnectionRecord, records: readonly SealedRecord[], signal: AbortSignal) {
    const { connectionId } = connection;
    const settings = connection.settings as unknown as KeptSettings;
    const secrets = await secretsOf(connection);
    if (settings.transport === 's3') return archive.write({ settings, secrets }, records, { signal });
    await sendEvents({ connectionId, events: records.map(eventOf), settings, secrets }, { signal });
    return null;
  }

  async function perform({ connection }: Delivery, signal: AbortSignal): Promise<'done' | 'more' | 'later'> {
    const reason = await whyNotRead(read, connection, clock());
    if (reason !== null) {
      await stop(connection, reason);
      return 'done';
    }
    const settings = connection.settings as unknown as KeptSettings;
    const records = await recordsOf(connection, settings.batchSize);
    if (records.length === 0 || !(await isDecided(connection, settings, records))) return 'done';
    try {
      const lockedUntil = await send(connection, records, signal);
      await delivered(connection, records.length, lockedUntil);
      return 'more';
    } catch (error) {
      if (!(error instanceof SendFailed)) throw error;
      if (signal.aborted) return 'later';
      await failed(connection, error);
      return 'done';
    }
  }

  async function delivered(connection: ConnectionRecord, count: number, lockedUntil: number | null): Promise<void> {
    const { connectionId, position, failures } = connection;
    const at = clock();
    const progress = { position: position + count, segmentEnd: null, failures: 0, lastDeliveredAt: at, lockedUntil };
    await store.write((tx) => tx.connections.progress(connection, { ...progress, nextAt: at }));
    counts.delivered++;
    if (failures > 0) log.info({ connectionId, failures }, 'an outgoing connection delivers again');
  }

  async function failed(connection: ConnectionRecord, error: SendFailed): Promise<void> {
    const { connectionId, failures } = connection;
    const at = clock();
    const lastError = `${error.step}: ${error.message}`;
    const nextAt = at + retryPause(failures, LONGEST_PAUSE_MS);
    const patch = { failures: failures + 1, lastError, lastErrorAt: at, nextAt };
    await store.write((tx) => tx.connections.progress(connection, patch));
    counts.failed++;
    if (failures === 0) log.warn({ connectionId, reason: lastError }, 'an outgoing connection fails; trying again');
  }

  const worker = createJobQueue<Delivery>({
    ...{ name: 'connections', log, clock, intervalMs: roundMs, atOnce: AT_ONCE },
    failed: 'deliveries of outgoing connections could not be read',
    recovered: 'deliveries of outgoing connections are read again',
    failing: createWorkOutage({
      ...{ part: 'connections', log, clock },
      began: 'the position of outgoing connections could not be stored',
      ended: 'the position of outgoing connections is stored again',
    }),
    alone: (signal, rounds) => store.exclusively('connections', signal, rounds),
    wokenBy: store.onAudit,
    gatherMs,
    due: async () =>
      (await read.connections.due(clock(), A_ROUND)).map((connection) => ({
        ...{ key: connection.connectionId, accountId: connection.accountId, connection },
        host: hostOf(connection.settings as unknown as KeptSettings),
      })),
    perform,
  });
  return { worker, counts: () => ({ ...counts }) };
}
