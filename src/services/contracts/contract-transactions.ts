/** Funding transaction, CET, refund and cooperative close as payments' records: kept in the mempool and confirmed as any other. */

import { parseTransaction } from '../../core/blocks/transaction.ts';
import { coinHoldOf } from '../../core/dlc/coin-hold.ts';
import type { SignedContractTransaction } from '../../core/dlc/transactions/contract-transaction.ts';
import type { Network } from '../../core/network.ts';
import { outpointKey, type Txid } from '../../core/outpoint.ts';
import type { ContractKind, ScriptRecord, TransactionRecord, WalletEffect, WalletId } from '../../store/records.ts';
import type { ContractPatch, ContractRecord } from '../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../store/store.ts';
import { addressOfScript } from '../ledger/script-address.ts';
import { transactionEvent } from '../ledger/transaction-event.ts';
import { isAlive } from '../ledger/transaction-status.ts';
import { insertOwnCoins, ownersOf } from '../transactions/sending/own-outputs.ts';

export interface ContractTransactionCommit {
  readonly contract: ContractRecord;
  readonly kind: ContractKind;
  readonly transaction: SignedContractTransaction;
  readonly network: Network;
  readonly now: number;
}

/**
 * In the job of the contract's move: the record as `signed`, its outputs to wallets of the account as coins, the update on the channel.
 * Claims no coins: the funding transaction's are claimed by whoever calls. A record that is there already (the chain was faster) stays.
 */
export async function commitContractTransaction(
  tx: Repositories,
  { contract, kind, transaction, network, now }: ContractTransactionCommit,
): Promise<TransactionRecord> {
  const { accountId } = contract;
  const { txid, raw, vsize, feeSats } = transaction;
  const known = await tx.transactions.findForUpdate(accountId, txid);
  if (known !== null) return revived(tx, known, raw, now);
  const { version, inputs, outputs, locktime } = parseTransaction(raw);
  const owners = await ownersOf(tx, accountId, outputs);
  const spent = inputs.map(({ prev }) => prev);
  const { effects, sentSats, receivedSats, ours } = await effectsOf(tx, contract, { spent, outputs }, owners);
  const outgoing = kind === 'funding';
  const recipients = outputs
    .filter(({ scriptPubKey }) => (owners.get(scriptPubKey) ?? []).length > 0 !== outgoing)
    .map(({ scriptPubKey, amountSats }) => ({ address: addressOfScript(scriptPubKey, network), amountSats }));
  const record: Omit<TransactionRecord, 'ordinal'> = {
    accountId,
    txid,
    unsignedTxid: txid,
    walletId: walletOf(contract, effects),
    kind,
    status: 'signed',
    direction: outgoing ? 'outgoing' : 'incoming',
    raw,
    psbt: null,
    recipients,
    // Where others bring coins along, what counts is which way the balance moves.
    amountSats: ours === spent.length || !outgoing ? sum(recipients) : sentSats - receivedSats,
    feeSats,
    vsize,
    version,
    locktime,
    inputCount: inputs.length,
    ancestorFeeSats: 0n,
    rbf: inputs.some(({ sequence }) => sequence < 0xfffffffe),
    blockHeight: null,
    blockHash: null,
    replaces: null,
    replacedBy: null,
    label: `contract ${contract.contractId}`,
    externalId: null,
    reason: null,
    policy: null,
    counts: null,
    asked: null,
    approvalId: null,
    createdAt: now,
    updatedAt: now,
  };
  await tx.transactions.insert(
    record,
    spent.map((prev, vin) => ({ vin, prev })),
    effects,
  );
  await insertOwnCoins(tx, { accountId, txid, version, outputs }, owners, now);
  // Only where nobody else can spend what it spends is its change ours to build on.
  if (contract.role !== 'both') await tx.ledger.updateCoinsOf(txid, { own: false });
  await tx.events.append(transactionEvent(record));
  return { ...record, ordinal: 0 };
}

const CLOSED_BY = { cet: 'cet', refund: 'refund', cooperative_close: 'cooperative' } as const;

