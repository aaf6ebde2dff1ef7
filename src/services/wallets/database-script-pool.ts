import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import { createLru } from '../../core/lru.ts';
import type { AddressedScript } from '../../core/wallets/descriptor-branch.ts';
import { type WalletModel, walletModel } from '../../core/wallets/wallet-model.ts';
import type { ScriptRecord, WalletRecord, WalletScan } from '../../store/records.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { createChangeLeases } from './change-leases.ts';
import { type ChangeLease, GAP_LIMIT } from './script-pool.ts';

/** Scripts that one account may have watched. */
const MAX_WATCHED_SCRIPTS = 1_000_000;

/** Models kept. */
const MAX_MODELS = 5_000;
/** Scripts kept, some 300 bytes each. */
const MAX_SCRIPTS = 10_000;

/**
 * Turns descriptors into watched scripts. An account has so many at most (MAX_WATCHED_SCRIPTS): what asks for more throws `policy_refused`. The
 * chain and payments never do: the gap beyond a used script is filled all the same, and change goes to an address that there is.
 */
export function createScriptPool(deps: { store: Store; clock: () => number; maxWatchedScripts?: number }) {
  const { maxWatchedScripts = MAX_WATCHED_SCRIPTS } = deps;
  const models = createLru<string, WalletModel>(MAX_MODELS);
  /** A change script is derived when the gap before it is filled, and leased GAP_LIMIT payments later. */
  const scripts = createLru<string, AddressedScript>(MAX_SCRIPTS);

  function model(wallet: WalletRecord): WalletModel {
    const { walletId, externalDescriptor: external, internalDescriptor: internal, network } = wallet;
    return models.get(walletId) ?? models.set(walletId, walletModel({ external, internal }, network));
  }

  function scriptAt(wallet: WalletRecord, change: boolean, index: number): AddressedScript {
    const place = `${wallet.walletId} ${change} ${index}`;
    return scripts.get(place) ?? scripts.set(place, model(wallet).scriptAt(change, index));
  }

  function derive(wallet: WalletRecord, change: boolean, index: number): ScriptRecord {
    return {
      walletId: wallet.walletId,
      accountId: wallet.accountId,
      ...scriptAt(wallet, change, index),
      change,
      index,
      label: null,
      reservedAt: null,
      usedAt: null,
    };
  }

  function isBranchWhole(wallet: WalletRecord, change: boolean, { next, derived }: Branch): boolean {
    const { ranged, hasChangeBranch } = model(wallet);
    return !ranged || (change && !hasChangeBranch) || derived >= next - 1;
  }

  async function isWhole(repositories: Repositories, wallet: WalletRecord): Promise<boolean> {
    for (const change of [false, true]) {
      if (!isBranchWhole(wallet, change, await branchOf(repositories, wallet, change))) return false;
    }
    return true;
  }

  const changes = createChangeLeases({
    ...{ store: deps.store, maxWatchedScripts, model, scriptAt },
    async requireWhole(wallet) {
      const { read } = deps.store;
      if (!isBranchWhole(wallet, true, await branchOf(read, wallet, true)))
        throw notWhole((await current(read, wallet)).scan);
    },
    nextIndex: async (wallet) => (await current(deps.store.read, wallet)).nextInternalIndex,
  });

  async function withinLimit<T>(tx: Repositories, accountId: AccountId, add: () => Promise<T>): Promise<T> {
    const before = await tx.scripts.count(accountId);
    const added = await add();
    const after = await tx.scripts.count(accountId);
    if (after > Math.max(before, maxWatchedScripts)) throw tooMany(before, after - before, maxWatchedScripts);
    return added;
  }

  async function topUp(tx: Repositories, wallet: WalletRecord, change: boolean): Promise<ScriptRecord[]> {
    const branch = await branchOf(tx, wallet, change);
    return isBranchWhole(wallet, change, branch) ? fillGap(tx, wallet, change, branch) : [];
  }

  async function fillGap(
    tx: Repositories,
    wallet: WalletRecord,
    change: boolean,
    { next, derived, used }: Branch,
    room = Number.POSITIVE_INFINITY,
    insert: (missing: ScriptRecord[]) => Promise<unknown> = tx.scripts.insertMissing,
  ): Promise<ScriptRecord[]> {
    const { ranged, hasChangeBranch } = model(wallet);
    if (change && !hasChangeBranch) return [];
    let last = 0;
    if (ranged) {
      if (used >= next) await closeGap(tx, wallet, change, next, used);
      last = Math.max(next - 1, used) + GAP_LIMIT;
    }
    const missing: ScriptRecord[] = [];
    for (let index = derived + 1; index <= Math.min(last, derived + room); index++)
      missing.push(derive(wallet, change, index));
    if (missing.length > 0) await insert(missing);
    return missing;
  }

  /** A transaction paid further on than we ever gave out (a restore, another holder of the keys): all up to there counts as given out. */
  async function closeGap(tx: Repositories, wallet: WalletRecord, change: boolean, from: number, used: number) {
    const at = deps.clock();
    await tx.scripts.reserveRange(wallet.accountId, wallet.walletId, change, { from, to: used }, at);
    await tx.wallets.raiseNextIndex(wallet.accountId, wallet.walletId, change, used + 1);
  }

  async function reserve(
    tx: Repositories,
    wallet: WalletRecord,
    change: boolean,
    label: string | null,
  ): Promise<ScriptRecord> {
    const { accountId, walletId } = wallet;
    if (change && !model(wallet).hasChangeBranch) {
      throw new DomainError('unsupported', 'this wallet has no change branch: its descriptor has one path only');
    }
    const index = model(wallet).ranged ? await takeIndex(tx, wallet, change) : 0;
    return tx.scripts.reserve(accountId, walletId, change, index, deps.clock(), label);
  }

  /** Index taken, the wallet is this job's until it ends: what it reads from then on stands. */
  async function takeIndex(tx: Repositories, wallet: WalletRecord, change: boolean): Promise<number> {
    const { accountId, walletId } = wallet;
    let index = await tx.wallets.takeIndex(accountId, walletId, change);
    const { derived, used } = await branchOf(tx, wallet, change);
    if (derived < index - 1) throw notWhole((await current(tx, wallet)).scan);
    if (used >= index) {
      await closeGap(tx, wallet, change, index, used);
      index = await tx.wallets.takeIndex(accountId, walletId, change);
    }
    const missing: ScriptRecord[] = [];
    for (let next = derived + 1; next <= index + GAP_LIMIT; next++) missing.push(derive(wallet, change, next));
    const counted = missing.length > 0 ? await tx.scripts.insertCounted(accountId, missing) : null;
    if (counted !== null && counted.all > maxWatchedScripts) {
      throw tooMany(counted.all - counted.added, counted.added, maxWatchedScripts);
    }
    return index;
  }

  async function countGiven(tx: Repositories, wallet: WalletRecord, change: boolean, index: number): Promise<void> {
    const { next } = await branchOf(tx, wallet, change);
    if (index >= next && model(wallet).ranged) await closeGap(tx, wallet, change, next, index);
  }

  async function commitChange(tx: Repositories, wallet: WalletRecord, lease: ChangeLease): Promise<void> {
    if (!model(wallet).ranged || !lease.change) return;
    await tx.wallets.raiseNextIndex(wallet.accountId, wallet.walletId, lease.change, lease.index + 1);
    const branch = await branchOf(tx, wallet, lease.change);
    await takeChange(tx, wallet, lease, branch, tx.scripts.insertMissing);
  }

  async function commitPayment(tx: Repositories, wallet: WalletRecord, lease: ChangeLease) {
    const { accountId, walletId } = wallet;
    if (!model(wallet).ranged || !lease.change) return { gapIsFilled: true, taken: null };
    const entered = await tx.scripts.enterPayment(accountId, walletId, lease.index);
    if (!entered) throw unknownWallet();
    let scripts = 0n;
    const gapIsFilled = await takeChange(tx, wallet, lease, entered.branch, async (missing) => {
      scripts = await tx.scripts.insertUncounted(missing);
    });
    return { gapIsFilled, taken: { walletId, ordinal: entered.ordinal, scripts } };
  }

  /** Answers whether the gap behind it is filled. */
  async function takeChange(
    tx: Repositories,
    wallet: WalletRecord,
    { index, change, shared }: ChangeLease,
    branch: Branch,
    insert: (missing: ScriptRecord[]) => Promise<unknown>,
  ): Promise<boolean> {
    const { accountId, walletId } = wallet;
    // A payment is never refused for what it would have watched beyond its change: that stays as it is.
    const added = await fillGap(tx, wallet, change, branch, maxWatchedScripts - branch.count, insert);
    const at = deps.clock();
    if (shared) {
      await tx.scripts.reserve(accountId, walletId, change, index, at, null);
      return false;
    }
    if (await tx.scripts.reserveFree(accountId, walletId, change, index, at))
      return branch.derived + added.length >= index + GAP_LIMIT;
    await changes.isBehind(walletId);
    throw new DomainError('state_conflict', 'the change address was taken by another payment meanwhile: build again');
  }

  return {
    /** The wallet's model, parsed once and kept. */
    model,
    /**
     * Derives and inserts so that GAP_LIMIT scripts lie beyond the highest reserved or used one of the branch; answers what was inserted:
     * nothing while a restored wallet's scan still derives what was given out before.
     */
    topUp,
    /**
     * Runs `add` within the job. Throws `policy_refused` where it inserted scripts and the account has more than it may have then: the job must
     * not commit.
     */
    withinLimit,
    /** Whether all that was given out is derived: a restored wallet's scan does that first. */
    isWhole,
    /** Counts all up to `index` as given out; what of it is not derived is for `restoreScripts` to derive. */
    countGiven,
    /**
     * Reserves the next address of a branch in the database and tops up. Throws `policy_refused`, and `state_conflict` while a restored wallet's
     * scan still derives what was given out before.
     */
    reserve,
    /**
     * Takes the next change script in memory, before the payment is committed; where the account may have no more watched and the gap is used
     * up, the last one again. Throws `state_conflict` as `reserve` does.
     */
    leaseChange: changes.lease,
    /**
     * The script that `leaseChange` would take after `ahead` others, left where it is: for a dry run, which must not push the change of real
     * payments past the gap that a restore looks through. Throws `state_conflict` as `reserve` does.
     */
    peekChange: changes.peek,
    /**
     * In the write job of what has this change: makes the lease a reservation. Throws `state_conflict` where another process has taken the
     * script: build again.
     */
    commitChange,
    /**
     * The same in the job that inserts a payment; answers whether the gap behind the script is filled, and what the insertion takes
     * (`transactions.insert`), or null where it goes on from nothing.
     */
    commitPayment,
    /** The payment was not made: the script may be given out again. */
    returnChange: changes.giveBack,
  };
}

