/**
 * Ends a contract that is not in a block: before its funding is signed by giving its coins back; after that by spending one side's coins
 * back to their wallet, because whoever has the signatures can send it.
 */

import type { ChainSource, MempoolEntry } from '../../chain/chain-source.ts';
import { formatBtc } from '../../core/amount.ts';
import { coinHoldOf } from '../../core/dlc/coin-hold.ts';
import { sumOf } from '../../core/dlc/transactions/contract-transaction.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountId, ContractId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import { outpointKey } from '../../core/outpoint.ts';
import { planCancel } from '../../core/payments/plan-cancel.ts';
import { type TransactionText, transactionText } from '../../core/policies/approval-text.ts';
import { buildTransaction } from '../../core/transactions/build-transaction.ts';
import type { TransactionRecord } from '../../store/records.ts';
import type { ContractRecord, ContractSide } from '../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../store/store.ts';
import { atOnce, type Doing, requireApproved } from '../approvals/held-operation.ts';
import type { HeldRequests } from '../approvals/held-requests.ts';
import { candidateModel, toCandidate } from '../transactions/coins/candidates.ts';
import type { UtxoSnapshots } from '../transactions/coins/utxo-snapshots.ts';
import { planSettings } from '../transactions/drafting/plan-settings.ts';
import type { Spend } from '../transactions/make-transaction.ts';
import {
  addedFee,
  assertNodeWouldTake,
  type ReplacementDependencies,
} from '../transactions/replacement-dependencies.ts';
import { unconfirmedDescendants } from '../transactions/sending/retire-transaction.ts';
import { approvedPlan } from '../transactions/signing/approved-payments.ts';
import type { CommitOptions } from '../transactions/transaction-service.ts';
import { requireWallet } from '../wallets/wallet-dependencies.ts';
import { notCountingItself, onContract } from './approving/held-steps.ts';
import { askedOfContract, twinOf } from './asked-of-contract.ts';
import { applyMove } from './contract-moves.ts';
import type { ContractService, ContractView } from './contract-service.ts';
import { allows, assertContractAllows, stateConflict } from './contract-states.ts';
import type { ContractDriver } from './driver/contract-driver.ts';
import { loadContract } from './load-contract.ts';
import { requireContract } from './remote/contract-messages.ts';

const BY_REQUEST = 'cancelled on request';

export interface CancelDependencies extends ReplacementDependencies {
  readonly chain: Pick<ChainSource, 'mempoolEntry' | 'testAccept'>;
  readonly snapshots: Pick<UtxoSnapshots, 'forget'>;
  readonly network: Network;
  readonly clock: () => number;
  readonly driver: Pick<ContractDriver, 'interrupt'>;
  readonly held: Pick<HeldRequests, 'operation'>;
  readonly require: (accountId: AccountId, contractId: ContractId) => Promise<ContractRecord>;
  readonly viewIn: (tx: Repositories, record: ContractRecord) => Promise<ContractView>;
}

