/** What a device looks like, and what requests say of one. */
import { z } from 'zod';
import type { DeviceView } from '../../../services/mobile/devices.ts';
import { answer, time } from '../../answer.ts';
import { nameField } from '../../fields.ts';

/** What people do with their own devices takes no scope and no signature. */
export const ofDevices = { family: 'c', tag: 'Mobile' } as const;
export const readsOwn = { scope: 'mobile:read', role: 'viewer', own: true } as const;
export const writesOwn = { scope: 'mobile:write', role: 'viewer', own: true } as const;

export const deviceIdField = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must have 1 to 64 letters, digits, dots, dashes and underscores, the first a letter or digit',
  )
  .meta({ description: 'Chosen by the client, unique among the devices of its person or key' });
export const deviceName = nameField.nullable();
export const deviceParams = z.strictObject({ device_id: deviceIdField });

export const device = answer(
  'Device',
  {
    device_id: z.string(),
    name: z.string().nullable(),
    credential: z
      .object({ kind: z.enum(['api_key', 'oauth_client', 'person']), id: z.string() })
      .meta({ description: 'Who syncs it' }),
    session_id: z.string().nullable().meta({ description: 'The login that ends with it; null where it is of a key' }),
    push: z.boolean().meta({ description: 'It has a push subscription' }),
    last_synced_at: time.meta({ description: 'To the minute' }),
    created_at: time,
  },
  ({ makerKind: kind, makerId: id }: DeviceView) => ({ credential: { kind, id } }),
);

export const deviceExample = {
  device_id: 'pixel-9.3f1c',
  name: 'Pixel of Ada',
  credential: { kind: 'person' as const, id: 'usr_6kPd1Xw9ZmQb3TyRc8LvNa' },
  session_id: 'ses_3mVb1k7Q2xYt9LpRw0Zc5A',
  push: false,
  last_synced_at: '2026-11-20T10:00:00.000Z',
  created_at: '2026-11-20T10:00:00.000Z',
};
