/** What each person, or credential that counts as nobody, wants of notifications. */
import { namesVersion, versionTag } from '../../core/entity-tags.ts';
import { DomainError } from '../../core/errors.ts';
import type { NotificationChannel } from '../../core/notifications/notification.ts';
import { endOfHours } from '../../core/policies/hours.ts';
import type { DeviceRecord } from '../../store/repositories/devices.ts';
import type { PreferencesKey, PreferencesRecord } from '../../store/repositories/notification-preferences.ts';
import type { Repositories, Store } from '../../store/store.ts';
import type { Devices } from '../mobile/devices.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Subscriptions } from './push/subscriptions.ts';
import type { PushSubscription } from './push/vapid.ts';

export type Wanted = Pick<PreferencesRecord, 'channels' | 'quietHours' | 'currency'>;
/** `updatedAt`: null where they were never set. */
export interface Preferences extends Wanted {
  readonly version: number;
  readonly updatedAt: number | null;
  /** Of the service (RFC 8292): browsers subscribe with it. */
  readonly pushPublicKey: string;
}

const DEFAULT = { version: 0, channels: { push: true, email: true }, quietHours: null, currency: 'BTC' } as const;

/** Of one of one's devices. */
export interface DevicePush {
  readonly deviceId: string;
  readonly subscription: PushSubscription | null;
}

export function createPreferences(deps: {
  store: Store;
  pushPublicKey: string;
  subscriptions: Pick<Subscriptions, 'set'>;
  devices: Pick<Devices, 'required'>;
  clock: () => number;
}) {
  const { store, pushPublicKey, subscriptions, devices, clock } = deps;
  return {
    get: async ({ accountId, credential }: RequestContext): Promise<Preferences> => {
      const found = await store.read.notificationPreferences.find({ accountId, subject: credential.id });
      return { ...DEFAULT, updatedAt: null, ...found, pushPublicKey };
    },

    /**
     * Throws `precondition_failed` where `ifMatch` names another version (null: whichever it is), `not_found` for a device that is not
     * the caller's, and `state_conflict` for one that another login synced last.
     */
    replace: (
      wanted: Wanted,
      push: DevicePush | null,
      ifMatch: string | null,
      context: RequestContext,
    ): Promise<Preferences> =>
      store.write(async (tx) => {
        const { accountId, credential } = context;
        const subject = credential.id;
        const updatedAt = clock();
        const before = await tx.notificationPreferences.lockOrMake({ accountId, subject, ...DEFAULT, updatedAt });
        const tag = versionTag(before.version);
        if (ifMatch !== null && !namesVersion(ifMatch, tag)) {
          const message = `the preferences have changed since: the version is ${tag} by now`;
          throw new DomainError('precondition_failed', message, { field: 'headers.if-match' });
        }
        const record = { ...before, ...wanted, version: before.version + 1, updatedAt };
        await tx.notificationPreferences.update(record);
        if (push !== null) {
          const device = await devices.required(tx, push.deviceId, context);
          if (push.subscription !== null) assertSyncedBy(device, credential);
          await subscriptions.set(tx, device, push.subscription);
        }
        const result = { ...record, pushPublicKey };
        await recordRequest(tx, context, { result, target: subject });
        return result;
      }),
  };
}
/** A subscription ends with the login that its device synced with. Throws `state_conflict`. */
function assertSyncedBy({ sessionId }: DeviceRecord, credential: RequestContext['credential']): void {
  if (sessionId === (credential.sessionId ?? null)) return;
  throw new DomainError('state_conflict', 'the device last synced with another login: sync it with this one first', {
    field: 'device_id',
  });
}

export type PreferencesService = ReturnType<typeof createPreferences>;

/**
 * From when on a channel may tell them: `at`, or the end of their quiet hours. null: they do not want to be told that way. What is in the app
 * is not quiet, and always wanted.
 */
export async function notBefore(
  read: Pick<Repositories, 'notificationPreferences'>,
  key: PreferencesKey,
  channel: NotificationChannel,
  at: number,
): Promise<number | null> {
  if (channel !== 'push' && channel !== 'email') return at;
  const { channels, quietHours } = (await read.notificationPreferences.find(key)) ?? DEFAULT;
  if (!channels[channel]) return null;
  return quietHours === null ? at : endOfHours(quietHours, at);
}