export function createCancelContract(deps: CancelDependencies): ContractService['cancel'] {
  const { store, chain, scripts, maker, snapshots, driver, network, viewIn, clock, randomBytes } = deps;

  /** Throws SignedMeanwhile. */
  async function giveUp(contract: ContractRecord, { judge, record }: Recording): Promise<ContractView> {
    const { accountId, contractId } = contract;
    const ended = await store.write(async (tx) => {
      await judge?.(tx);
      const held = (await tx.contracts.findForUpdate(accountId, contractId)) ?? contract;
      // Asked for twice it is the same record.
      const before = held.status === 'cancelled';
      if (!before) assertContractAllows('cancel', held);
      if (!before && !isUnsigned(held)) throw new SignedMeanwhile(held);
      const moved = before ? held : await cancelUnfunded(tx, held, BY_REQUEST, clock());
      await record(tx, { result: await viewIn(tx, moved), target: contractId });
      return moved;
    });
    driver.interrupt(contractId);
    for (const side of [ended.offerSide, ended.acceptSide]) if (side) snapshots.forget(side.walletId);
    return viewIn(store.read, ended);
  }

  /** `approved`: what was approved is signed, whatever the node's feerates are by now. */
  async function spendOf(held: ContractRecord, approved: TransactionText | null) {
    const { accountId, contractId } = held;
    const conditions = await deps.conditions.current();
    const side = spendingSide(held);
    const wallet = await requireWallet(store.read, accountId, side.walletId);
    const model = scripts.model(wallet);
    const entry = await chain.mempoolEntry(held.fundingTxid!);
    const funding = await fundingOf(held, entry);
    const coins = (await store.read.coins.findMany(accountId, side.inputs)).filter(
      (coin) => coin.walletId === wallet.walletId,
    );
    const original = {
      ...funding,
      inputs: coins.map((coin) => toCandidate(coin, candidateModel(model, wallet), conditions.tip.height)),
      outputs: [],
    };
    // Whatever was paid after it, the counterparty's too: a contract must not be held by that.
    const descendants = {
      count: entry ? entry.descendantCount - 1 : 0,
      feesSats: entry ? entry.descendantFeesSats - entry.feeSats : 0n,
      foreignFeesSats: 0n,
    };
    const again = approved && (await approvedPlan(store.read, approved, wallet, scripts));
    const spend: Spend = {
      ...{ wallet, tipHeight: conditions.tip.height, respends: new Set(coins.map(outpointKey)) },
      plan(free, change) {
        const plan = planCancel({
          ...{ original, descendants, feeRate: 'minimum', rbf: true, randomBytes },
          ...planSettings(model, conditions, change),
        });
        return free.take(
          again === null ? plan : { ...plan, ...again, feeSats: sumOf(again.inputs) - sumOf(again.outputs) },
        );
      },
      details: ({ outputs }, { address }) => ({
        ...{ kind: 'cancel', rbf: true, label: `contract ${contractId}: cancelled`, externalId: null },
        recipients: [{ address: approved?.outputs[0]?.address ?? address, amountSats: outputs[0]!.amountSats }],
        replaces: funding.known ? funding.txid : null,
        evicts: [...(funding.known ? [funding.txid] : []), coinHoldOf(contractId)],
        namesCoins: false,
      }),
      asks: (plan) => ({ operation: 'contract_cancel', pays: [], feeSats: addedFee(plan, funding) }),
      check: ({ raw }) => assertNodeWouldTake(chain, raw, entry !== null),
    };
    return { spend, funding };
  }

  async function doubleSpend({ accountId, contractId }: ContractRecord, doing: Doing): Promise<ContractView> {
    const viewNow = async (tx: Repositories): Promise<ContractView> =>
      viewIn(tx, await requireContract(tx, accountId, contractId));
    const prepare = async (): Promise<Spend> => {
      const held = await deps.require(accountId, contractId);
      if (!allows('cancel', held)) throw stateConflict('cancel', held);
      return (await spendOf(held, doing.approved as TransactionText | null)).spend;
    };
    const options: CommitOptions = {
      // The ledger ends the contract when a node has taken the spend; of a funding transaction that is not known here it hears nothing.
      async alongside(tx, spend) {
        const held = await tx.contracts.findForUpdate(accountId, contractId);
        if (!held || spend.replaces !== null) return;
        const reason = `cancelled: ${spend.txid} spends what was to fund it`;
        await applyMove(tx, held, { status: 'cancelled', reason, progress: null }, clock());
      },
      answer: (_spend, tx) => viewNow(tx),
    };
    await maker.make(doing, prepare, options);
    return viewNow(store.read);
  }

  /** What spends the coins to their wallet again, with the fee that it adds. */
  async function describeSpend(contract: ContractRecord) {
    const { spend, funding } = await spendOf(contract, null);
    const { walletId } = spend.wallet;
    const plan = await maker.plan(spend);
    const parts = { walletId, network, spent: plan.inputs, isOwn: () => true };
    const signs = async () => ({
      ...transactionText(buildTransaction(plan).toBuffer(), parts),
      contract: { contract_id: contract.contractId },
    });
    return { feeSats: addedFee(plan, funding), signs };
  }

  /** What the node says of it, or the messages where it has not seen it: the other side may hold it back. */
  async function fundingOf(contract: ContractRecord, entry: MempoolEntry | null) {
    const record = await store.read.transactions.find(contract.accountId, contract.fundingTxid!);
    if (record) await refuseDescendants(record);
    const { txid, version, feeSats, raw } = (await loadContract(store.read, contract)).contract.fundingTransaction;
    // Without witnesses it is smaller than it will be, and the feerate to beat the higher.
    const size = { feeSats: entry?.feeSats ?? feeSats, vsize: entry?.vsize ?? record?.vsize ?? raw.length };
    return { txid, version, ...size, known: record !== null };
  }

  async function refuseDescendants(record: TransactionRecord): Promise<void> {
    const descendants = await unconfirmedDescendants(store.read, record);
    if (descendants.length === 0) return;
    const names = descendants.map(({ txid }) => txid).join(', ');
    throw new DomainError(
      'descendants_would_be_evicted',
      `cancelling would evict ${names}, which spend change of the funding transaction: cancel those first`,
      { field: 'contract_id', reason: names },
    );
  }

  const cancel = deps.held.operation<{ readonly contractId: ContractId }, ContractView>({
    ...onContract('cancel'),
    async describe({ contractId }, accountId) {
      const contract = await deps.require(accountId, contractId);
      assertContractAllows('cancel', contract);
      const { feeSats, signs } = isUnsigned(contract)
        ? { feeSats: 0n, signs: async () => givenUp(contract) }
        : await describeSpend(contract);
      const twin = await twinOf(store.read, contract);
      return {
        asked: { ...askedOfContract('contract_cancel', contract, network, { twin }), feeSats },
        ...{ looking: notCountingItself(contract), subject: contractId, signs },
      };
    },
    async run({ contractId }, doing) {
      const contract = await deps.require(doing.accountId, contractId);
      assertContractAllows('cancel', contract);
      if (doing.approved?.kind === 'transaction') return doubleSpend(contract, doing);
      if (isUnsigned(contract)) await requireApproved(doing, givenUp(contract));
      else if (doing.approved === null) return doubleSpend(contract, doing);
      return giveUp(contract, doing);
    },
  });

  return async (contractId, context) => {
    const contract = await deps.require(context.accountId, contractId);
    if (contract.status === 'cancelled') return giveUp(contract, atOnce(context));
    try {
      return await cancel({ contractId }, context);
    } catch (error) {
      if (error instanceof SignedMeanwhile) return cancel({ contractId }, context);
      throw error;
    }
  };
}

