import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Devices } from '../../../services/mobile/devices.ts';
import { device, deviceExample, deviceName, deviceParams, ofDevices, writesOwn } from './device-answer.ts';

export const updateDevice = (devices: Devices) =>
  operation({
    ...ofDevices,
    id: 'device.update',
    method: 'PATCH',
    path: '/api/v1/mobile/devices/{device_id}',
    summary: 'Name a device',
    effect: 'write',
    changesRules: false,
    access: writesOwn,
    params: deviceParams,
    body: z.strictObject({ name: deviceName }),
    success: { status: 200, answer: device, description: 'The device' },
    errors: ['not_found'],
    example: {
      params: { device_id: deviceExample.device_id },
      body: { name: deviceExample.name },
      response: deviceExample,
    },
    run: ({ params, body }, context) => devices.rename(params.device_id, body.name, context),
  });
