import type { AddressedScript } from '../../core/wallets/descriptor-branch.ts';
import type { WalletModel } from '../../core/wallets/wallet-model.ts';
import type { WalletRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import type { ChangeLease } from './script-pool.ts';

/** Change scripts beyond the derived ones that are leased before what the account has room for is looked at again. */
const MAX_UNREAD = 1_000;

interface ChangeState {
  /** Scripts of the branch up to this index are watched, at least. */
  derived: number;
  /** Up to this index there was room for them when that was last read. */
  upTo: number;
  /** The next index this process has not leased yet. */
  next: number;
  /** Leased and given back, ascending. */
  returned: number[];
  /** Another process has moved on: read the database before the next lease. */
  stale: boolean;
}

/** Which change scripts of each wallet this process has given to payments that are not committed yet: in memory, taken at once. */
export function createChangeLeases(deps: {
  store: Store;
  maxWatchedScripts: number;
  model(wallet: WalletRecord): WalletModel;
  scriptAt(wallet: WalletRecord, change: boolean, index: number): AddressedScript;
  /** Rejects while a restored wallet's scan still derives the change that was given out before. */
  requireWhole(wallet: WalletRecord): Promise<void>;
  /** Of the change branch, as it is stored. */
  nextIndex(wallet: WalletRecord): Promise<number>;
}) {
  const changes = new Map<string, Promise<ChangeState>>();

  function changeState(wallet: WalletRecord): Promise<ChangeState> {
    let state = changes.get(wallet.walletId);
    if (!state) {
      state = deps
        .requireWhole(wallet)
        .then(() => deps.nextIndex(wallet))
        .then((next) => ({ derived: -1, upTo: -1, next, returned: [], stale: false }));
      changes.set(wallet.walletId, state);
      state.catch(() => changes.delete(wallet.walletId));
    }
    return state;
  }

  /** Null where the wallet has one script, or no change branch: its first script takes the change. */
  async function freshChangeState(wallet: WalletRecord): Promise<ChangeState | null> {
    const { ranged, hasChangeBranch } = deps.model(wallet);
    if (!ranged || !hasChangeBranch) return null;
    const state = await changeState(wallet);
    if (state.stale) {
      const stored = await deps.nextIndex(wallet);
      state.next = Math.max(state.next, stored);
      state.returned = state.returned.filter((index) => index >= stored);
      state.upTo = -1;
      state.stale = false;
    }
    return state;
  }

  const leaseAt = (wallet: WalletRecord, index: number, shared: boolean, change = true): ChangeLease => ({
    ...{ index, change, shared },
    ...deps.scriptAt(wallet, change, index),
  });

  /** Whether the script is watched already, or may be. Where others of the account have used the room up since, the commit says so. */
  async function hasRoomFor({ accountId, walletId }: WalletRecord, state: ChangeState, index: number) {
    if (index <= state.derived || index <= state.upTo) return true;
    const { scripts } = deps.store.read;
    state.derived = await scripts.highestIndex(accountId, walletId, true);
    const room = deps.maxWatchedScripts - (await scripts.count(accountId));
    state.upTo = state.derived + Math.min(Math.max(0, room), MAX_UNREAD);
    return index <= state.upTo;
  }

  return {
    async lease(wallet: WalletRecord): Promise<ChangeLease> {
      const state = await freshChangeState(wallet);
      if (!state) return leaseAt(wallet, 0, true, false);
      const index = state.returned.shift() ?? state.next++;
      if (await hasRoomFor(wallet, state, index)) return leaseAt(wallet, index, false);
      putBack(state, index);
      return leaseAt(wallet, state.derived, true);
    },
    async peek(wallet: WalletRecord, ahead: number): Promise<ChangeLease> {
      const state = await freshChangeState(wallet);
      if (!state) return leaseAt(wallet, 0, true, false);
      const index = state.returned[ahead] ?? state.next + ahead - state.returned.length;
      return leaseAt(wallet, (await hasRoomFor(wallet, state, index)) ? index : state.derived, true);
    },
    giveBack(wallet: WalletRecord, lease: ChangeLease): void {
      if (lease.shared) return;
      void changes.get(wallet.walletId)?.then((state) => putBack(state, lease.index));
    },
    /** Another process took what was leased here: the database is read before the next lease. */
    async isBehind(walletId: string): Promise<void> {
      const state = await changes.get(walletId);
      if (state) state.stale = true;
    },
  };
}

function putBack({ returned }: ChangeState, index: number): void {
  returned.push(index);
  returned.sort((a, b) => a - b);
}
