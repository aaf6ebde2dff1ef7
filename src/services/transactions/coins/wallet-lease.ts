/** What is taken in memory from a wallet for a transaction being made, so that no other one of this process gets the same: a change script, and coins. */
import type { CandidateCoin } from '../../../core/coin-selection/candidate.ts';
import { DomainError } from '../../../core/errors.ts';
import { type Outpoint, outpointKey } from '../../../core/outpoint.ts';
import { restOf } from '../../../core/payments/coin-sums.ts';
import type { Near } from '../../../core/payments/coins-wanted.ts';
import type { OtherCoins } from '../../../core/payments/spendable-coins.ts';
import { COINBASE_MATURITY, MAX_STANDARD_WEIGHT } from '../../../core/relay-policy/limits.ts';
import { inputWeight } from '../../../core/transactions/sizing.ts';
import { createKeyedMutex } from '../../../scheduling/keyed-mutex.ts';
import type { WalletId, WalletRecord } from '../../../store/records.ts';
import type { Spendable } from '../../../store/repositories/coin-pools.ts';
import type { Repositories } from '../../../store/store.ts';
import type { ScriptPool } from '../../wallets/database-script-pool.ts';
import type { ChangeLease } from '../../wallets/script-pool.ts';
import type { Batch } from '../drafting/batch.ts';
import { type CandidateModel, candidateModel } from './candidates.ts';
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
  /** As of a payment; default 1. */
  readonly minConf?: number | undefined;
  /** Amounts to have coins next to, where not all of a wallet's are looked at. */
  readonly near?: readonly Near[] | undefined;
  /** Coins that are not to be spent. */
  readonly excluded?: number | undefined;
  /** As many coins as may fit are wanted, not those of a search: for payments of all there is. */
  readonly most?: boolean | undefined;
  /** Nothing more is read once it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** What of a snapshot no other transaction has taken. */
