/** What a transaction of the chain, or the end of one, is to contracts. Called by the ledger, within its jobs. */

import type { ParsedTransaction } from '../../../core/blocks/transaction.ts';
import { closingKindOf } from '../../../core/dlc/closing-kind.ts';
import { coinHoldOf } from '../../../core/dlc/coin-hold.ts';
import { type BlockHash, type Outpoint, outpointKey, type Txid } from '../../../core/outpoint.ts';
import type { CoinRecord, ContractKind, TransactionRecord } from '../../../store/records.ts';
import type { ClosingKind, ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../../store/store.ts';
import { type AffectedContracts, affectedContract } from './affected-contracts.ts';

type Place = { readonly height: number; readonly hash: BlockHash } | null;

/** A contract that a transaction funds or whose funding output it spends. */
export interface ConcernedContract {
  readonly contract: ContractRecord;
  /** What the transaction is to it. */
  readonly kind: ContractKind;
  readonly closing: ClosingKind | null;
}

/** The contracts, of any account, that a transaction concerns; held until the job ends. */
export async function contractsConcerned(
  tx: Pick<Repositories, 'contracts' | 'transactions'>,
  transaction: ParsedTransaction,
): Promise<ConcernedContract[]> {
  if (transaction.coinbase) return [];
  const { txid, inputs } = transaction;
  const contracts = await tx.contracts.byFundingTxids([...new Set([txid, ...inputs.map((input) => input.prev.txid)])]);
  if (contracts.length === 0) return [];
  const spent = new Set(inputs.map((input) => outpointKey(input.prev)));
  const concerned: ConcernedContract[] = [];
  for (const contract of contracts) {
    if (contract.fundingTxid === txid) concerned.push({ contract, kind: 'funding', closing: null });
    else if (spent.has(outpointKey(fundingOutpoint(contract)))) {
      const closing = await closingOf(tx, contract, transaction);
      concerned.push({ contract, kind: CLOSING_KINDS[closing], closing });
    }
  }
  return concerned;
}

/** The kind of the account's record of it. What is of neither kind was agreed on by both. */
const CLOSING_KINDS: Readonly<Record<ClosingKind, ContractKind>> = {
  cet: 'cet',
  refund: 'refund',
  cooperative: 'cooperative_close',
  unknown: 'cooperative_close',
};
const KINDS_CLOSING: Partial<Record<TransactionRecord['kind'], ClosingKind>> = {
  cet: 'cet',
  refund: 'refund',
  cooperative_close: 'cooperative',
};

/** Of those made here the record says it; others are told by what they look like. */
async function closingOf(
  tx: Pick<Repositories, 'transactions'>,
  contract: ContractRecord,
  transaction: ParsedTransaction,
): Promise<ClosingKind> {
  const { txid } = transaction;
  if (contract.closingTxid === txid && contract.closingKind !== null) return contract.closingKind;
  const own = await tx.transactions.find(contract.accountId, txid);
  const known = own && own.raw !== null ? KINDS_CLOSING[own.kind] : undefined;
  return known ?? closingKindFor(contract, transaction);
}

export type ClosingTerms = Pick<
  ContractRecord,
  'collateralSats' | 'offerCollateralSats' | 'payouts' | 'cetLocktime' | 'refundLocktime'
>;

/** By locktimes and amounts alone. */
export function closingKindFor(
  contract: ClosingTerms,
  transaction: ParsedTransaction,
): ReturnType<typeof closingKindOf> {
  const { collateralSats, offerCollateralSats, cetLocktime, refundLocktime } = contract;
  const offerPayoutsSats = contract.payouts.map((payout) => BigInt(payout.offerSats));
  return closingKindOf(
    { collateralSats, offerCollateralSats, offerPayoutsSats, cetLocktime, refundLocktime },
    transaction,
  );
}

/** It is in the mempool or a block. */
export function trackSeen(
  affected: AffectedContracts,
  { txid }: Pick<ParsedTransaction, 'txid'>,
  concerned: readonly ConcernedContract[],
  where: Place,
): void {
  const height = where?.height ?? null;
  for (const { contract, closing } of concerned) {
    const fact = affectedContract(affected, contract);
    if (closing === null) fact.funding = { state: 'seen', height };
    else fact.closing = { txid, kind: closing, height, hash: where?.hash ?? null };
  }
}

/** A node has taken it from us: the mempool will show it in a moment. */
export async function trackTaken(
  tx: Pick<Repositories, 'contracts'>,
  affected: AffectedContracts,
  { txid, kind }: Pick<TransactionRecord, 'txid' | 'kind'>,
): Promise<void> {
  if (kind === 'funding') {
    for (const contract of await tx.contracts.byFundingTxid(txid)) {
      affectedContract(affected, contract).funding = { state: 'seen', height: null };
    }
  } else if (KINDS_CLOSING[kind]) {
    for (const contract of await tx.contracts.byClosingTxid(txid)) {
      if (contract.closingKind === null) continue;
      affectedContract(affected, contract).closing = { txid, kind: contract.closingKind, height: null, hash: null };
    }
  }
}

/** It spends coins that contracts hold for an offer, under the names of those: whoever has the wallet's keys too may do that. */
export async function trackHeldCoins(
  tx: Pick<Repositories, 'contracts'>,
  affected: AffectedContracts,
  coins: readonly CoinRecord[],
  by: Txid,
): Promise<void> {
  const taken = coins.filter((coin) => coin.spentBy !== null && coin.spentBy !== by);
  await forHeld(tx, taken, (contract, coin) => {
    affectedContract(affected, contract).lostCoin = `its input ${outpointKey(coin)} was spent by ${by}`;
  });
}

/** It cannot get into the chain any more, as far as is known. */
export async function trackEnd(
  tx: Pick<Repositories, 'contracts' | 'transactions' | 'ledger'>,
  affected: AffectedContracts,
  txid: Txid,
  end: { readonly status: string; readonly reason: string; readonly replacedBy: Txid | null },
): Promise<void> {
  for (const contract of await tx.contracts.byFundingTxid(txid)) {
    const successor = end.replacedBy && (await tx.transactions.find(contract.accountId, end.replacedBy));
    const cancelled = Boolean(successor && successor.kind === 'cancel' && successor.replaces === txid);
    const reason = cancelled
      ? `cancelled: ${end.replacedBy} spends what was to fund it`
      : `its funding transaction ${txid} is ${end.status}: ${end.reason}`;
    affectedContract(affected, contract).funding = { state: 'lost', reason, cancelled };
  }
  for (const contract of await tx.contracts.byClosingTxid(txid)) affectedContract(affected, contract).closing = null;
  const outputs = (await tx.ledger.coinsOf(txid)).filter((coin) => coin.spentBy !== null);
  await forHeld(tx, outputs, (contract, coin) => {
    affectedContract(affected, contract).lostCoin = `its input ${outpointKey(coin)} is gone: ${txid} is ${end.status}`;
  });
}

/** Its block left the chain; it waits for another. */
export async function trackUnconfirmed(
  tx: Pick<Repositories, 'contracts'>,
  affected: AffectedContracts,
  txid: Txid,
): Promise<void> {
  for (const contract of await tx.contracts.byFundingTxid(txid)) {
    affectedContract(affected, contract).funding = { state: 'seen', height: null };
  }
  for (const contract of await tx.contracts.byClosingTxid(txid)) {
    if (contract.closingHeight === null || contract.closingKind === null) continue;
    affectedContract(affected, contract).closing = { txid, kind: contract.closingKind, height: null, hash: null };
  }
}

async function forHeld(
  tx: Pick<Repositories, 'contracts'>,
  coins: readonly CoinRecord[],
  lost: (contract: ContractRecord, coin: CoinRecord) => void,
): Promise<void> {
  for (const [accountId, held] of Map.groupBy(coins, (coin) => coin.accountId)) {
    const names = [...new Set(held.flatMap((coin) => coin.spentBy ?? []))];
    for (const contract of await tx.contracts.byCoinHolds(accountId, names)) {
      const coin = held.find((one) => one.spentBy === coinHoldOf(contract.contractId));
      if (coin) lost(contract, coin);
    }
  }
}

const fundingOutpoint = ({ fundingTxid, fundingVout }: ContractRecord): Outpoint => ({
  txid: fundingTxid!,
  vout: fundingVout!,
});
