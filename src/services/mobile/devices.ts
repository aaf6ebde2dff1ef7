/** The devices of a person, key or client: who may sync as one, and how they are shown, named and revoked. A key's are not its person's. */
import { DomainError } from '../../core/errors.ts';
import { inBatches } from '../../scheduling/in-batches.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { DeviceKey, DeviceOwner, DeviceRecord } from '../../store/repositories/devices.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { madeBy } from '../webhooks/webhook-rights.ts';

/** Of one owner. */
const MAX_DEVICES = 20;
/** When a device last synced is kept to the minute: one that asks all the time is not written each time. */
const NOTED_EVERY_MS = 60_000;
/** So long a revoked one is refused by its name; then so many are deleted at once. */
const REVOKED_FOR_MS = 30 * 24 * 3_600_000;
const SWEPT = 500;

export type DeviceView = Omit<DeviceRecord, 'makerRole' | 'makerScopes' | 'pushSubscription'> & {
  readonly push: boolean;
};

export const ownerOf = ({ accountId, credential }: RequestContext): DeviceOwner => ({
  accountId,
  subject: credential.id,
});

const viewed = ({ makerRole: _, makerScopes: __, pushSubscription, ...device }: DeviceRecord): DeviceView => ({
  ...device,
  push: pushSubscription !== null,
});

export function createDevices(deps: { store: Store; clock: () => number }) {
  const { store, clock } = deps;

  /** What a sync writes of it, and what was there. */
  const asUsedBy = (context: RequestContext) => {
    const { sessionId = null } = context.credential;
    return { ...madeBy(context.credential), sessionId };
  };

  /** Throws `unauthorized` where it was revoked, but for a person who has logged in anew: a login of before may be on it. */
  async function assertUsable(tx: Repositories, { revokedAt }: DeviceRecord, context: RequestContext): Promise<void> {
    if (revokedAt === null) return;
    const { accountId, credential } = context;
    const session = credential.sessionId && (await tx.sessions.find(accountId, credential.sessionId));
    if (session && session.createdAt >= revokedAt) return;
    throw new DomainError('unauthorized', 'this device was revoked: register it under another device_id', {
      field: 'device_id',
    });
  }

  /** Throws `not_found`. */
  async function required(tx: Repositories, deviceId: string, context: RequestContext): Promise<DeviceRecord> {
    const device = await tx.devices.findForUpdate({ ...ownerOf(context), deviceId });
    if (device === null || device.revokedAt !== null) throw noSuchDevice();
    return device;
  }

  const register = async (tx: Repositories, made: DeviceRecord, context: RequestContext): Promise<void> => {
    await tx.accounts.lock(made.accountId);
    if ((await tx.devices.count(made)) >= MAX_DEVICES)
      throw new DomainError('policy_refused', `there are ${MAX_DEVICES} devices already: revoke one`, {
        field: 'device_id',
      });
    await tx.devices.delete(made);
    await tx.devices.insert(made);
    await recordRequest(tx, context, { result: null, target: made.deviceId });
  };

  return {
    required,

    /** Throws as `note`, before anything is read for it. */
    async admit(key: DeviceKey, context: RequestContext): Promise<DeviceRecord | null> {
      const device = await store.read.devices.find(key);
      if (device !== null) await assertUsable(store.read, device, context);
      return device;
    },

    /**
     * That it synced, up to `syncedSeq`; its first time registers it. Throws `unauthorized`, and `policy_refused` where
     * its owner has too many.
     */
    async note(
      key: DeviceKey,
      { before, name, syncedSeq }: { before: DeviceRecord | null; name: string | null; syncedSeq: bigint | null },
      context: RequestContext,
    ): Promise<void> {
      const at = clock();
      const used = { ...asUsedBy(context), syncedSeq };
      const isNoted =
        before?.revokedAt === null &&
        Math.abs(at - before.lastSyncedAt) < NOTED_EVERY_MS &&
        Object.entries(used).every(([field, value]) => same(before[field as keyof DeviceRecord], value));
      if (isNoted) return;
      await store.write(async (tx) => {
        const device = await tx.devices.findForUpdate(key);
        if (device !== null) await assertUsable(tx, device, context);
        if (device?.revokedAt === null) {
          // A subscription ends with its login: whoever made it may not be who logs in now.
          const ended = device.sessionId === used.sessionId ? {} : { pushSubscription: null };
          return void (await tx.devices.update(key, { ...used, ...ended, lastSyncedAt: at }));
        }
        const times = { lastSyncedAt: at, createdAt: at, revokedAt: null };
        await register(tx, { ...key, name, ...used, pushSubscription: null, ...times }, context);
      });
    },

    list: async (page: PageRequest, context: RequestContext): Promise<Page<DeviceView>> => {
      const found = await store.read.devices.list(ownerOf(context), page);
      return { ...found, data: found.data.map(viewed) };
    },

    /** Throws `not_found`. */
    async get(deviceId: string, context: RequestContext): Promise<DeviceView> {
      const device = await store.read.devices.find({ ...ownerOf(context), deviceId });
      if (device === null || device.revokedAt !== null) throw noSuchDevice();
      return viewed(device);
    },

    /** Throws `not_found`. */
    rename: (deviceId: string, name: string | null, context: RequestContext): Promise<DeviceView> =>
      store.write(async (tx) => {
        const device = await required(tx, deviceId, context);
        await tx.devices.update(device, { name });
        const result = viewed({ ...device, name });
        await recordRequest(tx, context, { result, target: deviceId });
        return result;
      }),

    /** The login that it last synced with ends: its tokens are refused at once. Throws `not_found`. */
    revoke: (deviceId: string, context: RequestContext): Promise<void> =>
      store.write(async (tx) => {
        const device = await required(tx, deviceId, context);
        const { accountId, makerId: userId, sessionId } = device;
        const at = clock();
        await tx.devices.update(device, { revokedAt: at, pushSubscription: null });
        if (sessionId !== null) await tx.sessions.end({ accountId, userId, sessionId }, at, 'revoked');
        await recordRequest(tx, context, { result: undefined, target: deviceId });
      }),

    /** Answers how many were deleted. */
    sweep: (): Promise<number> =>
      inBatches(SWEPT, () => store.write((tx) => tx.devices.deleteRevoked(clock() - REVOKED_FOR_MS, SWEPT))),
  };
}

export type Devices = ReturnType<typeof createDevices>;

const noSuchDevice = (): DomainError => new DomainError('not_found', 'there is no such device', { field: 'device_id' });

const same = (one: unknown, other: unknown): boolean =>
  one === other || (Array.isArray(one) && JSON.stringify(one) === JSON.stringify(other));
