/** How far a device has come, as it is given to it: encrypted, and bound to the account, the device and all that it may read of it. */
import type { EventChannel } from '../../core/events/channels.ts';
import type { DeviceKey } from '../../store/repositories/devices.ts';
import type { TextCipher } from '../secrets/text-cipher.ts';

/** What a device sees: another one, or other rights or wallets, and what it has is not a part of it. */
export interface SyncView extends DeviceKey {
  readonly channels: readonly EventChannel[];
  /** null: all. */
  readonly wallets: readonly string[] | null;
}

/** In a snapshot, which begins at `seq`: which of its lists is next, and the page of it; null: its first. */
export interface SnapshotPlace {
  readonly seq: bigint;
  readonly list: number;
  readonly page: string | null;
}
export type SyncPlace = { readonly seq: bigint; readonly list?: undefined } | SnapshotPlace;

export function createSyncCursors(cipher: TextCipher) {
  const bound = ({ accountId, subject, deviceId, channels, wallets }: SyncView): string =>
    JSON.stringify(['sync', accountId, subject, deviceId, channels, wallets]);
  return {
    write: (place: SyncPlace, view: SyncView): string =>
      cipher.encrypt(
        JSON.stringify([String(place.seq), ...(place.list === undefined ? [] : [place.list, place.page])]),
        bound(view),
      ),
    /** null where it was not given here, to this device, for what it sees now. */
    read(cursor: string, view: SyncView): SyncPlace | null {
      try {
        const [seq, list, page] = JSON.parse(cipher.decrypt(cursor, bound(view))) as [string, number?, string?];
        return list === undefined ? { seq: BigInt(seq) } : { seq: BigInt(seq), list, page: page ?? null };
      } catch {
        return null;
      }
    },
  };
}
