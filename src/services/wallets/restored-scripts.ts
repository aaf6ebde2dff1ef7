/** Addresses that were given out before (a backup says so, or the chain), derived and reserved again: some at once, the others by the scan. */
import { setImmediate as turn } from 'node:timers/promises';
import { createYielder } from '../../scheduling/yielder.ts';
import type { ScriptRecord, WalletRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import type { ScriptPool } from './database-script-pool.ts';

/** Of each branch in one write job: a backup may name as many as it likes. */
export const RESTORED_AT_ONCE = 500;

export interface RestoreDependencies {
  readonly store: Store;
  readonly pool: Pick<ScriptPool, 'model' | 'topUp' | 'withinLimit'>;
  readonly clock: () => number;
}

export const branchesOf = ({ hasChangeBranch }: { hasChangeBranch: boolean }): readonly boolean[] =>
  hasChangeBranch ? [false, true] : [false];

/** Scripts from `from` on that the wallet's record says were given out, RESTORED_AT_ONCE at most. Throws the signal's reason. */
export async function restoredScripts(
  { pool, clock }: Pick<RestoreDependencies, 'clock'> & { pool: Pick<ScriptPool, 'model'> },
  wallet: WalletRecord,
  { change, from }: { change: boolean; from: number },
  signal: AbortSignal | undefined,
): Promise<ScriptRecord[]> {
  const { accountId, walletId } = wallet;
  const model = pool.model(wallet);
  if (!model.ranged) return [];
  const given = change ? wallet.nextInternalIndex : wallet.nextExternalIndex;
  const place = { walletId, accountId, change, label: null, reservedAt: clock(), usedAt: null };
  const scripts: ScriptRecord[] = [];
  const pause = createYielder();
  for (let index = from; index < Math.min(given, from + RESTORED_AT_ONCE); index++) {
    if (await pause()) signal?.throwIfAborted();
    scripts.push({ ...place, ...model.scriptAt(change, index), index });
  }
  // The job that writes them is a turn of its own.
  await turn();
  signal?.throwIfAborted();
  return scripts;
}

/** What a wallet still lacks of what its record says was given out, until `timeIsOver`; whether it lacks nothing then. */
export async function restoreScripts(
  deps: RestoreDependencies,
  { accountId, walletId }: Pick<WalletRecord, 'accountId' | 'walletId'>,
  signal: AbortSignal,
  timeIsOver: () => boolean,
): Promise<boolean> {
  const { store, pool } = deps;
  const wallet = await store.read.wallets.find(accountId, walletId);
  if (wallet === null) return true;
  for (const change of branchesOf(pool.model(wallet))) {
    for (;;) {
      const from = (await store.read.scripts.highestIndex(accountId, walletId, change)) + 1;
      const scripts = await restoredScripts(deps, wallet, { change, from }, signal);
      if (scripts.length === 0) break;
      await store.write((tx) =>
        pool.withinLimit(tx, accountId, async () => {
          await tx.scripts.insertMissing(scripts);
          await pool.topUp(tx, wallet, change);
        }),
      );
      if (timeIsOver()) return false;
    }
  }
  return true;
}
