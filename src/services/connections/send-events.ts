/** Sends records of the audit log to a log collector, by syslog or HTTPS. */
import { createHmac } from 'node:crypto';
import { hex } from '../../core/bytes.ts';
import { octetCounted, syslogMessage } from '../../core/syslog/syslog-message.ts';
import { SendFailed, type Sending, type SendOptions } from '../../engines/sending/sending.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { AuditRecord, AuditSeal } from '../../store/repositories/audit-pages.ts';
import type { ConnectionSecrets, HttpsSettings, SyslogSettings } from './connection-settings.ts';

export type SealedRecord = AuditRecord & { readonly seal: AuditSeal };

/** `recordId` identifies the record, so that a collector recognises an event that is sent again. */
interface OutgoingEvent {
  readonly recordId: string;
  readonly time: number;
  readonly operation: string;
  readonly outcome: string;
  /** What else tells of it. */
  readonly values: Readonly<Record<string, string | null>>;
  readonly position: number | null;
  /** JSON: of a record the text that is hashed. */
  readonly entry: string;
}

export interface SentEvents {
  readonly connectionId: string;
  readonly events: readonly OutgoingEvent[];
  readonly settings: SyslogSettings | HttpsSettings;
  readonly secrets: ConnectionSecrets;
}

/** RFC 5612's enterprise number for documentation, because the service has none of its own. */
const STRUCTURED = 'ashlar@32473';

export const eventOf = ({ seal, ...record }: SealedRecord): OutgoingEvent => ({
  ...{ recordId: record.recordId, time: record.time, operation: record.operation, outcome: record.outcome },
  position: seal.position,
  values: {
    log: record.logId,
    credential_kind: record.credentialKind,
    credential_id: record.credentialId,
    target: record.target,
    previous_hash: hex(seal.previousHash),
    hash: hex(seal.hash),
  },
  entry: record.entry,
});

/** The event that tests a connection. */
export const testEvent = (connectionId: string, at: number): OutgoingEvent => ({
  ...{
    recordId: `test_${connectionId}_${at}`,
    time: at,
    operation: 'connection.test',
    outcome: 'done',
    position: null,
  },
  values: { connection_id: connectionId },
  entry: JSON.stringify({ test: true, connection_id: connectionId, time: new Date(at).toISOString() }),
});

/** `hostname`: the service's name in messages. Rejects with SendFailed. */
export const createSendEvents =
  ({ sending, hostname, clock }: { sending: Sending; hostname: string; clock: () => number }) =>
  async (sent: SentEvents, options: SendOptions): Promise<void> => {
    const { settings, secrets } = sent;
    if (settings.transport === 'https') return post(sending, { ...sent, settings }, clock(), options);
    const { host, port, ca, certificate } = settings;
    const identity = { ca, certificate: certificate ?? undefined, privateKey: secrets.privateKey };
    const pause = createYielder();
    const frames: Buffer[] = [];
    for (const event of sent.events) {
      frames.push(frameOf(event, settings, hostname));
      await pause();
    }
    await sending.syslog({ hostname: host, port, tls: identity }, frames, options);
  };

const frameOf = (event: OutgoingEvent, { facility }: SyslogSettings, hostname: string): Buffer => {
  const { recordId, time, operation, outcome, position, values, entry } = event;
  const given = { record_id: recordId, position: position === null ? null : String(position), operation, outcome };
  const structured = { id: STRUCTURED, values: { ...given, ...values } };
  const severity = outcome === 'done' ? 'informational' : 'warning';
  return octetCounted(
    syslogMessage({ facility, severity, time, hostname, messageId: operation, structured, text: entry }),
  );
};

/** The entry comes last, byte for byte as it was hashed. */
function lineOf({ recordId, position, time, operation, outcome, values, entry }: OutgoingEvent): string {
  const head = { record_id: recordId, position, time: new Date(time).toISOString(), operation, outcome, ...values };
  return `${JSON.stringify(head).slice(0, -1)},"entry":${entry}}`;
}

async function post(
  sending: Sending,
  { connectionId, events, settings, secrets }: SentEvents & { settings: HttpsSettings },
  at: number,
  options: SendOptions,
): Promise<void> {
  const { url, format, ca } = settings;
  const lines: string[] = [];
  const pause = createYielder();
  for (const event of events) {
    lines.push(lineOf(event));
    await pause();
  }
  const body = Buffer.from(format === 'lines' ? lines.map((line) => `${line}\n`).join('') : `[${lines.join(',')}]`);
  const headers = {
    'content-type': format === 'lines' ? 'application/x-ndjson' : 'application/json',
    // A batch that is sent again has the same key.
    'idempotency-key': `${connectionId} ${events[0]?.recordId} ${events.length}`,
    ...(secrets.token !== undefined && { authorization: `Bearer ${secrets.token}` }),
    ...(secrets.hmacSecret !== undefined && { 'ashlar-signature': signatureOf(body, secrets.hmacSecret, at) }),
  };
  const { status } = await sending.http({ method: 'POST', url, headers, body, ca }, options);
  if (status === 401 || status === 403) throw new SendFailed('authenticate', `the server answers ${status}`);
  options.passed?.('authenticate', `status ${status}`);
  if (status < 200 || status > 299) {
    throw new SendFailed(
      'deliver',
      `the server answers ${status}${status >= 300 && status < 400 ? ', which is not followed' : ''}`,
    );
  }
}

/** `t=<Unix seconds>,v1=<HMAC-SHA-256 over "<t>.<body>", hex>` */
function signatureOf(body: Buffer, secret: string, at: number): string {
  const t = Math.floor(at / 1000);
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')}`;
}
