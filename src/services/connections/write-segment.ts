/**
 * Writes a part of the audit log as an object of an archive: a line with the signed tree head and the proof that links it to these records,
 * then the lines of the export. Its records are fixed in the database before it is written, so a retry after a crash writes the same bytes
 * under the same name.
 */
import { createHash } from 'node:crypto';
import { SEGMENT_FORMAT, type SegmentLine } from '../../core/audit-log/export-lines.ts';
import { hex } from '../../core/bytes.ts';
import { SendFailed, type Sending, type SendOptions } from '../../engines/sending/sending.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { Store } from '../../store/store.ts';
import { logKeyViews } from '../audit/audit-log-keys.ts';
import { linesOfRecord } from '../audit/export-log.ts';
import type { LogKeys } from '../audit/log-keys.ts';
import { subtreesBefore } from '../audit/tree.ts';
import type { TreeHeads } from '../audit/tree-heads.ts';
import type { ArchiveSettings, ConnectionSecrets } from './connection-settings.ts';
import type { SealedRecord } from './send-events.ts';

const DAY_MS = 86_400_000;

export interface ArchivePlace {
  readonly settings: ArchiveSettings;
  readonly secrets: ConnectionSecrets;
}

/** Until when the store has locked the object against deletion; null if it does not say. */
type LockedUntil = number | null;

const segmentKey = ({ prefix }: ArchiveSettings, logId: string, start: number, end: number): string =>
  `${prefix}${logId}/${padded(start)}-${padded(end - 1)}.ndjson`;

/** Names sort in the order of the log. */
const padded = (position: number): string => String(position).padStart(12, '0');

export function createArchive(deps: {
  store: Pick<Store, 'read'>;
  sending: Sending;
  heads: Pick<TreeHeads, 'at'>;
  keys: LogKeys;
  clock: () => number;
}) {
  const { store, sending, heads, keys, clock } = deps;
  const { read } = store;

  async function opening(logId: string, start: number, end: number): Promise<string> {
    const { root, note } = await heads.at(logId, end);
    const line: SegmentLine = {
      ...{ type: 'segment', format: SEGMENT_FORMAT, log: logId, start, size: end },
      ...{ root: hex(root), note, verifiers: (await logKeyViews(keys, logId)).map(({ verifier }) => verifier) },
      before: (await subtreesBefore(read, logId, start)).map(hex),
    };
    return `${JSON.stringify(line)}\n`;
  }

  /** Puts the object, and asks the store for its lock. Rejects with SendFailed. */
  async function put(
    { settings, secrets }: ArchivePlace,
    object: { key: string; body: Buffer; sha256: Buffer; type: string },
    options: SendOptions,
  ): Promise<LockedUntil> {
    const { endpoint, region, bucket, accessKeyId, retentionDays, retentionMode, ca } = settings;
    const place = { endpoint, region, bucket, key: object.key, accessKeyId, ca };
    const signed = { ...place, secretAccessKey: secrets.secretAccessKey ?? '' };
    const lock = retentionDays !== null && {
      'x-amz-object-lock-mode': retentionMode.toUpperCase(),
      'x-amz-object-lock-retain-until-date': new Date(clock() + retentionDays * DAY_MS).toISOString(),
    };
    const headers = {
      ...{ 'content-type': object.type, 'x-amz-checksum-sha256': object.sha256.toString('base64') },
      ...lock,
    };
    const { body, sha256 } = object;
    expectStored(await sending.s3({ method: 'PUT', headers, body: { bytes: body, sha256 }, ...signed }, options));
    options.passed?.('authenticate', 'the signature was taken');
    const head = await sending.s3({ method: 'HEAD', headers: {}, body: null, ...signed }, { signal: options.signal });
    if (head.status !== 200)
      throw new SendFailed('deliver', `the object was not stored: the store answers ${head.status}`);
    const until = Date.parse(String(head.headers['x-amz-object-lock-retain-until-date'] ?? ''));
    return Number.isNaN(until) ? null : until;
  }

  return {
    put,
    /** `records`: those of the log from `start` on, without a gap. */
    async write(place: ArchivePlace, records: readonly SealedRecord[], options: SendOptions): Promise<LockedUntil> {
      const first = records[0]!;
      const { logId } = first;
      const start = first.seal.position;
      const end = start + records.length;
      const pause = createYielder();
      const shown = new Set<string>();
      const digest = createHash('sha256');
      const parts: Buffer[] = [];
      const add = (text: string): void => {
        const bytes = Buffer.from(text);
        digest.update(bytes);
        parts.push(bytes);
      };
      add(await opening(logId, start, end));
      for (const record of records) {
        add(await linesOfRecord(read, record, shown));
        await pause();
      }
      const object = { key: segmentKey(place.settings, logId, start, end), type: 'application/x-ndjson' };
      return put(place, { ...object, body: Buffer.concat(parts), sha256: digest.digest() }, options);
    },
  };
}

export type Archive = ReturnType<typeof createArchive>;

function expectStored({ status, body }: { status: number; body: string }): void {
  if (status === 200) return;
  // S3's error code, and nothing else of the response.
  const code = /<Code>([A-Za-z]{1,64})<\/Code>/.exec(body)?.[1];
  const says = `the store answers ${status}${code === undefined ? '' : ` ${code}`}`;
  throw new SendFailed(status === 401 || status === 403 ? 'authenticate' : 'deliver', says);
}
