import { operation } from '../../../hooks/operation.ts';
import type { Mobile } from '../../../services/mobile/index.ts';
import { namedRequest } from '../../fields.ts';
import { deviceExample, deviceIdField, deviceName, ofDevices, readsOwn } from './device-answer.ts';
import { sync, syncExample, syncFields } from './sync-answer.ts';

export const syncMobile = (mobile: Mobile) =>
  operation({
    ...ofDevices,
    id: 'mobile.sync',
    method: 'POST',
    path: '/api/v1/mobile/sync',
    summary: 'What a device does not have yet',
    description:
      'Without `since` a snapshot of all records that this credential may read, in as many answers as it takes, then what has changed. The first ' +
      'sync registers the device. Needs no signature and takes no Idempotency-Key: see [mobile](/docs/mobile).',
    effect: 'compute',
    access: readsOwn,
    body: namedRequest('SyncRequest', { device_id: deviceIdField, name: deviceName.default(null), ...syncFields }),
    success: { status: 200, answer: sync, compressed: true, description: 'What has changed, and where to go on' },
    errors: ['invalid_value', 'policy_refused'],
    example: { body: { device_id: deviceExample.device_id, name: deviceExample.name }, response: syncExample },
    run: ({ body: { device_id: deviceId, since = null, ...rest } }, context) =>
      mobile.sync({ deviceId, since, ...rest }, context),
  });
