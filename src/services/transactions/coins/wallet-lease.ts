/** What is taken in memory from a wallet for a transaction being made, so that no other one of this process gets the same: a change script, and coins. */
import type { CandidateCoin } from '../../../core/coin-selection/candidate.ts';
import { DomainError } from '../../../core/errors.ts';
import { type Outpoint, outpointKey } from '../../../core/outpoint.ts';
import type { WalletRecord } from '../../../store/records.ts';
import type { ScriptPool } from '../../wallets/database-script-pool.ts';
import type { ChangeLease } from '../../wallets/script-pool.ts';
import type { Batch } from '../drafting/batch.ts';
import { candidateModel } from './candidates.ts';
import type { CoinLeases, Lease } from './coin-leases.ts';
import type { UtxoSnapshot, UtxoSnapshots } from './utxo-snapshots.ts';

/** A transaction waits this many times for another one of its wallet to end, where its change may be what is missing. */
const MAX_WAITS = 200;

export interface LeaseOptions {
  /** False for a dry run: nothing is kept from other transactions, and the change script is only looked at. */
  readonly hold: boolean;
  readonly tipHeight: number;
  /** The coins as of now, and not of a moment ago: for payments of all there is. */
  readonly fresh?: boolean | undefined;
  readonly batch?: Batch | undefined;
  /** Outpoints ("txid:vout") that are spent again and need no lease: a replacement's. */
  readonly respends?: ReadonlySet<string> | undefined;
  /** False: whoever is short of coins is refused at once. Default true. */
  readonly waits?: boolean | undefined;
}

/** What of a snapshot no other transaction has taken. */
export interface FreeCoins {
  /** As of this moment; ask again after every wait. */
  candidates(): CandidateCoin[];
  isTaken(outpoint: string): boolean;
  /** Leases the inputs. Synchronous: between `candidates` and this, without a wait, no other transaction comes. */
  take<T extends { readonly inputs: readonly Outpoint[] }>(chosen: T): T;
}

export interface WalletLease {
  readonly change: ChangeLease;
  /**
   * Lets `choose` take coins; again, of a newer snapshot, where it finds too little while other transactions of the wallet are under way.
   * Throws what `choose` throws.
   */
  coins<T>(choose: (coins: FreeCoins) => T | Promise<T>): Promise<T>;
  /** The transaction is in the database: the coins are claimed there, and the change script, where it has change. */
  committed(hasChange?: boolean): void;
  /** It will not be: coins and change script are free again. After `committed`, or twice, it does nothing. */
  release(): void;
}

export type LeaseWallet = (wallet: WalletRecord, options: LeaseOptions) => Promise<WalletLease>;

export function createLeaseWallet(deps: {
  scripts: Pick<ScriptPool, 'model' | 'leaseChange' | 'peekChange' | 'returnChange'>;
  snapshots: UtxoSnapshots;
  leases: CoinLeases;
}): LeaseWallet {
  const { scripts, snapshots, leases } = deps;

  return async (wallet, { hold, tipHeight, batch, respends, waits = true, fresh = false }) => {
    const { accountId, walletId } = wallet;
    const model = candidateModel(scripts.model(wallet), wallet);
    // A batch's transactions have a script each, in a dry run, too: coins of one script may be spent together.
    const change = await (hold ? scripts.leaseChange(wallet) : scripts.peekChange(wallet, batch?.nodes.length ?? 0));
    let lease: Lease | null = null;
    let open = true;

    function freeOf(snapshot: UtxoSnapshot): FreeCoins {
      // No lease keeps the coins of a dry run's batch from its later payments.
      const isSpent = (outpoint: string): boolean => !hold && batch?.spends(outpoint) === true;
      return {
        candidates() {
          const free = snapshot.candidates(model, tipHeight);
          if (!batch) return free;
          return [...free.filter((coin) => !isSpent(outpointKey(coin))), ...batch.coins(walletId)];
        },
        isTaken: (outpoint) => snapshot.isTaken(outpoint) || isSpent(outpoint),
        take(chosen) {
          const keys = chosen.inputs.map((input) => outpointKey(input));
          const fresh = keys.filter((key) => !respends?.has(key) && !batch?.made(key));
          if (hold) lease = leases.lease(walletId, fresh);
          return chosen;
        },
      };
    }

    return {
      change,
      async coins(choose) {
        for (let waited = 0, newest = fresh; ; waited++, newest = true) {
          const snapshot = await snapshots.open(accountId, walletId, { fresh: newest });
          try {
            return await choose(freeOf(snapshot));
          } catch (error) {
            if (waited >= MAX_WAITS || !isShortage(error)) throw error;
            if (!snapshot.fresh || snapshot.isOutdated()) continue;
            // A batch keeps its coins until all of it is built: if it waited, two could wait for each other for ever.
            if (!waits || !leases.isBusy(walletId) || batch?.holdsCoins()) throw error;
            await leases.nextRelease(walletId);
          } finally {
            snapshot.close();
          }
        }
      },
      committed(hasChange = true) {
        open = false;
        lease?.release();
        if (!hasChange) scripts.returnChange(wallet, change);
      },
      release() {
        if (!open) return;
        open = false;
        if (lease) snapshots.forget(walletId);
        lease?.release();
        scripts.returnChange(wallet, change);
      },
    };
  };
}

export const isShortage = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === 'insufficient_funds' || error.code === 'nothing_to_spend');