/** Commits what is to spend the funding output, and answers the contract's change: its status changes when a node has taken that. */
export async function commitClosing(
  tx: Repositories,
  commitment: ContractTransactionCommit & { readonly kind: keyof typeof CLOSED_BY },
): Promise<ContractPatch> {
  const { txid } = await commitContractTransaction(tx, commitment);
  const closingKind = CLOSED_BY[commitment.kind];
  return { closingTxid: txid, closingKind, closingHeight: null, closingBlockHash: null, progress: null };
}

/** Seen on the chain already, or given up before and made once more: to be sent again. */
async function revived(
  tx: Repositories,
  known: TransactionRecord,
  raw: Uint8Array,
  now: number,
): Promise<TransactionRecord> {
  const { accountId, txid } = known;
  if (isAlive(known)) return known;
  const again = { status: 'signed', raw, reason: null, replacedBy: null, updatedAt: now } as const;
  await tx.transactions.update(accountId, txid, again);
  await tx.ledger.updateCoinsOf(txid, { live: true, height: null });
  const record: TransactionRecord = { ...known, ...again };
  await tx.events.append(transactionEvent(record));
  return record;
}

/** Moves the coins of our sides from the offer's name to the funding transaction; why that cannot be, where one went elsewhere. */
export async function claimForFunding(
  tx: Pick<Repositories, 'coins'>,
  { accountId, contractId, offerSide, acceptSide }: ContractRecord,
  fundingTxid: Txid,
): Promise<string | null> {
  const outpoints = [offerSide, acceptSide].flatMap((side) =>
    (side?.inputs ?? []).map(({ txid, vout }) => ({ txid, vout })),
  );
  const [lost] = await tx.coins.claim(accountId, outpoints, fundingTxid, [coinHoldOf(contractId)]);
  return lost === undefined ? null : `its input ${outpointKey(lost)} went elsewhere`;
}

async function effectsOf(
  tx: Repositories,
  { accountId }: ContractRecord,
  {
    spent,
    outputs,
  }: {
    spent: Parameters<Repositories['coins']['findMany']>[1];
    outputs: readonly { scriptPubKey: string; amountSats: bigint }[];
  },
  owners: Map<string, ScriptRecord[]>,
) {
  const effects = new Map<string, WalletEffect>();
  const add = (walletId: WalletId, receivedSats: bigint, sentSats: bigint) => {
    const known = effects.get(walletId) ?? { walletId, receivedSats: 0n, sentSats: 0n };
    effects.set(walletId, {
      walletId,
      receivedSats: known.receivedSats + receivedSats,
      sentSats: known.sentSats + sentSats,
    });
  };
  const coins = await tx.coins.findMany(accountId, spent);
  const counted = new Map(coins.map((coin) => [outpointKey(coin), coin.amountSats]));
  for (const coin of coins) add(coin.walletId, 0n, coin.amountSats);
  let receivedSats = 0n;
  for (const { scriptPubKey, amountSats } of outputs) {
    const scripts = owners.get(scriptPubKey) ?? [];
    for (const { walletId } of scripts) add(walletId, amountSats, 0n);
    if (scripts.length > 0) receivedSats += amountSats;
  }
  const sentSats = [...counted.values()].reduce((total, amount) => total + amount, 0n);
  return { effects: [...effects.values()], sentSats, receivedSats, ours: counted.size };
}

/** A CET may pay us nothing: it is our contract's all the same. */
function walletOf({ offerSide, acceptSide }: ContractRecord, effects: WalletEffect[]): WalletId {
  const sides = [offerSide, acceptSide].flatMap((side) => (side === null ? [] : [side.walletId]));
  const concerned = sides.find((walletId) => effects.some((effect) => effect.walletId === walletId));
  const walletId = concerned ?? effects[0]?.walletId ?? sides[0];
  if (walletId === undefined) throw new Error('the contract has no side here');
  if (effects.length === 0) effects.push({ walletId, receivedSats: 0n, sentSats: 0n });
  return walletId;
}

const sum = (amounts: readonly { amountSats: bigint }[]): bigint =>
  amounts.reduce((total, { amountSats }) => total + amountSats, 0n);
