/** The settings of an outgoing connection, and which of them are secret. */
import type { Facility } from '../../core/syslog/syslog-message.ts';
import type { AuditLogName } from '../audit/audit-log.ts';

interface Common {
  readonly log: AuditLogName;
  /** Maximum records per delivery. */
  readonly batchSize: number;
  /** PEM: certificates trusted instead of the system's. */
  readonly ca: string | null;
}

export interface SyslogSettings extends Common {
  readonly transport: 'syslog';
  readonly host: string;
  readonly port: number;
  /** PEM, of the client; its key is secret. */
  readonly certificate: string | null;
  readonly facility: Facility;
}

export interface HttpsSettings extends Common {
  readonly transport: 'https';
  readonly url: string;
  readonly format: 'lines' | 'array';
}

export interface ArchiveSettings extends Common {
  readonly transport: 's3';
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  /** null: the bucket's default. */
  readonly retentionDays: number | null;
  readonly retentionMode: 'compliance' | 'governance';
  /** The age of its oldest record at which a segment is written although it is not full. */
  readonly maxAgeSeconds: number;
}

export type ConnectionSettings = SyslogSettings | HttpsSettings | ArchiveSettings;

export const SECRET_NAMES = ['privateKey', 'token', 'hmacSecret', 'secretAccessKey'] as const;
export type SecretName = (typeof SECRET_NAMES)[number];
export type ConnectionSecrets = { readonly [Name in SecretName]?: string };
/** As a request gives them: null removes one; absent ones keep their values. */
export type GivenSecrets = { readonly [Name in SecretName]?: string | null | undefined };

/** As stored, with the names of the secrets that are stored separately. */
export type KeptSettings = ConnectionSettings & { readonly secrets: readonly SecretName[] };

/** The server that receives the secrets, and who vouches for it: they are never sent to another one. */
export function placeOf(settings: ConnectionSettings): string {
  const { ca, transport } = settings;
  if (transport === 'syslog') return JSON.stringify([settings.host, settings.port, ca]);
  return JSON.stringify(transport === 'https' ? [settings.url, ca] : [settings.endpoint, settings.accessKeyId, ca]);
}

/** The server's host, for taking turns. */
export function hostOf(settings: ConnectionSettings): string {
  if (settings.transport === 'syslog') return `${settings.host}:${settings.port}`;
  return new URL(settings.transport === 'https' ? settings.url : settings.endpoint).host;
}

/** The stored settings with the given changes. */
export function joined(kept: ConnectionSecrets, given: GivenSecrets): ConnectionSecrets {
  const all = SECRET_NAMES.map((name) => [name, given[name] === undefined ? kept[name] : given[name]] as const);
  return Object.fromEntries(all.filter(([, value]) => value != null)) as ConnectionSecrets;
}

export const namesOf = (secrets: ConnectionSecrets): SecretName[] =>
  SECRET_NAMES.filter((name) => secrets[name] !== undefined);