export type ScriptPool = ReturnType<typeof createScriptPool>;

const notWhole = (scan: WalletScan): DomainError =>
  new DomainError(
    'state_conflict',
    scan.state === 'failed'
      ? `the wallet's scan failed before it had derived the addresses that were given out before: rescan it when that is mended (${scan.error})`
      : "the wallet's scan still derives the addresses that were given out before: wait until scan.state is idle",
    { field: 'wallet_id' },
  );

const tooMany = (before: number, more: number, most: number): DomainError =>
  new DomainError(
    'policy_refused',
    `the wallets of this account have ${before} scripts watched already, and ${more} more would be above the ${most} that an account may have ` +
      '(MAX_WATCHED_SCRIPTS): use addresses that were given out before, or let the operator raise it',
  );

const unknownWallet = (): DomainError => new DomainError('not_found', 'there is no such wallet');

type Branch = NonNullable<Awaited<ReturnType<Repositories['scripts']['branch']>>>;

/** As it stands: the caller's record may be older than its indexes. */
async function branchOf(repositories: Repositories, wallet: WalletRecord, change: boolean): Promise<Branch> {
  const branch = await repositories.scripts.branch(wallet.accountId, wallet.walletId, change);
  if (!branch) throw unknownWallet();
  return branch;
}

/** The row as it stands: the caller's record may be older than its indexes. */
async function current(repositories: Repositories, wallet: WalletRecord): Promise<WalletRecord> {
  const stored = await repositories.wallets.find(wallet.accountId, wallet.walletId);
  if (!stored) throw unknownWallet();
  return stored;
}
