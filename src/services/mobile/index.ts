/** Sync for devices: a snapshot, then what has changed, from the one sequence of events, within what whoever asks may read now. */
import { roleReaches, scopeAllows } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import { CHANNELS, type EventChannel, isTyped } from '../../core/events/channels.ts';
import type { WalletId } from '../../core/ids.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { Store } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { createTextCipher } from '../secrets/text-cipher.ts';
import { createChanges } from './changes.ts';
import { createDevices, type DeviceView, ownerOf } from './devices.ts';
import { createSnapshot } from './snapshot.ts';
import type { Change, Part } from './sync-answer.ts';
import { createSyncCursors, type KeptPlace, type SyncView } from './sync-cursor.ts';
import type { SyncRecords } from './sync-records.ts';

export type { Change };

export interface SyncRequest {
  readonly deviceId: string;
  /** As the device is registered. */
  readonly name: string | null;
  /** null: from a snapshot on. */
  readonly since: string | null;
  readonly limit: number;
  readonly wallets: readonly string[] | null;
  readonly history: boolean;
}

export interface SyncAnswer {
  readonly changes: readonly Change[];
  readonly next: string;
  readonly hasMore: boolean;
  /** A snapshot begins: all that the device has is to be forgotten. */
  readonly reset?: true;
}

export interface DeviceStatus extends Pick<DeviceView, 'deviceId' | 'name' | 'lastSyncedAt'> {
  /** Changes that it has not got, among the first 50 events; null as long as it has no whole snapshot. */
  readonly unread: number | null;
  /** How long ago the first of them was written. */
  readonly lagSeconds: number | null;
}

export function createMobile(deps: {
  store: Store;
  records: SyncRecords;
  /** Of the service, 32 bytes: encrypts cursors. */
  cursorKey: Uint8Array;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
}) {
  const { store, clock } = deps;
  const { read } = store;
  const cursors = createSyncCursors(createTextCipher(deps.cursorKey, deps.randomBytes));
  const devices = createDevices(deps);
  const changes = createChanges({ read, records: deps.records });
  const snapshot = createSnapshot({ read, records: deps.records });

  async function assertWallets({ wallets }: SyncRequest, { accountId }: RequestContext): Promise<void> {
    for (const [at, walletId] of (wallets ?? []).entries()) {
      if ((await read.wallets.find(accountId, walletId as WalletId)) !== null) continue;
      throw new DomainError('invalid_value', `the account has no wallet ${walletId}`, { field: `wallets[${at}]` });
    }
  }

  /** null: from a snapshot on. Where it stands nothing after it is missing. */
  async function placeOf(since: string | null, view: SyncView): Promise<KeptPlace | null> {
    const place = since === null ? null : cursors.read(since, view);
    if (place === null || place.seq < (await read.events.deletedSeq())) return null;
    if (place.seq > (await read.events.lastSeq())) return null;
    // A database restored from a backup gives the numbers after it to other events.
    const event = await read.events.at(place.seq);
    return event === null || event.createdAt === place.at ? place : null;
  }

  return {
    devices,
    /** Throws `invalid_value`, `unauthorized`, `policy_refused`. */
    async sync(request: SyncRequest, context: RequestContext): Promise<SyncAnswer> {
      const { deviceId, name, limit } = request;
      // In one order: a place in a snapshot is one in their lists.
      const wallets = request.wallets && [...new Set(request.wallets)].sort();
      const view = { ...ownerOf(context), deviceId, channels: readable(context), wallets };
      const before = await devices.admit(view, context);
      await assertWallets(request, context);
      const place = await placeOf(request.since, view);
      const from = place ?? { seq: await read.events.lastSeq(), list: 0, page: null };
      const part: Part =
        from.list === undefined
          ? await changes.since(view, from.seq, request, context)
          : await snapshot(view, from, limit, context);
      const { next, hasMore } = part;
      const syncedSeq = next.list === undefined ? next.seq : null;
      await devices.note({ ...ownerOf(context), deviceId }, { before, name, syncedSeq }, context);
      const reset = place === null && { reset: true as const };
      const at = (await read.events.at(next.seq))?.createdAt ?? null;
      return { changes: part.changes, next: cursors.write({ ...next, at }, view), hasMore, ...reset };
    },

    /** Each device of the caller's, as it stands now. */
    async status(context: RequestContext): Promise<{ devices: DeviceStatus[] }> {
      const channels = readable(context);
      const found = await read.devices.devicesOf(ownerOf(context));
      const statuses: DeviceStatus[] = [];
      const yielding = createYielder();
      for (const { accountId, subject, deviceId, name, lastSyncedAt, syncedSeq } of found) {
        const view = { accountId, subject, deviceId, channels, wallets: null };
        await yielding();
        const waiting = syncedSeq === null ? null : await changes.waiting(view, syncedSeq);
        const lag = waiting === null ? null : waiting.since === null ? 0 : Math.max(0, clock() - waiting.since);
        const lagSeconds = lag === null ? null : Math.floor(lag / 1_000);
        statuses.push({ deviceId, name, lastSyncedAt, unread: waiting?.count ?? null, lagSeconds });
      }
      return { devices: statuses };
    },
  };
}

export type Mobile = ReturnType<typeof createMobile>;

/** Channels of whose events this credential may read some now. */
const readable = ({ credential: { role, scopes } }: RequestContext): EventChannel[] =>
  (Object.keys(CHANNELS) as EventChannel[]).filter(isTyped).filter((channel) => {
    const { access } = CHANNELS[channel];
    return access === null || (roleReaches(role, access.role) && scopeAllows(scopes, access.scope));
  });
