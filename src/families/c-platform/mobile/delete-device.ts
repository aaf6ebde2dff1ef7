import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Devices } from '../../../services/mobile/devices.ts';
import { deviceExample, deviceParams, ofDevices, writesOwn } from './device-answer.ts';

export const deleteDevice = (devices: Devices) =>
  operation({
    ...ofDevices,
    id: 'device.delete',
    method: 'DELETE',
    path: '/api/v1/mobile/devices/{device_id}',
    summary: 'Revoke a device',
    description: 'The login that it last synced with ends at once, and it gets no more pushes.',
    effect: 'write',
    changesRules: false,
    access: writesOwn,
    params: deviceParams,
    success: { status: 204, schema: z.undefined(), description: 'Revoked' },
    errors: ['not_found'],
    example: { params: { device_id: deviceExample.device_id } },
    run: ({ params }, context) => devices.revoke(params.device_id, context),
    present: () => undefined,
  });
