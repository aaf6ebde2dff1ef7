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
/** `at`: when the event of this number was written; null where it is not kept. */
export type KeptPlace = SyncPlace & { readonly at: number | null };

export function createSyncCursors(cipher: TextCipher) {
  const bound = ({ accountId, subject, deviceId, channels, wallets }: SyncView): string =>
    JSON.stringify(['sync 2', accountId, subject, deviceId, channels, wallets]);
  return {
    write: (place: KeptPlace, view: SyncView): string =>
      cipher.encrypt(
        JSON.stringify([String(place.seq), place.at, ...(place.list === undefined ? [] : [place.list, place.page])]),
        bound(view),
      ),
    /** null where it was not given here, to this device, for what it sees now. */
    read(cursor: string, view: SyncView): KeptPlace | null {
      try {
        const read = JSON.parse(cipher.decrypt(cursor, bound(view))) as [string, number | null, number?, string?];
        const [seq, at, list, page] = read;
        const place = { seq: BigInt(seq), at };
        return list === undefined ? place : { ...place, list, page: page ?? null };
      } catch {
        return null;
      }
    },
  };
}
