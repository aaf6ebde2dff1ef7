import type { Txid } from '../../core/outpoint.ts';
import type { TransactionRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { endUnapprovedTransaction } from '../approvals/end-unapproved.ts';
import { trackEnd } from '../contracts/tracking/track-transaction.ts';
import type { Changes } from './changes.ts';
import { assignLiveSpender } from './live-spender.ts';
import { transactionEvent } from './transaction-event.ts';
import { canBecome } from './transaction-status.ts';

export interface Invalidation {
  readonly status: 'replaced' | 'conflicted' | 'abandoned';
  readonly reason: string;
  readonly replacedBy: Txid | null;
}

/**
 * A transaction that can no longer get into the chain, as far as is known: in every account its record says so, its outputs are
 * gone, what it spent is free (or with what it was to replace, where that lives on), and what was built on it goes with it (children
 * first).
 */
export async function invalidateTransaction(
  tx: Repositories,
  txid: Txid,
  end: Invalidation,
  now: number,
  changes: Changes,
): Promise<void> {
  const records = (await tx.ledger.transactionsOf(txid)).filter((record) => canBecome(record, end.status));
  if (records.length === 0) return;
  const children = new Set((await tx.ledger.childrenOf(txid)).map((child) => child.txid));
  for (const child of children) {
    await invalidateTransaction(tx, child, { ...end, reason: `it spends ${txid}: ${end.reason}` }, now, changes);
  }
  await trackEnd(tx, changes.contracts, txid, end);
  await tx.ledger.updateCoinsOf(txid, { live: false, height: null });
  await assignLiveSpender(tx, await tx.ledger.unspendCoins(txid), txid);
  for (const record of records) await closeRecord(tx, record, end, now);
  changes.dead.add(txid);
}

async function closeRecord(tx: Repositories, record: TransactionRecord, end: Invalidation, now: number): Promise<void> {
  const { accountId, txid } = record;
  const retracts = record.blockHash === null ? null : await tx.events.latestFor('transactions', txid, accountId);
  const told = await endUnapprovedTransaction(tx, record, end, now);
  await tx.transactions.update(accountId, txid, { ...told, blockHeight: null, blockHash: null, updatedAt: now });
  await tx.events.append(transactionEvent({ accountId, txid, status: told.status, blockHeight: null }, retracts));
}
