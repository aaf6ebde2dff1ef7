import type { Outpoint } from '../../core/outpoint.ts';
import type { LedgerRepository, Store } from '../../store/store.ts';
import { createBlockMatcher } from './block-matcher.ts';
import type { Applied } from './chain-sink.ts';

/**
 * PostgreSQL gives ids before the commit: rows can become visible out of the order of their ids, so each look begins this many ids before
 * the highest one seen. SQLite has one writer at a time and never gives an id again.
 */
const OUT_OF_ORDER: Readonly<Record<Store['kind'], bigint>> = { sqlite: 0n, postgres: 1_000n };

type WatchedRows = Pick<
  LedgerRepository,
  'watchedScripts' | 'watchedOutpoints' | 'watchedFundings' | 'newestWatched' | 'unconfirmedInputs'
>;

/** What the follower looks for: the scripts and coins of all wallets and the funding outputs of contracts, kept up with the database. */
export function createWatching(kind: Store['kind'], randomBytes: (size: number) => Uint8Array) {
  const matcher = createBlockMatcher(randomBytes);
  let lastScript = 0n;
  let lastCoin = 0n;
  let lastFunding = 0n;
  /** What there was before the last look; null: not looked at yet. */
  let newest: string | null = null;

  const overlap = OUT_OF_ORDER[kind];
  const from = (last: bigint): bigint => (last > overlap ? last - overlap : 0n);
  const watchOutpoints = (outpoints: readonly Outpoint[]): void => matcher.watchOutpoints(outpoints);
  const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);

  /** What there is now; null where ids alone do not tell whether something was added. */
  const newestIn = async (ledger: WatchedRows): Promise<string | null> =>
    overlap === 0n ? await ledger.newestWatched() : null;

  async function refresh(ledger: WatchedRows): Promise<void> {
    const found = await newestIn(ledger);
    if (found !== null && found === newest) return;
    lastScript = later(lastScript, await ledger.watchedScripts(from(lastScript), matcher.watchScripts));
    lastCoin = later(lastCoin, await ledger.watchedOutpoints(from(lastCoin), watchOutpoints));
    lastFunding = later(lastFunding, await ledger.watchedFundings(from(lastFunding), watchOutpoints));
    newest = found;
  }

  const refreshInputs = async (ledger: WatchedRows): Promise<void> => watchOutpoints(await ledger.unconfirmedInputs());

  return {
    matcher,
    /** What was added since. Call it after fetching and before matching: an address was committed before it was paid. */
    refresh,
    /** All of it anew: after a start, and after blocks were taken back (what they spent is to be watched again). */
    async reload(ledger: WatchedRows) {
      matcher.clear();
      lastScript = 0n;
      lastCoin = 0n;
      lastFunding = 0n;
      newest = null;
      await refresh(ledger);
      await refreshInputs(ledger);
    },
    /** What unconfirmed transactions spend, also those that others (a wallet's scan) have found. */
    refreshInputs,
    // The ids are not noted: a job that fails leaves ids behind that are given again.
    /** Adds what a write job sees beyond that; true where scripts came. */
    async refreshWithin(ledger: WatchedRows) {
      const found = await newestIn(ledger);
      if (found !== null && found === newest) return false;
      let came = false;
      await ledger.watchedScripts(from(lastScript), (scripts) => {
        const fresh = scripts.filter((script) => !matcher.watchesScript(script));
        came ||= fresh.length > 0;
        matcher.watchScripts(fresh);
      });
      await ledger.watchedOutpoints(from(lastCoin), watchOutpoints);
      await ledger.watchedFundings(from(lastFunding), watchOutpoints);
      return came;
    },
    add({ scripts, coins, inputs }: Applied) {
      matcher.watchScripts(scripts);
      watchOutpoints(coins);
      watchOutpoints(inputs);
    },
  };
}

export type Watching = ReturnType<typeof createWatching>;
