/** Syslog messages of RFC 5424, framed by their length in octets as RFC 5425 sends them over TLS. */

/** By their names in RFC 5424 §6.2.1. */
export const FACILITIES = {
  user: 1,
  daemon: 3,
  auth: 4,
  authpriv: 10,
  audit: 13,
  alert: 14,
  local0: 16,
  local1: 17,
  local2: 18,
  local3: 19,
  local4: 20,
  local5: 21,
  local6: 22,
  local7: 23,
} as const;
export type Facility = keyof typeof FACILITIES;
export const SEVERITIES = { warning: 4, notice: 5, informational: 6 } as const;

export interface SyslogMessage {
  readonly facility: Facility;
  readonly severity: keyof typeof SEVERITIES;
  /** Epoch milliseconds. */
  readonly time: number;
  readonly hostname: string;
  readonly messageId: string;
  readonly structured: { readonly id: string; readonly values: Readonly<Record<string, string | null>> };
  readonly text: string;
}

/** MSG that is not ASCII begins with it (§6.4). */
const BYTE_ORDER_MARK = '\u{feff}';

/** One line of text; what is null is left out. */
export function syslogMessage(message: SyslogMessage): string {
  const { facility, severity, time, hostname, messageId, structured, text } = message;
  const priority = FACILITIES[facility] * 8 + SEVERITIES[severity];
  const values = Object.entries(structured.values)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ` ${name}="${String(value).replaceAll(/["\\\]]/g, '\\$&')}"`)
    .join('');
  const head = `<${priority}>1 ${new Date(time).toISOString()} ${named(hostname, 255)} ashlar - ${named(messageId, 32)}`;
  return `${head} [${structured.id}${values}] ${/^[\0-\x7f]*$/.test(text) ? '' : BYTE_ORDER_MARK}${text}`;
}

/** `MSG-LEN SP SYSLOG-MSG` (RFC 5425 §4.3). */
export function octetCounted(message: string): Buffer {
  const bytes = Buffer.from(message, 'utf8');
  return Buffer.concat([Buffer.from(`${bytes.length} `), bytes]);
}

/** A header's field: printable ASCII, `-` where there is none of it. */
const named = (text: string, most: number): string => text.replaceAll(/[^\x21-\x7e]/g, '_').slice(0, most) || '-';
