/** A report in requests and answers; both kinds have the same form. */
import { z } from 'zod';
import { REPORT_FORMATS, REPORT_STATUSES } from '../../../core/reports/report-names.ts';
import type { ShownReport } from '../../../services/reports/report-service.ts';
import { answer, time } from '../../answer.ts';
import { idField } from '../../fields.ts';
import { timezoneField } from '../enterprise/policies/policy-fields.ts';

export const reportParams = z.strictObject({ report_id: idField('rep') });

const timeField = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-11-01T00:00:00Z' })
  .transform((text) => Date.parse(text));

/** What every type takes. */
export const reportFields = {
  from: timeField.meta({ description: 'From this time on' }),
  to: timeField.optional().meta({ description: 'Before this time. Left out, or in the future: now' }),
  format: z.enum(REPORT_FORMATS).default('json'),
  timezone: timezoneField.default('UTC').meta({ description: 'Of the times in it' }),
};
/** Of types that can be of some wallets. */
export const walletsField = z
  .array(idField('wal'))
  .min(1, 'must name a wallet, or be absent')
  .max(1_000, 'must have at most 1000 wallets')
  .optional()
  .meta({ description: 'Left out: all wallets' });

/** What the service is asked of these fields. */
export const askedOf = ({
  from,
  to,
  format,
  timezone,
  wallets = null,
}: Omit<z.output<z.ZodObject<typeof reportFields>>, 'from'> & {
  from?: number | undefined;
  wallets?: z.output<typeof walletsField> | null;
}) => ({
  ...{ from, to, format, timezone },
  wallets: wallets === null ? null : [...new Set(wallets)],
});

const iso = (at: number): string => new Date(at).toISOString();

export const report = answer(
  'Report',
  {
    report_id: z.string(),
    type: z.string(),
    format: z.enum(REPORT_FORMATS),
    from: z.string(),
    to: z.string(),
    timezone: z.string(),
    wallets: z.array(z.string()).nullable().meta({ description: 'null: all' }),
    status: z.enum(REPORT_STATUSES).meta({ id: 'ReportStatus' }),
    reason: z.string().nullable().meta({ description: 'Why it failed' }),
    progress: z
      .object({ done: z.int(), of: z.int().nullable() })
      .meta({ description: 'Records that it went through; `of` is null until they are counted' }),
    rows: z.int().meta({ description: 'In the report so far' }),
    size: z.int().nullable().meta({ description: 'Bytes of the content' }),
    sha256: z.string().nullable().meta({ description: 'Of the content, hex' }),
    requested_by: z.string().meta({ description: 'An API key, OAuth client or user' }),
    created_at: time,
    closed_at: time.nullable(),
    expires_at: time.nullable().meta({ description: 'When the content is deleted' }),
  },
  ({ asked, status, size, passed, toPass, rowCount, makerId }: ShownReport) => ({
    ...{ from: iso(asked.from), to: iso(asked.to), timezone: asked.timezone },
    wallets: asked.wallets === null ? null : [...asked.wallets],
    progress: { done: passed, of: toPass },
    rows: rowCount,
    size: status === 'done' || status === 'expired' ? size : null,
    requested_by: makerId,
  }),
);

export const reportExample = {
  report_id: 'rep_5hNw2LmQ9vXcT4yHn6PzRa',
  type: 'activity',
  format: 'csv' as const,
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-24T12:00:00.000Z',
  timezone: 'UTC',
  wallets: null,
  status: 'done' as const,
  reason: null,
  progress: { done: 412, of: 412 },
  rows: 430,
  size: 61_204,
  sha256: '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  requested_by: 'key_5nQe0wTzXk8uGm2LrVb7Yd',
  created_at: '2026-11-24T12:00:00.000Z',
  closed_at: '2026-11-24T12:00:01.000Z',
  expires_at: '2026-12-01T12:00:01.000Z',
};
export const queuedExample = {
  ...reportExample,
  ...{ status: 'queued' as const, rows: 0, size: null, sha256: null, closed_at: null, expires_at: null },
  progress: { done: 0, of: null },
};
export const complianceExample = <Example extends typeof reportExample | typeof queuedExample>(example: Example) => ({
  ...example,
  ...{ type: 'audit', rows: example.rows === 0 ? 0 : 412 },
});
