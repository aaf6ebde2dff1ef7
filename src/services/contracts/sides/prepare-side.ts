/**
 * One side of a contract out of a wallet: coins chosen and leased, keys and addresses reserved in the job of the contract's record. It is
 * the same for an offer, for the acceptance of somebody's offer, and for both sides of one holder.
 */

import type { CandidateCoin } from '../../../core/coin-selection/candidate.ts';
import { coinHoldOf } from '../../../core/dlc/coin-hold.ts';
import type { ContractParty, FundingInput } from '../../../core/dlc/dlc-messages.ts';
import { DomainError } from '../../../core/errors.ts';
import type { AccountId, ContractId } from '../../../core/ids.ts';
import { outpointKey } from '../../../core/outpoint.ts';
import type { OtherCoins } from '../../../core/payments/spendable-coins.ts';
import { accountPublicKeys } from '../../../core/wallets/account-public-key.ts';
import { openSpending } from '../../../core/wallets/spending-data.ts';
import type { ScriptRecord, WalletId, WalletRecord } from '../../../store/records.ts';
import type { ContractSide } from '../../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../../store/store.ts';
import { createAncestryLookup } from '../../transactions/coins/ancestry.ts';
import { withAncestry } from '../../transactions/coins/candidates.ts';
import { ClaimConflict } from '../../transactions/coins/claim-conflict.ts';
import { type FreeCoins, isShortage, type LeaseWallet } from '../../transactions/coins/wallet-lease.ts';
import type { PreviousTransactions } from '../../transactions/signing/previous-transactions.ts';
import type { ScriptPool } from '../../wallets/database-script-pool.ts';
import type { ChangeLease } from '../../wallets/script-pool.ts';
import { chooseCoins, inputFeeSats, type SideAmounts } from './choose-coins.ts';
import { type FundingForm, fundingForm } from './funding-wallet.ts';
import { randomSerialId } from './serial-ids.ts';

/** What rust-dlc and dlcdevkit give every funding input: the funding transaction has no locktime. */
const FINAL_SEQUENCE = 0xffffffff;
const NO_SCRIPT = new Uint8Array(0);

interface SideRequest extends SideAmounts {
  readonly wallet: WalletRecord;
  readonly tipHeight: number;
  /** See CoinChoice. */
  readonly minConf: 0 | 1;
  /** Another side that waits for the same commit holds coins: if this one waited for their release, it would wait for itself. */
  readonly beside?: PreparedSide;
}

/** Who a side is of, for the labels of what it reserves and the name under which its coins are held. */
interface SideOwner {
  readonly contractId: ContractId;
  /** hex */
}

export interface PreparedSide {
  readonly wallet: WalletRecord;
  readonly coins: readonly CandidateCoin[];
  /**
   * In the job that writes the contract: claims the coins under the contract's hold and reserves key and addresses. Throws ClaimConflict (or a
   * `state_conflict` without field) where another process was faster: prepare again (`retried`). The job may run more than once.
   */
  commit(tx: Repositories, owner: SideOwner): Promise<{ party: ContractParty; side: ContractSide }>;
  /** It is in the database: the coins are claimed there. */
  committed(): void;
  /** It will not be: coins and change script are free again. */
  release(): void;
}

/** Throws `insufficient_funds`, `too_large`, `too_many_ancestors`, `coin_unavailable`, `policy_refused`, `signing_unavailable`. */
export type PrepareSide = (request: SideRequest) => Promise<PreparedSide>;