export interface FreeCoins {
  /** As of this moment; ask again after every wait. Of a large wallet these are some; whoever is refused with them gets as many as may fit. */
  candidates(): CandidateCoin[];
  /** They are all that the wallet has. */
  readonly whole: boolean;
  /** What the wallet has besides them and `known`, and what of that is worth more than such an input costs. Goes through all coins. */
  besides(inputFeeSats: bigint, known?: readonly CandidateCoin[]): Promise<OtherCoins>;
  /** More coins would not help: a refusal is the last word. */
  settle(): void;
  isTaken(outpoint: string): boolean;
  /** Leases the inputs. Synchronous: between `candidates` and this, without a wait, no other transaction comes. */
  take<T extends { readonly inputs: readonly Outpoint[]; readonly bounded?: boolean }>(chosen: T): T;
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
  coins: Pick<Repositories['coins'], 'sums'>;
  leases: CoinLeases;
}): LeaseWallet {
  const { scripts, snapshots, leases } = deps;
  /** Payments of as many coins as may fit, wallet by wallet: together each would read those of all of them. */
  const turns = createKeyedMutex<WalletId>();

  return async (wallet, options) => {
    const { hold, tipHeight, batch, respends, waits = true, fresh = false, minConf = 1, excluded = 0 } = options;
    const { accountId, walletId } = wallet;
    const model = candidateModel(scripts.model(wallet), wallet);
    const spendable = spendableOf(model, minConf, tipHeight);
    // A batch's transactions have a script each, in a dry run, too: coins of one script may be spent together.
    const change = await (hold ? scripts.leaseChange(wallet) : scripts.peekChange(wallet, batch?.nodes.length ?? 0));
    let lease: Lease | null = null;
    let open = true;

    const fitting = Math.ceil(MAX_STANDARD_WEIGHT / inputWeight(model.scriptType, model.inputWeight));
    // A batch keeps its coins until all of it is built: if it waited, two could wait for each other for ever.
    const mayWait = (): boolean => waits && leases.isBusy(walletId) && !batch?.holdsCoins();

    function freeOf(snapshot: UtxoSnapshot, settle: () => void): FreeCoins {
      // No lease keeps the coins of a dry run's batch from its later payments.
      const isSpent = (outpoint: string): boolean => !hold && batch?.spends(outpoint) === true;
      return {
        candidates() {
          const free = snapshot.candidates(model, tipHeight);
          if (!batch) return free;
          return [...free.filter((coin) => !isSpent(outpointKey(coin))), ...batch.coins(walletId)];
        },
        whole: snapshot.whole,
        async besides(inputFeeSats, known = []) {
          const all = await deps.coins.sums(accountId, walletId, spendable, inputFeeSats);
          const unique = new Map(
            [...snapshot.all(model, tipHeight), ...known].map((coin) => [outpointKey(coin), coin]),
          );
          return restOf(all, [...unique.values()], minConf, inputFeeSats);
        },
        settle,
        isTaken: (outpoint) => snapshot.isTaken(outpoint) || isSpent(outpoint),
        take(chosen) {
          const keys = chosen.inputs.map((input) => outpointKey(input));
          const fresh = keys.filter((key) => !respends?.has(key) && !batch?.made(key));
          if (hold) lease = leases.lease(walletId, fresh);
          // A search among some of the wallet's coins is not one among all of them.
          return snapshot.whole || chosen.bounded === undefined ? chosen : { ...chosen, bounded: true };
        },
      };
    }

    return {
      change,
      async coins(choose) {
        const { near, signal } = options;
        let most = options.most === true;
        let waited = 0;

        const attempt = async (): Promise<{ made: Awaited<ReturnType<typeof choose>> } | 'again' | 'wait'> => {
          // Those that others have come on top of what fits. It is read as soon as they have no more than one transaction's.
          const leased = leases.count(walletId);
          if (most && leased > fitting && waited < MAX_WAITS && mayWait()) return 'wait';
          const beyond = excluded + (hold ? 0 : (batch?.spentCount() ?? 0)) + leased;
          const asked = { spendable, near, signal, largest: most ? fitting + beyond : null };
          const snapshot = await snapshots.open(accountId, walletId, asked, { fresh: fresh || waited > 0 });
          let final = most || snapshot.whole;
          const settle = (): void => {
            final = true;
          };
          try {
            return { made: await choose(freeOf(snapshot, settle)) };
          } catch (error) {
            if (waited >= MAX_WAITS || !isPlanRefusal(error)) throw error;
            if (!final) {
              most = true;
              return 'again';
            }
            const isPart = most && !snapshot.whole;
            if (!isPart && !isShortage(error) && !isTooLarge(error)) throw error;
            const taken = snapshot.takenCount();
            // There is what has come since it was read, and there may be more than what was read for the last word and taken since.
            if (!snapshot.fresh || snapshot.isOutdated() || (isPart && taken > leased)) return 'again';
            if (!mayWait() || (taken === 0 && !isShortage(error))) throw error;
            return 'wait';
          } finally {
            snapshot.close();
          }
        };

        for (; ; waited++) {
          signal?.throwIfAborted();
          const found = await (most ? turns(walletId, attempt, signal) : attempt());
          if (typeof found === 'object') return found.made;
          // Not in its turn: those that it waits for may need one to end.
          if (found === 'wait') await leases.nextRelease(walletId);
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

/** What hindranceOf (core/payments/spendable-coins.ts) lets through, as the store looks for it. */
function spendableOf({ olderBlocks = 0 }: CandidateModel, minConf: number, tipHeight: number): Spendable {
  const depth = Math.max(minConf, olderBlocks, 1);
  return {
    // What is in a block has a confirmation, though the tip may not be heard of yet.
    deepest: depth === 1 ? Number.MAX_SAFE_INTEGER : tipHeight - depth + 1,
    mature: tipHeight - COINBASE_MATURITY + 1,
    unconfirmed: depth > 1 ? 'none' : minConf === 0 ? 'all' : 'own',
  };
}

/** What other coins could make good: not that a coin which was asked for cannot be had, nor that something is away. */
export const isPlanRefusal = (error: unknown): boolean =>
  error instanceof DomainError && !error.code.endsWith('unavailable');

const isTooLarge = (error: unknown): boolean => error instanceof DomainError && error.code === 'too_large';

export const isShortage = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === 'insufficient_funds' || error.code === 'nothing_to_spend');
