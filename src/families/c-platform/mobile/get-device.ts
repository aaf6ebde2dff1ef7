import { operation } from '../../../hooks/operation.ts';
import type { Devices } from '../../../services/mobile/devices.ts';
import { device, deviceExample, deviceParams, ofDevices, readsOwn } from './device-answer.ts';

export const getDevice = (devices: Devices) =>
  operation({
    ...ofDevices,
    id: 'device.get',
    method: 'GET',
    path: '/api/v1/mobile/devices/{device_id}',
    summary: "One of one's own devices",
    effect: 'read',
    access: readsOwn,
    params: deviceParams,
    success: { status: 200, answer: device, description: 'The device' },
    errors: ['not_found'],
    example: { params: { device_id: deviceExample.device_id }, response: deviceExample },
    run: ({ params }, context) => devices.get(params.device_id, context),
  });
