/** What preferences look like on the wire. */
import { z } from 'zod';
import { versionTag } from '../../../core/entity-tags.ts';
import { WEEKDAYS } from '../../../core/policies/policy.ts';
import { answer, time } from '../../answer.ts';
import { namedObject } from '../../fields.ts';

export const preferences = answer('MobilePreferences', {
  version: z.int().meta({ description: 'Grows with each change; 0: they were never set' }),
  channels: namedObject('NotificationChannels', {
    push: z.boolean(),
    email: z.boolean(),
  }),
  quiet_hours: namedObject('QuietHours', {
    timezone: z.string(),
    days: z.array(z.enum(WEEKDAYS)).optional(),
    from: z.string(),
    to: z.string(),
  }).nullable(),
  currency: z.string(),
  push_public_key: z.string().meta({
    description: 'What browsers subscribe with (`applicationServerKey`): P-256, uncompressed, base64url (RFC 8292)',
  }),
  updated_at: time.nullable(),
});

export const preferencesTag = ({ version }: { version: number }): string => versionTag(version);

export const wantedExample = {
  channels: { push: true, email: false },
  quiet_hours: { timezone: 'Europe/Zurich', from: '22:00', to: '07:00' },
  currency: 'CHF',
};
export const preferencesExample = {
  version: 3,
  ...wantedExample,
  push_public_key: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  updated_at: '2026-11-20T10:00:00.000Z',
};
