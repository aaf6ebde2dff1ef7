/** What a request says of where a connection leads. */
import { z } from 'zod';
import { FACILITIES } from '../../../../core/syslog/syslog-message.ts';
import type { ConnectionSettings, GivenSecrets } from '../../../../services/connections/connection-settings.ts';
import { idField, namedRequest, nameField } from '../../../fields.ts';
import { newWebhookBody } from '../../webhooks/webhook-fields.ts';

export const connectionParams = z.strictObject({ connection_id: idField('con') });

const text = (most: number) => z.string().min(1, 'must not be empty').max(most, `must have at most ${most} characters`);
const whole = (least: number, most: number) => z.int().min(least).max(most);
const pem = (kind: string, description: string) =>
  text(32_768)
    .regex(new RegExp(`^\\s*-----BEGIN ${kind}-----`), `must be PEM, beginning with -----BEGIN ${kind}-----`)
    .meta({ description });
const printable = (most: number) => text(most).regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without blanks');

const common = {
  log: z
    .enum(['account', 'service'])
    .default('account')
    .meta({ description: "The account's audit log; `service`: the service's own, for administrators of its account" }),
  ca: pem('CERTIFICATE', "Certificates (PEM) that are trusted in place of the system's").nullable().default(null),
};
const batch = (most: number, usual: number) =>
  whole(1, most).default(usual).meta({ description: 'Records of one delivery, at most' });

const syslog = namedRequest('SyslogSettings', {
  transport: z.literal('syslog').meta({ description: 'RFC 5424 messages over TLS (RFC 5425)' }),
  host: text(253).regex(/^[0-9A-Za-z.:[\]-]+$/, 'must be a host name or an address'),
  port: whole(1, 65_535).default(6514),
  certificate: pem('CERTIFICATE', 'Of the client, where the server wants one (PEM)').nullable().default(null),
  private_key: pem('(?:\\w+ )?PRIVATE KEY', "The certificate's key (PEM); kept encrypted, never answered")
    .nullable()
    .optional(),
  facility: z.enum(Object.keys(FACILITIES) as [keyof typeof FACILITIES]).default('audit'),
  batch_size: batch(500, 100),
  ...common,
});

const https = namedRequest('HttpsSettings', {
  transport: z.literal('https').meta({ description: 'Batches, POSTed' }),
  url: text(2048).meta({ examples: ['https://siem.example.com/ingest'] }),
  format: z.enum(['lines', 'array']).default('lines').meta({ description: 'JSON Lines, or one JSON array' }),
  token: printable(4096)
    .nullable()
    .optional()
    .meta({ description: 'Sent as bearer token; kept encrypted, never answered' }),
  hmac_secret: printable(512)
    .nullable()
    .optional()
    .meta({ description: 'Key of the header Ashlar-Signature; kept encrypted, never answered' }),
  batch_size: batch(500, 100),
  ...common,
});

const s3 = namedRequest('ArchiveSettings', {
  transport: z.literal('s3').default('s3').meta({ description: 'Objects of an S3-compatible store' }),
  endpoint: text(2048).meta({ examples: ['https://s3.eu-central-1.amazonaws.com'] }),
  region: printable(64).default('us-east-1'),
  bucket: text(255).regex(/^[0-9A-Za-z][0-9A-Za-z._-]+$/, 'must be the name of a bucket'),
  prefix: z
    .string()
    .max(500, 'must have at most 500 characters')
    .regex(/^([0-9A-Za-z._=-]+\/)*$/, 'must be folders that end with a slash, such as audit/')
    .default(''),
  access_key_id: printable(128),
  secret_access_key: printable(512).nullable().optional().meta({ description: 'Kept encrypted, never answered' }),
  retention_days: whole(1, 36_500)
    .nullable()
    .default(null)
    .meta({ description: "How long the store must keep each object (object lock); null: the bucket's own rule" }),
  retention_mode: z.enum(['compliance', 'governance']).default('compliance'),
  batch_size: batch(5_000, 1_000),
  max_age_seconds: whole(1, 86_400)
    .default(300)
    .meta({ description: 'A segment that is not full is written when its oldest record is so old' }),
  ...common,
});

export const newConnectionBody = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('siem').meta({ description: 'Records of the audit log, as they are sealed, to a log collector' }),
    name: nameField,
    settings: z.discriminatedUnion('transport', [syslog, https]),
    from: z.enum(['beginning', 'now']).default('now').meta({ description: 'Where in the log deliveries begin' }),
  }),
  z.strictObject({
    type: z.literal('archive').meta({ description: 'Sealed segments of the audit log with their proofs, as objects' }),
    name: nameField,
    settings: s3,
    from: z.enum(['beginning', 'now']).default('beginning').meta({ description: 'Where in the log deliveries begin' }),
  }),
  z.strictObject({
    type: z.literal('webhook').meta({ description: 'A webhook, as POST /api/v1/webhooks makes it' }),
    name: nameField.meta({ description: "The webhook's description" }),
    settings: namedRequest('WebhookSettings', newWebhookBody.omit({ description: true }).shape),
  }),
]);

export const changedConnectionBody = z.strictObject({
  name: nameField.optional(),
  enabled: z.boolean().optional(),
  settings: z.discriminatedUnion('transport', [syslog, https, s3]).optional().meta({
    description:
      'All of them anew; secrets that are left out stay while host and port, URL, or endpoint and access key stay, and null takes one away',
  }),
});

type Given = NonNullable<z.output<typeof changedConnectionBody>['settings']>;

/** The settings, and their secrets apart. */
export function settingsOf(given: Given): { settings: ConnectionSettings; secrets: GivenSecrets } {
  if (given.transport === 'syslog') {
    const { private_key: privateKey, batch_size: batchSize, ...settings } = given;
    return { settings: { ...settings, batchSize }, secrets: { privateKey } };
  }
  if (given.transport === 'https') {
    const { token, hmac_secret: hmacSecret, batch_size: batchSize, ...settings } = given;
    return { settings: { ...settings, batchSize }, secrets: { token, hmacSecret } };
  }
  const { secret_access_key: secretAccessKey, transport, endpoint, region, bucket, prefix, log, ca } = given;
  const settings = {
    ...{ transport, endpoint: endpoint.replace(/\/+$/, ''), region, bucket, prefix, log, ca },
    accessKeyId: given.access_key_id,
    retentionDays: given.retention_days,
    retentionMode: given.retention_mode,
    batchSize: given.batch_size,
    maxAgeSeconds: given.max_age_seconds,
  };
  return { settings, secrets: { secretAccessKey } };
}
