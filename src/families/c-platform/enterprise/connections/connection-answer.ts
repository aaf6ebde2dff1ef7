/** What an outgoing connection looks like on the wire: never its secrets. */
import { z } from 'zod';
import { FACILITIES } from '../../../../core/syslog/syslog-message.ts';
import type { ConnectionView } from '../../../../services/connections/connection-service.ts';
import { answer, time } from '../../../answer.ts';

const connectionSettings = answer('ConnectionSettings', {
  transport: z.enum(['syslog', 'https', 's3']),
  log: z.enum(['account', 'service']),
  batch_size: z.int(),
  ca: z.string().nullable(),
  host: z.string().optional(),
  port: z.int().optional(),
  certificate: z.string().nullable().optional(),
  facility: z.enum(Object.keys(FACILITIES) as [keyof typeof FACILITIES]).optional(),
  url: z.string().optional(),
  format: z.enum(['lines', 'array']).optional(),
  endpoint: z.string().optional(),
  region: z.string().optional(),
  bucket: z.string().optional(),
  prefix: z.string().optional(),
  access_key_id: z.string().optional(),
  retention_days: z.int().nullable().optional(),
  retention_mode: z.enum(['compliance', 'governance']).optional(),
  max_age_seconds: z.int().optional(),
});

const WIRE_NAMES = {
  privateKey: 'private_key',
  token: 'token',
  hmacSecret: 'hmac_secret',
  secretAccessKey: 'secret_access_key',
} as const;

const connectionShape = {
  connection_id: z.string(),
  type: z.enum(['siem', 'archive']),
  name: z.string(),
  enabled: z.boolean(),
  status: z.enum(['active', 'failing', 'stopped', 'disabled']).meta({
    description:
      'failing: it is tried again by itself. stopped: `stopped_reason` says why, and a PATCH lets it begin again',
  }),
  stopped_reason: z.string().nullable(),
  settings: connectionSettings.schema,
  secrets: z
    .array(z.enum(['private_key', 'token', 'hmac_secret', 'secret_access_key']))
    .meta({ description: 'Which are kept' }),
  made_by: z
    .object({ kind: z.enum(['api_key', 'oauth_client', 'person']), id: z.string() })
    .meta({ description: 'Who set it up last: what is delivered is what that credential may read' }),
  position: z.int().meta({ description: 'In the log: all before it has been delivered' }),
  lag: z
    .object({ events: z.int(), seconds: z.int() })
    .meta({ description: 'Sealed records that are not delivered, and the age of the oldest' }),
  failures: z.int().meta({ description: 'In a row' }),
  last_error: z.string().nullable(),
  last_error_at: time.nullable(),
  last_delivered_at: time.nullable(),
  next_try_at: time.meta({ description: 'Not tried before' }),
  locked_until: time.nullable().meta({
    description: 'Until when the store said that the last object cannot be deleted; null where it said nothing',
  }),
  created_at: time,
  updated_at: time,
};

const computed = ({ settings, makerKind, makerId, nextAt }: ConnectionView) => ({
  secrets: settings.secrets.map((name) => WIRE_NAMES[name]),
  made_by: { kind: makerKind, id: makerId },
  next_try_at: new Date(nextAt).toISOString(),
});

export const connection = answer('Connection', connectionShape, computed);

export const triedConnection = answer(
  'TriedConnection',
  {
    ...connectionShape,
    steps: z
      .array(
        z.object({
          step: z.enum(['resolve', 'connect', 'tls', 'authenticate', 'deliver', 'object_lock']),
          verdict: z.enum(['passed', 'failed', 'skipped']),
          detail: z.string(),
        }),
      )
      .nullable()
      .meta({ description: 'How this request tried it; null where nothing called for a try' }),
  },
  (view: ConnectionView) => ({
    ...computed(view),
    steps: view.steps as never,
  }),
);

export const connectionExample = {
  connection_id: 'con_5nQe8Rk2TzWm1YbX4vLpJd',
  type: 'siem' as const,
  name: 'log collector',
  enabled: true,
  status: 'active' as const,
  stopped_reason: null,
  settings: {
    transport: 'syslog' as const,
    log: 'account' as const,
    batch_size: 100,
    ca: null,
    host: 'logs.example.com',
    port: 6514,
    certificate: null,
    facility: 'audit' as const,
  },
  secrets: [],
  made_by: { kind: 'api_key' as const, id: 'key_8sKd2LmQ9vXcT4yHn6PzRa' },
  position: 4_211,
  lag: { events: 0, seconds: 0 },
  failures: 0,
  last_error: null,
  last_error_at: null,
  last_delivered_at: '2026-11-01T12:00:00.000Z',
  next_try_at: '2026-11-01T12:00:00.000Z',
  locked_until: null,
  created_at: '2026-11-01T11:00:00.000Z',
  updated_at: '2026-11-01T11:00:00.000Z',
};

export const triedConnectionExample = {
  ...connectionExample,
  steps: [
    { step: 'resolve' as const, verdict: 'passed' as const, detail: 'logs.example.com' },
    { step: 'connect' as const, verdict: 'passed' as const, detail: '203.0.113.7:6514' },
    { step: 'tls' as const, verdict: 'passed' as const, detail: 'TLSv1.3' },
    { step: 'authenticate' as const, verdict: 'passed' as const, detail: 'the handshake was taken' },
    {
      step: 'deliver' as const,
      verdict: 'passed' as const,
      detail: 'test event test_con_5nQe8Rk2TzWm1YbX4vLpJd_1793530800000',
    },
    { step: 'object_lock' as const, verdict: 'skipped' as const, detail: '' },
  ],
};
