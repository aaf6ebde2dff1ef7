import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { PreferencesService } from '../../../services/notifications/preferences.ts';
import { isAuthSecret, isPushKey } from '../../../services/notifications/push/vapid.ts';
import { namedRequest } from '../../fields.ts';
import { hoursField } from '../enterprise/policies/policy-fields.ts';
import { deviceIdField } from './device-answer.ts';
import { preferences, preferencesExample, preferencesTag, wantedExample } from './preferences-answer.ts';

const CURRENCIES = new Set([...Intl.supportedValuesOf('currency'), 'BTC']);
const pushSubscription = z
  .strictObject({
    endpoint: z.string().max(2048, 'must have at most 2048 characters'),
    expirationTime: z.number().nullable().optional(),
    keys: z.strictObject({
      p256dh: z.string().refine(isPushKey, 'must be a point of P-256, uncompressed, in base64url'),
      auth: z.string().refine(isAuthSecret, 'must be 16 bytes in base64url'),
    }),
  })
  .meta({ id: 'PushSubscription', description: 'What `PushSubscription.toJSON()` of the Push API gives' });

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
  device_id: deviceIdField.optional().meta({ description: 'The device whose push_subscription this is' }),
  push_subscription: pushSubscription
    .nullable()
    .optional()
    .meta({ description: 'Of device_id; null: it has none. Left out, with device_id: no device’s changes' }),
}).refine(({ device_id, push_subscription }) => (device_id === undefined) === (push_subscription === undefined), {
  error: 'must be given with device_id, and neither without the other',
  path: ['push_subscription'],
});

export const replaceMobilePreferences = (service: PreferencesService) =>
  operation({
    id: 'mobile-preferences.replace',
    family: 'c',
    method: 'PUT',
    path: '/api/v1/mobile/preferences',
    summary: 'Replace how you want to be notified',
    description:
      'The whole of it: what is left out is its default. With If-Match only the version that it names. With ' +
      'device_id the push subscription of that device, which has synced before, is replaced, too.',
    tag: 'Mobile',
    effect: 'write',
    access: { scope: 'mobile:write', role: 'viewer', own: true },
    changesRules: false,
    conditional: true,
    body,
    success: { status: 200, answer: preferences, etag: preferencesTag, description: 'Your preferences' },
    errors: ['not_found', 'invalid_value', 'state_conflict'],
    example: { body: wantedExample, response: preferencesExample },
    run: ({ body: { channels, currency, quiet_hours, device_id, push_subscription }, ifMatch }, context) => {
      const push =
        device_id === undefined ? null : { deviceId: device_id, subscription: subscriptionOf(push_subscription) };
      const quietHours = quiet_hours && quietHoursOf(quiet_hours);
      return service.replace({ channels, currency, quietHours }, push, ifMatch, context);
    },
  });

const quietHoursOf = ({ days, ...hours }: z.output<typeof hoursField>) => ({ ...hours, ...(days && { days }) });

/** Without what nobody needs. */
const subscriptionOf = (given: z.output<typeof pushSubscription> | null | undefined) =>
  given ? { endpoint: given.endpoint, keys: given.keys } : null;
