/** What a scan looks for: the wallet's scripts, and those far beyond the gap limit, so that one pass finds what was used out of order. */
import { createBlockMatcher } from '../../../chain/follower/block-matcher.ts';
import type { ParsedTransaction } from '../../../core/blocks/transaction.ts';
import { createYielder } from '../../../scheduling/yielder.ts';
import type { PageRequest, WalletRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import type { ScriptPool } from '../database-script-pool.ts';
import { branchesOf } from '../restored-scripts.ts';

const MIN_BOUND = 512;
/** The bound doubles when fewer than this are left below it. */
const MARGIN = 64;

/**
 * Indexes below this are looked for while the highest derived one is `highest`. A function of the database alone, so that a scan resumed
 * after a crash looks for the same as before.
 */
export function lookAheadBound(highest: number): number {
  let bound = MIN_BOUND;
  while (bound < highest + 1 + MARGIN) bound *= 2;
  return bound;
}

/** Kept from turn to turn of a scan, so that nothing is derived twice. */
export function createScanWatch(
  { pool, randomBytes }: { pool: Pick<ScriptPool, 'model'>; randomBytes: (size: number) => Uint8Array },
  wallet: WalletRecord,
) {
  const { accountId, walletId } = wallet;
  const model = pool.model(wallet);
  const matcher = createBlockMatcher(randomBytes);
  /** Where each is: the branch's number in the lowest bit. */
  const places = new Map<string, number>();
  const branches = branchesOf(model).map((change) => ({ change, bound: 0, derived: 0 }));
  let scriptPubKeys: readonly string[] = [];

  async function boundOf(now: Repositories, change: boolean): Promise<number> {
    return model.ranged ? lookAheadBound(await now.scripts.highestIndex(accountId, walletId, change)) : 1;
  }

  return {
    matcher,
    /** hex */
    scriptPubKeys: () => scriptPubKeys,
    /** Scripts that are derived by now. */
    size: () => places.size,

    /**
     * Goes on deriving until `timeIsOver`; whether all is derived and watched. A scan that is to begin from its start looks for as many as
     * the database says now; one that goes on, for as many as it did. Throws the signal's reason.
     */
    async derive(now: Repositories, isStart: boolean, signal: AbortSignal, timeIsOver: () => boolean) {
      const pause = createYielder();
      for (const branch of branches) {
        if (isStart || branch.bound === 0) branch.bound = Math.max(branch.bound, await boundOf(now, branch.change));
        for (; branch.derived < branch.bound; branch.derived++) {
          if (await pause()) {
            signal.throwIfAborted();
            if (timeIsOver()) return false;
          }
          const { scriptPubKey } = model.scriptAt(branch.change, branch.derived);
          matcher.watchScripts([scriptPubKey]);
          places.set(scriptPubKey, 2 * branch.derived + (branch.change ? 1 : 0));
        }
      }
      if (scriptPubKeys.length < places.size) scriptPubKeys = [...places.keys()];
      for await (const coin of unspentCoins(now, wallet)) matcher.watchOutpoints([coin]);
      return true;
    },

    /** The highest index of each branch that the transactions pay. */
    paid(transactions: readonly ParsedTransaction[]) {
      const highest = new Map<boolean, number>();
      for (const { scriptPubKey } of transactions.flatMap((transaction) => transaction.outputs)) {
        const place = places.get(scriptPubKey);
        if (place === undefined) continue;
        const [change, index] = [place % 2 === 1, Math.floor(place / 2)];
        highest.set(change, Math.max(index, highest.get(change) ?? 0));
      }
      return [...highest].map(([change, index]) => ({ change, index }));
    },

    /** Scripts derived meanwhile reach beyond what this scan has looked for from its start: it must start over. */
    async isOutgrown(now: Repositories) {
      for (const { change, bound } of branches) if ((await boundOf(now, change)) > bound) return true;
      return false;
    },
  };
}

export type ScanWatch = ReturnType<typeof createScanWatch>;

/** Scripts of those that are kept, in all; the wallet that is scanned just now may have more by itself. */
const MAX_KEPT = 1_000_000;

/** Those of scans that are not over; whichever waited longest for its turn goes first where they are too many. */
export function createScanWatches(deps: Parameters<typeof createScanWatch>[0]) {
  const kept = new Map<string, ScanWatch>();
  return {
    of(wallet: WalletRecord) {
      const { walletId } = wallet;
      const watch = kept.get(walletId) ?? createScanWatch(deps, wallet);
      kept.delete(walletId);
      let size = 0;
      for (const one of kept.values()) size += one.size();
      for (const [id, one] of kept) {
        if (size <= MAX_KEPT) break;
        kept.delete(id);
        size -= one.size();
      }
      kept.set(walletId, watch);
      return watch;
    },
    forget: ({ walletId }: Pick<WalletRecord, 'walletId'>) => void kept.delete(walletId),
  };
}

async function* unspentCoins(repositories: Repositories, wallet: WalletRecord) {
  let page: PageRequest | null = { limit: 100, offset: 0 };
  while (page) {
    const found = await repositories.coins.list(wallet.accountId, wallet.walletId, {}, page);
    yield* found.data;
    page = found.nextCursor === null ? null : { limit: 100, offset: 0, cursor: found.nextCursor };
  }
}
