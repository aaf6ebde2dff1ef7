/** The ends a payment of ours can come to other than a block, each with its coins, in the caller's write job. */
import type { AccountId } from '../../../core/ids.ts';
import type { Outpoint, Txid } from '../../../core/outpoint.ts';
import { committedAt } from '../../../core/policies/windows.ts';
import type { TransactionRecord, TransactionStatus } from '../../../store/records.ts';
import { addedUp, countsColumn } from '../../../store/repositories/counted-sums.ts';
import type { Repositories } from '../../../store/store.ts';
import { endUnapprovedTransaction } from '../../approvals/end-unapproved.ts';
import type { AffectedContracts } from '../../contracts/tracking/affected-contracts.ts';
import { settleContracts } from '../../contracts/tracking/settle-contracts.ts';
import { trackEnd } from '../../contracts/tracking/track-transaction.ts';
import { assignLiveSpender } from '../../ledger/live-spender.ts';
import { transactionEvent } from '../../ledger/transaction-event.ts';
import { isUnconfirmed, isUnsettled } from '../transaction-states.ts';

/**
 * Failed or abandoned: its coins are free again (or the replaced payment's and its descendants', where it was a replacement no node
 * took), its outputs are gone, and so is what was built on them.
 */
export async function retireTransaction(
  tx: Repositories,
  record: TransactionRecord,
  end: { status: 'failed' | 'abandoned'; reason: string },
  now: number,
): Promise<TransactionRecord> {
  const freed: Outpoint[] = [];
  const contracts: AffectedContracts = new Map();
  for (const member of [record, ...(await unconfirmedDescendants(tx, record))].reverse()) {
    const reason = member.txid === record.txid ? end.reason : `it spends ${record.txid}: ${end.reason}`;
    freed.push(...(await close(tx, member, { status: end.status, reason }, now, contracts)));
  }
  await assignLiveSpender(tx, freed, record.txid);
  await settleContracts(tx, contracts, now);
  return { ...record, status: end.status, reason: end.reason, updatedAt: now };
}

/** A node took `by`: the payment it replaces, and what was built on that, are replaced. What the chain follower did already stays. */
export async function markReplaced(
  tx: Repositories,
  accountId: AccountId,
  replaced: Txid,
  by: Txid,
  now: number,
): Promise<void> {
  const original = await tx.transactions.findForUpdate(accountId, replaced);
  if (!original || !isUnconfirmed(original.status)) return;
  // A replacement that no node had taken yet, itself replaced: what it replaced goes with it.
  if (original.replaces) await markReplaced(tx, accountId, original.replaces, by, now);
  const members = [original, ...(await unconfirmedDescendants(tx, original))].filter((member) => member.txid !== by);
  const contracts: AffectedContracts = new Map();
  for (const member of members.reverse()) {
    await close(tx, member, { status: 'replaced', reason: `replaced by ${by}`, replacedBy: by }, now, contracts);
  }
  await settleContracts(tx, contracts, now);
}

/** Own unconfirmed transactions, unsigned ones too, that spend outputs of `record`, of any degree, parents before children. */
export async function unconfirmedDescendants(
  tx: Pick<Repositories, 'transactions'>,
  record: Pick<TransactionRecord, 'accountId' | 'txid'>,
): Promise<TransactionRecord[]> {
  const found = new Map<Txid, TransactionRecord>();
  const queue: Txid[] = [record.txid];
  for (const txid of queue) {
    for (const child of await tx.transactions.children(record.accountId, txid)) {
      if (!isUnsettled(child.status) || child.txid === record.txid) continue;
      // Seen again from a deeper parent: it comes after that one.
      found.delete(child.txid);
      found.set(child.txid, child);
      queue.push(child.txid);
    }
  }
  return [...found.values()];
}

async function close(
  tx: Repositories,
  record: TransactionRecord,
  end: { status: TransactionStatus; reason: string; replacedBy?: Txid },
  now: number,
  contracts: AffectedContracts,
): Promise<Outpoint[]> {
  await trackEnd(tx, contracts, record.txid, { replacedBy: null, ...end });
  const freed = await tx.coins.release(record.accountId, record.txid);
  await tx.ledger.updateCoinsOf(record.txid, { live: false });
  const told = await endUnapprovedTransaction(tx, record, end, now);
  const handedOut = record.status === 'awaiting_signature';
  const kept =
    told.status === 'abandoned' && handedOut && record.counts !== null ? committedAt(record.counts, now) : null;
  const asked = kept && record.asked && { asked: { ...record.asked, kept: countsColumn.store(kept) } };
  await tx.transactions.update(record.accountId, record.txid, { ...told, ...asked, updatedAt: now });
  // Whoever has the PSBT can still complete it: what it pays counts from now on as what is committed, and in
  // the hour in which it is seen once it is.
  // After the update, whose trigger takes the sums in the order in which all jobs take them.
  if (kept !== null) await tx.spendSums.add(record.accountId, addedUp(kept));
  await tx.events.append(transactionEvent({ ...record, status: told.status }));
  return freed;
}
