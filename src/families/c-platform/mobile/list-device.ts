import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Devices } from '../../../services/mobile/devices.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { device, deviceExample, ofDevices, readsOwn } from './device-answer.ts';

export const listDevice = (devices: Devices) =>
  operation({
    ...ofDevices,
    id: 'device.list',
    method: 'GET',
    path: '/api/v1/mobile/devices',
    summary: "One's own devices",
    effect: 'read',
    access: readsOwn,
    query: z.strictObject(pageQuery),
    success: { status: 200, answer: paginated(device), description: 'A page of devices, newest first' },
    example: { query: { limit: '20' }, response: pageExample(deviceExample) },
    run: ({ query }, context) => devices.list(pageOf(query), context),
  });