type Recording = Pick<Doing, 'record'> & Partial<Pick<Doing, 'judge'>>;

/** It was let pass, or approved, as one that nothing of ours is signed for. */
class SignedMeanwhile extends DomainError {
  constructor({ contractId }: ContractRecord) {
    super('state_conflict', `contract ${contractId} was signed meanwhile: ask for its cancellation again`, {
      field: 'contract_id',
    });
  }
}

const isUnsigned = ({ status }: ContractRecord): boolean => status === 'offered' || status === 'accepted';

function givenUp({ contractId, status, collateralSats, offerSide, acceptSide }: ContractRecord) {
  const coins = [offerSide, acceptSide].flatMap((side) =>
    (side?.inputs ?? []).map(({ txid, vout, amountSats }) => ({
      ...{ wallet_id: side!.walletId, txid, vout, amount: formatBtc(BigInt(amountSats)) },
    })),
  );
  const collateral = formatBtc(collateralSats);
  return { kind: 'contract_cancel', contract_id: contractId, status, collateral, coins } as const;
}

/** In a job that holds it: its coins are free again. */
async function cancelUnfunded(
  tx: Repositories,
  held: ContractRecord,
  reason: string,
  now: number,
): Promise<ContractRecord> {
  await tx.coins.release(held.accountId, coinHoldOf(held.contractId));
  return applyMove(tx, held, { status: 'cancelled', reason, progress: null }, now);
}

function spendingSide({ contractId, offerSide, acceptSide }: ContractRecord): ContractSide {
  const side = [offerSide, acceptSide].find((one) => one !== null && one.inputs.length > 0);
  if (side) return side;
  throw new DomainError(
    'state_conflict',
    `no coin of ours funds contract ${contractId}: only the other side can cancel it now`,
    { field: 'contract_id' },
  );
}
