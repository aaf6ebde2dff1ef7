/** The addresses that a backed-up wallet had given out, reserved again: some with the wallet, the others by its scan. */
import { setImmediate as turn } from 'node:timers/promises';
import type { ScriptRecord, WalletRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import type { ScriptPool } from './script-pool.ts';

/** Of each branch in one write job: a backup may name as many as it likes. */
export const RESTORED_AT_ONCE = 500;
const DERIVE_AT_ONCE = 50;

export interface RestoreDependencies {
  readonly store: Store;
  readonly pool: Pick<ScriptPool, 'model' | 'topUp' | 'withinLimit'>;
  readonly clock: () => number;
}

export const branchesOf = ({ hasChangeBranch }: { hasChangeBranch: boolean }): readonly boolean[] =>
  hasChangeBranch ? [false, true] : [false];

/** Scripts from `from` on that the wallet's record says were given out, RESTORED_AT_ONCE at most. Throws the signal's reason. */
export async function restoredScripts(
  { pool, clock }: Pick<RestoreDependencies, 'pool' | 'clock'>,
  wallet: WalletRecord,
  { change, from }: { change: boolean; from: number },
  signal: AbortSignal,
): Promise<ScriptRecord[]> {
  const { accountId, walletId } = wallet;
  const model = pool.model(wallet);
  if (!model.ranged) return [];
  const given = change ? wallet.nextInternalIndex : wallet.nextExternalIndex;
  const place = { walletId, accountId, change, label: null, reservedAt: clock(), usedAt: null };
  const scripts: ScriptRecord[] = [];
  for (let index = from; index < Math.min(given, from + RESTORED_AT_ONCE); index++) {
    if (index % DERIVE_AT_ONCE === 0) {
      await turn();
      signal.throwIfAborted();
    }
    scripts.push({ ...place, ...model.scriptAt(change, index), index });
  }
  return scripts;
}

/** What a restored wallet still lacks, until `timeIsOver`; whether it lacks nothing then. */
export async function restoreScripts(
  deps: RestoreDependencies,
  wallet: WalletRecord,
  signal: AbortSignal,
  timeIsOver: () => boolean,
): Promise<boolean> {
  const { store, pool } = deps;
  for (const change of branchesOf(pool.model(wallet))) {
    for (;;) {
      const from = (await store.read.scripts.highestIndex(wallet.accountId, wallet.walletId, change)) + 1;
      const scripts = await restoredScripts(deps, wallet, { change, from }, signal);
      if (scripts.length === 0) break;
      await store.write((tx) =>
        pool.withinLimit(tx, wallet.accountId, async () => {
          await tx.scripts.insertMissing(scripts);
          await pool.topUp(tx, wallet, change);
        }),
      );
      if (timeIsOver()) return false;
    }
  }
  return true;
}
