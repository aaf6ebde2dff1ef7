import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { PreferencesService } from '../../../services/notifications/preferences.ts';
import { namedRequest } from '../../fields.ts';
import { hoursField } from '../enterprise/policies/policy-fields.ts';
import { preferences, preferencesExample, preferencesTag, wantedExample } from './preferences-answer.ts';

const CURRENCIES = new Set([...Intl.supportedValuesOf('currency'), 'BTC']);
const body = namedRequest('MobilePreferencesRequest', {
  channels: z
    .strictObject({ push: z.boolean().default(true), email: z.boolean().default(true) })
    .default({ push: true, email: true })
    .meta({ description: 'Which ones may reach you; in_app always does' }),
  quiet_hours: hoursField
    .refine(({ from, to }) => from !== to, { error: 'must end at another time than they begin', path: ['to'] })
    .nullable()
    .default(null)
    .meta({ description: 'Push messages and e-mail wait for their end. Default: none' }),
  currency: z
    .string()
    .refine((code) => CURRENCIES.has(code), 'must be a currency of ISO 4217 such as EUR, or BTC')
    .default('BTC')
    .meta({ description: 'What your apps show amounts in' }),
});

export const replaceMobilePreferences = (service: PreferencesService) =>
  operation({
    id: 'mobile-preferences.replace',
    family: 'c',
    method: 'PUT',
    path: '/api/v1/mobile/preferences',
    summary: 'Replace how you want to be notified',
    description: 'The whole of it: what is left out is its default. With If-Match only the version that it names.',
    tag: 'Mobile',
    effect: 'write',
    access: { scope: 'mobile:write', role: 'viewer', own: true },
    changesRules: false,
    conditional: true,
    body,
    success: { status: 200, answer: preferences, etag: preferencesTag, description: 'Your preferences' },
    errors: [],
    example: { body: wantedExample, response: preferencesExample },
    run: ({ body: { quiet_hours: quiet, ...given }, ifMatch }, context) => {
      if (quiet === null) return service.replace({ ...given, quietHours: null }, ifMatch, context);
      const { days, ...hours } = quiet;
      return service.replace({ ...given, quietHours: { ...hours, ...(days && { days }) } }, ifMatch, context);
    },
  });