export function createPrepareSide(deps: {
  read: Repositories;
  scripts: ScriptPool;
  leaseWallet: LeaseWallet;
  previousTransactions: PreviousTransactions;
  randomBytes: (size: number) => Uint8Array;
}): PrepareSide {
  const { read, scripts, randomBytes } = deps;

  /** Unconfirmed change only where coins in blocks do not suffice: its ancestry costs reads. */
  async function choose(free: FreeCoins, request: SideRequest, form: FundingForm): Promise<CandidateCoin[]> {
    const take = (candidates: readonly CandidateCoin[], besides?: OtherCoins) =>
      free.take({ inputs: chooseCoins(candidates, { ...request, form }, randomBytes, besides) }).inputs;
    const takeAny = async (besides?: OtherCoins): Promise<CandidateCoin[]> => {
      try {
        return take(
          free.candidates().filter((coin) => coin.confirmations > 0),
          besides,
        );
      } catch (error) {
        if (request.minConf > 0 || !isShortage(error)) throw error;
        const lookup = createAncestryLookup({ transactions: read.transactions }, request.wallet.accountId);
        const informed = await withAncestry(free.candidates(), lookup);
        return take(
          informed.filter((coin) => !free.isTaken(outpointKey(coin))),
          besides,
        );
      }
    };
    try {
      return await takeAny();
    } catch (error) {
      if (free.whole || !isShortage(error)) throw error;
      try {
        return await takeAny(await free.besides(inputFeeSats({ ...request, form })));
      } catch (exact) {
        if (isShortage(exact)) free.settle();
        throw exact;
      }
    }
  }

  async function fundingInputs({ wallet }: SideRequest, coins: readonly CandidateCoin[]): Promise<FundingInput[]> {
    const form = fundingForm(wallet);
    const previous = await deps.previousTransactions(
      wallet.accountId,
      coins.map(({ txid }) => txid),
    );
    const spending = [wallet.externalDescriptor, wallet.internalDescriptor].map((descriptor) =>
      descriptor === null ? null : openSpending(descriptor, wallet.network),
    );
    const missing = coins.find(({ txid }) => !previous.has(txid));
    if (missing) {
      throw new DomainError(
        'coin_unavailable',
        `the transaction that made coin ${outpointKey(missing)} must be shown to the other side, and the node no longer has it: freeze the coin, or spend it to yourself first`,
        { field: 'wallet_id' },
      );
    }
    // Witnesses are listed by ascending serial id: so are the inputs, and positions mean the same everywhere.
    const serialIds = coins.map(() => randomSerialId(randomBytes)).sort((a, b) => (a < b ? -1 : 1));
    return coins.map(({ txid, vout, change, index }, position) => ({
      serialId: serialIds[position]!,
      previousTransaction: previous.get(txid)!,
      previousVout: vout,
      sequence: FINAL_SEQUENCE,
      maxWitnessLength: form.maxWitnessLength,
      redeemScript: spending[change ? 1 : 0]?.(index).redeemScript ?? NO_SCRIPT,
    }));
  }

  return async (request) => {
    const { wallet, tipHeight, beside } = request;
    const form = fundingForm(wallet);
    const lease = await deps.leaseWallet(wallet, { hold: true, tipHeight, waits: beside === undefined });
    try {
      const coins = await lease
        .coins((free) => choose(free, request, form))
        .catch((error: unknown) => {
          throw beside ? shortBeside(error, beside, wallet.walletId) : error;
        });
      const inputs = await fundingInputs(request, coins);
      const serials = { payout: randomSerialId(randomBytes), change: randomSerialId(randomBytes) };
      return {
        ...{ wallet, coins, committed: lease.committed, release: lease.release },
        commit: (tx, owner) =>
          commitSide(tx, scripts, { request, coins, inputs, serials, change: lease.change }, owner),
      };
    } catch (error) {
      lease.release();
      throw error;
    }
  };
}

interface SideParts {
  readonly request: SideRequest;
  readonly coins: readonly CandidateCoin[];
  readonly inputs: readonly FundingInput[];
  readonly serials: { readonly payout: bigint; readonly change: bigint };
  readonly change: ChangeLease;
}

async function commitSide(
  tx: Repositories,
  scripts: ScriptPool,
  { request, coins, inputs, serials, change }: SideParts,
  { contractId }: SideOwner,
): Promise<{ party: ContractParty; side: ContractSide }> {
  const { wallet, collateralSats } = request;
  const { accountId, walletId } = wallet;
  const refused = await tx.coins.claim(
    accountId,
    coins.map(({ txid, vout }) => ({ txid, vout })),
    coinHoldOf(contractId),
  );
  if (refused.length > 0) throw new ClaimConflict(refused);
  await refuseWithdrawn(tx, accountId, coins);
  const key = await scripts.reserve(tx, wallet, false, `contract ${contractId}: funding key`);
  const payout = await scripts.reserve(tx, wallet, false, `contract ${contractId}: payout`);
  await scripts.commitChange(tx, wallet, change);
  await tx.scripts.setLabel(accountId, walletId, change.scriptPubKey, `contract ${contractId}: change`);
  const publicKeyAt = accountPublicKeys(wallet.externalDescriptor, wallet.network);
  return {
    party: {
      fundingPublicKey: publicKeyAt(key.change, key.index),
      payoutScript: Buffer.from(payout.scriptPubKey, 'hex'),
      payoutSerialId: serials.payout,
      collateralSats,
      fundingInputs: inputs,
      changeScript: Buffer.from(change.scriptPubKey, 'hex'),
      changeSerialId: serials.change,
    },
    side: {
      walletId,
      fundingKey: { change: key.change, index: key.index },
      payout: placeOf(payout),
      change: placeOf(change),
      inputs: coins.map((coin, position) => ({
        txid: coin.txid,
        vout: coin.vout,
        amountSats: coin.amountSats.toString(),
        scriptPubKey: coin.scriptPubKey,
        change: coin.change,
        index: coin.index,
        serialId: inputs[position]!.serialId.toString(),
      })),
    },
  };
}

const placeOf = ({ change, index, address }: Pick<ScriptRecord, 'change' | 'index' | 'address'>) => ({
  change,
  index,
  address,
});

/** Locked or frozen since the coins were read. */
async function refuseWithdrawn(tx: Repositories, accountId: AccountId, coins: readonly CandidateCoin[]): Promise<void> {
  const now = await tx.coins.findMany(
    accountId,
    coins.map(({ txid, vout }) => ({ txid, vout })),
  );
  const withdrawn = now.filter((coin) => coin.locked || coin.frozen);
  if (withdrawn.length > 0) throw new ClaimConflict(withdrawn);
}

/** One coin cannot serve both sides. */
function shortBeside(error: unknown, { wallet, coins }: PreparedSide, walletId: WalletId): unknown {
  if (!(error instanceof DomainError) || !isShortage(error) || wallet.walletId !== walletId || coins.length === 0)
    return error;
  return new DomainError(
    error.code,
    `${error.message}; the other side takes ${coins.length === 1 ? 'a coin' : `${coins.length} coins`} of the same wallet, and each side has its own`,
    error.details,
  );
}
