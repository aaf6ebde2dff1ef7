import { operation } from '../../../hooks/operation.ts';
import type { Mobile } from '../../../services/mobile/index.ts';
import { ofDevices, readsOwn } from './device-answer.ts';
import { mobileStatus, statusExample } from './sync-answer.ts';

export const statusMobile = (mobile: Mobile) =>
  operation({
    ...ofDevices,
    id: 'mobile.status',
    method: 'GET',
    path: '/api/v1/mobile/status',
    summary: 'How far one’s devices have come',
    effect: 'read',
    access: readsOwn,
    success: { status: 200, answer: mobileStatus, description: 'Each device' },
    example: { response: statusExample },
    run: (_, context) => mobile.status(context),
  });
