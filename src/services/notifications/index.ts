import type { Logger } from 'pino';
import type { Store } from '../../store/store.ts';
import { inApp } from './channels/in-app.ts';
import { createDelivering } from './delivering.ts';
import { createEnqueue } from './enqueue.ts';
import { createNotificationService } from './notification-service.ts';

export function createNotifications(deps: {
  store: Store;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  random?: () => number;
  log: Pick<Logger, 'info' | 'warn'>;
  roundMs?: number;
}) {
  const channels = [inApp];
  const enqueue = createEnqueue(deps);
  const { worker, series } = createDelivering({ random: Math.random, ...deps, channels });
  const onQueued = (): void => worker.wake();
  const notifications = createNotificationService({ ...deps, channels, enqueue, onQueued });
  return { notifications, enqueue, onQueued, worker, series };
}
