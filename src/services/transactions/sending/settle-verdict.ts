/** What a node's verdict on a payment of ours comes to, in one write job. */
import type { BroadcastVerdict } from '../../../chain/chain-source.ts';
import type { TransactionRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import type { AffectedContracts } from '../../contracts/tracking/affected-contracts.ts';
import { settleContracts } from '../../contracts/tracking/settle-contracts.ts';
import { trackTaken } from '../../contracts/tracking/track-transaction.ts';
import { transactionEvent } from '../../ledger/transaction-event.ts';
import { isUnconfirmed } from '../transaction-states.ts';
import { markReplaced, retireTransaction } from './retire-transaction.ts';

/**
 * Inputs unknown or spent. It may be that a parent of ours was evicted, that a conflicting spend won (the follower sees it in the
 * mempool or a block and decides), or that the transaction itself confirmed and was spent on: nothing to be freed on our word.
 */
export const isMissingInputs = (reason: string): boolean => /missing-?or-?spent|missing-?inputs/i.test(reason);

/** Below the mempool's minimum or the relay floor: a child may lift it in a package. */
export const isBelowMinimum = (reason: string): boolean => /min(imum)?( relay)? fee not met|mempool full/i.test(reason);

/** The replaced one stands in the way and stays (BIP125 rules, or Core's feerate diagram). */
const isReplacementRefusal = (reason: string): boolean =>
  /insufficient fee|replacement|spends-conflicting|mempool-conflict/i.test(reason);

/**
 * Moves the record as the verdict says and answers it as it stands: `broadcast` where a node has it, `failed` (coins freed) where it
 * never will, unchanged but for the reason where it is to be sent again. `sent` is the record as it was sent.
 */
export async function settleVerdict(
  tx: Repositories,
  sent: TransactionRecord,
  verdict: BroadcastVerdict,
  now: number,
): Promise<TransactionRecord | null> {
  const { accountId, txid } = sent;
  // The usual case, in one statement: it is as it was.
  const usual = verdict.result !== 'refused' && sent.status === 'signed' && sent.replaces === null;
  const taken = usual ? await tx.transactions.markTaken(accountId, txid, now) : null;
  if (taken) return tellTaken(tx, taken, now);
  const record = await tx.transactions.findForUpdate(accountId, txid);
  // The follower may have been faster: what it found on the chain stands.
  if (!record || !isUnconfirmed(record.status)) return record;
  if (verdict.result !== 'refused') return settleTaken(tx, record, now);

  const replacing = record.replaces === null ? null : await tx.transactions.find(accountId, record.replaces);
  const originalStands = replacing !== null && isUnconfirmed(replacing.status) && isReplacementRefusal(verdict.reason);
  if (originalStands || (verdict.final && !isMissingInputs(verdict.reason))) {
    return retireTransaction(tx, record, { status: 'failed', reason: `the node refused it: ${verdict.reason}` }, now);
  }
  const reason = `not taken yet: ${verdict.reason}`;
  if (record.reason !== reason) await tx.transactions.update(accountId, txid, { reason, updatedAt: now });
  return { ...record, reason };
}

async function settleTaken(tx: Repositories, record: TransactionRecord, now: number): Promise<TransactionRecord> {
  const { accountId, txid } = record;
  if (record.replaces) await markReplaced(tx, accountId, record.replaces, txid, now);
  if (record.status === 'broadcast' && record.reason === null) return record;
  const taken: TransactionRecord = { ...record, status: 'broadcast', reason: null, updatedAt: now };
  await tx.transactions.update(accountId, txid, { status: 'broadcast', reason: null, updatedAt: now });
  return record.status === 'broadcast' ? taken : tellTaken(tx, taken, now);
}

async function tellTaken(tx: Repositories, taken: TransactionRecord, now: number): Promise<TransactionRecord> {
  await tx.events.append(transactionEvent(taken));
  const contracts: AffectedContracts = new Map();
  await trackTaken(tx, contracts, taken);
  await settleContracts(tx, contracts, now);
  return taken;
}
