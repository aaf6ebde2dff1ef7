import type { Mobile } from '../../../services/mobile/index.ts';
import { deleteDevice } from './delete-device.ts';
import { getDevice } from './get-device.ts';
import { listDevice } from './list-device.ts';
import { statusMobile } from './status-mobile.ts';
import { syncMobile } from './sync-mobile.ts';
import { updateDevice } from './update-device.ts';

export const mobileOperations = (mobile: Mobile) => [
  syncMobile(mobile),
  statusMobile(mobile),
  listDevice(mobile.devices),
  getDevice(mobile.devices),
  updateDevice(mobile.devices),
  deleteDevice(mobile.devices),
];
