import type { WalletModel } from '../../core/wallets/wallet-model.ts';
import type { ScriptRecord, WalletRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';

/** Scripts beyond the highest reserved or used one that are derived and watched (BIP44's gap limit). */
export const GAP_LIMIT = 20;

/** A change script for a payment being built: taken in memory, so that no other payment of this process gets the same, or shared. */
export interface ChangeLease {
  readonly index: number;
  readonly change: boolean;
  readonly scriptPubKey: string;
  readonly address: string;
  /** Not taken, so never given back: a dry run's, or one given out before where there is no other, or no room to watch another. */
  readonly shared: boolean;
}

/**
 * Turns descriptors into watched scripts. An account has so many at most (MAX_WATCHED_SCRIPTS): what asks for more throws `policy_refused`. The
 * chain and payments never do: the gap beyond a used script is filled all the same, and change goes to an address that there is.
 */
export interface ScriptPool {
  /** The wallet's model, parsed once and kept. */
  model(wallet: WalletRecord): WalletModel;
  /**
   * Derives and inserts so that GAP_LIMIT scripts lie beyond the highest reserved or used one of the branch; answers what was inserted:
   * nothing while a restored wallet's scan still derives what was given out before.
   */
  topUp(tx: Repositories, wallet: WalletRecord, change: boolean): Promise<ScriptRecord[]>;
  /**
   * Runs `add` within the job. Throws `policy_refused` where it inserted scripts and the account has more than it may have then: the job must
   * not commit.
   */
  withinLimit<T>(tx: Repositories, accountId: string, add: () => Promise<T>): Promise<T>;
  /** Whether all that was given out is derived: a restored wallet's scan does that first. */
  isWhole(repositories: Repositories, wallet: WalletRecord): Promise<boolean>;
  /** Counts all up to `index` as given out; what of it is not derived is for `restoreScripts` to derive. */
  countGiven(tx: Repositories, wallet: WalletRecord, change: boolean, index: number): Promise<void>;
  /**
   * Reserves the next address of a branch in the database and tops up. Throws `policy_refused`, and `state_conflict` while a restored wallet's
   * scan still derives what was given out before.
   */
  reserve(tx: Repositories, wallet: WalletRecord, change: boolean, label: string | null): Promise<ScriptRecord>;
  /**
   * Takes the next change script in memory, before the payment is committed; where the account may have no more watched and the gap is used
   * up, the last one again. Throws `state_conflict` as `reserve` does.
   */
  leaseChange(wallet: WalletRecord): Promise<ChangeLease>;
  /**
   * The script that `leaseChange` would take after `ahead` others, left where it is: for a dry run, which must not push the change of real
   * payments past the gap that a restore looks through. Throws `state_conflict` as `reserve` does.
   */
  peekChange(wallet: WalletRecord, ahead: number): Promise<ChangeLease>;
  /** In the payment's write job: makes the lease a reservation. Throws `state_conflict` where another process has taken the script: build again. */
  commitChange(tx: Repositories, wallet: WalletRecord, lease: ChangeLease): Promise<void>;
  /** The payment was not made: the script may be given out again. */
  returnChange(wallet: WalletRecord, lease: ChangeLease): void;
}
