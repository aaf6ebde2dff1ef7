/** What a scan looks for: the wallet's scripts, and those far beyond the gap limit, so that one pass finds what was used out of order. */
import { type BlockMatcher, createBlockMatcher } from '../../../chain/follower/block-matcher.ts';
import type { ParsedTransaction } from '../../../core/blocks/transaction.ts';
import type { PageRequest, ScriptRecord, WalletRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import type { ScriptPool } from '../script-pool.ts';

const LEAST_BOUND = 512;
/** The bound doubles when fewer than this are left below it. */
const MARGIN = 64;
const DERIVE_AT_ONCE = 50;

export interface ScanWatch {
  readonly matcher: BlockMatcher;
  /** hex */
  readonly scriptPubKeys: readonly string[];
  /** Scripts that the database lacks and the transactions pay, with all below them, ready to be inserted. */
  missingFor(repositories: Repositories, transactions: readonly ParsedTransaction[]): Promise<ScriptRecord[]>;
  /** Scripts derived meanwhile reach beyond what this scan has looked for from its start: it must start over. */
  isOutgrown(repositories: Repositories): Promise<boolean>;
}

/**
 * Indexes below this are looked for while the highest derived one is `highest`. A function of the database alone, so that a scan resumed
 * after a crash looks for the same as before.
 */
export function lookAheadBound(highest: number): number {
  let bound = LEAST_BOUND;
  while (bound < highest + 1 + MARGIN) bound *= 2;
  return bound;
}

export async function openScanWatch(
  deps: { repositories: Repositories; pool: ScriptPool; randomBytes: (size: number) => Uint8Array },
  wallet: WalletRecord,
): Promise<ScanWatch> {
  const { repositories, pool } = deps;
  const { accountId, walletId } = wallet;
  const model = pool.model(wallet);
  const matcher = createBlockMatcher(deps.randomBytes);
  const byScript = new Map<string, ScriptRecord>();
  const branches: { change: boolean; bound: number; records: ScriptRecord[] }[] = [];

  for (const change of model.hasChangeBranch ? [false, true] : [false]) {
    const highest = await repositories.scripts.highestIndex(accountId, walletId, change);
    const bound = model.ranged ? lookAheadBound(highest) : 1;
    const records: ScriptRecord[] = [];
    for (let index = 0; index < bound; index++) {
      if (index % DERIVE_AT_ONCE === 0) await new Promise(setImmediate);
      const script = model.scriptAt(change, index);
      const record = { walletId, accountId, ...script, change, index, label: null, reservedAt: null, usedAt: null };
      records.push(record);
      byScript.set(script.scriptPubKey, record);
    }
    branches.push({ change, bound, records });
  }
  matcher.watchScripts([...byScript.keys()]);
  for await (const coin of unspentCoins(repositories, wallet)) matcher.watchOutpoints([coin]);

  return {
    matcher,
    scriptPubKeys: [...byScript.keys()],

    async missingFor(now, transactions) {
      const paid = transactions.flatMap((transaction) => transaction.outputs);
      const missing: ScriptRecord[] = [];
      for (const branch of branches) {
        let last = -1;
        for (const { scriptPubKey } of paid) {
          const record = byScript.get(scriptPubKey);
          if (record?.change === branch.change) last = Math.max(last, record.index);
        }
        if (last === -1) continue;
        const highest = await now.scripts.highestIndex(accountId, walletId, branch.change);
        missing.push(...branch.records.slice(highest + 1, last + 1));
      }
      return missing;
    },

    async isOutgrown(now) {
      if (!model.ranged) return false;
      for (const branch of branches) {
        const highest = await now.scripts.highestIndex(accountId, walletId, branch.change);
        if (lookAheadBound(highest) > branch.bound) return true;
      }
      return false;
    },
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
