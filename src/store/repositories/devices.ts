import { sql } from 'kysely';
import type { Role } from '../../core/access.ts';
import type { AccountId } from '../../core/ids.ts';
import { json, orNull, type RecordOf, type RowOf, table, text, time, whole } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const devicesTable = table('devices', ['deviceId'], {
  accountId: text<AccountId>(),
  /** Whose it is: a person, or a credential that counts as no person. */
  subject: text(),
  /** Chosen by the client, unique for its subject. */
  deviceId: text(),
  name: orNull(text()),
  /** The credential that syncs it, with the rights that it was last presented with: a token may have fewer scopes than its person. */
  makerKind: text<'api_key' | 'oauth_client' | 'person'>(),
  makerId: text(),
  makerRole: text<Role>(),
  makerScopes: json<readonly string[]>(),
  /** Of a person: the login that it last synced with, which ends with it. */
  sessionId: orNull(text()),
  /** What it was given goes up to here; null until it has a whole snapshot. */
  syncedSeq: orNull(whole),
  /** A push subscription, encrypted. */
  pushSubscription: orNull(text()),
  /** To the minute. */
  lastSyncedAt: time,
  createdAt: time,
  revokedAt: orNull(time),
});
export type DeviceRecord = RecordOf<typeof devicesTable>;
export type DeviceOwner = Pick<DeviceRecord, 'accountId' | 'subject'>;
export type DeviceKey = Pick<DeviceRecord, 'accountId' | 'subject' | 'deviceId'>;

declare module '../schema.ts' {
  interface Schema {
    devices: RowOf<typeof devicesTable>;
  }
}

const devices = rowsOf(devicesTable);
/** The condition as in the index. */
const deleteRevoked = prepared((db, p: { before: bigint; limit: bigint }) => ({
  compile: () =>
    sql`delete from devices where (account_id, subject, device_id) in (
      select account_id, subject, device_id from devices
        where revoked_at is not null and revoked_at < ${p.before} order by revoked_at limit ${p.limit})`.compile(db),
}));

const keyOf = ({ accountId, subject, deviceId }: DeviceKey): DeviceKey => ({ accountId, subject, deviceId });
const ownedBy = ({ accountId, subject }: DeviceOwner) => ({ accountId, subject, revokedAt: null });

export function deviceRepository(session: Session) {
  return {
    insert: async (device: DeviceRecord) => {
      await devices.insert(session, [device]);
    },
    /** Revoked ones, too. */
    find: (key: DeviceKey) => devices.find(session, keyOf(key)),
    findForUpdate: (key: DeviceKey) => devices.findForUpdate(session, keyOf(key)),
    /** Whoever uses it: those that are not revoked. */
    devicesOf: (owner: DeviceOwner) => devices.all(session, ownedBy(owner)),
    count: (owner: DeviceOwner) => devices.count(session, ownedBy(owner)),
    /** The same, newest first. */
    list: (owner: DeviceOwner, page: PageRequest) =>
      devices.page(session, { name: 'devices', where: ownedBy(owner) }, page),
    update: async (key: DeviceKey, patch: Partial<Omit<DeviceRecord, keyof DeviceKey>>) =>
      (await devices.update(session, keyOf(key), patch)) > 0n,
    /** Encrypted; null: it has none any more. False where it is revoked, or is none. */
    setPush: async (key: DeviceKey, pushSubscription: string | null) =>
      (await devices.update(session, { ...keyOf(key), revokedAt: null }, { pushSubscription })) > 0n,
    /** Also of those that are revoked. */
    delete: (key: DeviceKey) => devices.delete(session, keyOf(key)),
    /** Of every account: those that were revoked before that time, at most `limit`; answers how many. */
    deleteRevoked: async (before: number, limit: number) =>
      Number(await deleteRevoked.run(session, { before: BigInt(before), limit: BigInt(limit) })),
  };
}
