import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { LedgerRepository, Repositories } from '../../store/store.ts';
import type { Changes } from './changes.ts';
import { type Invalidation, invalidateTransaction } from './invalidate-transaction.ts';
import { isAlive, isOwnPayment } from './transaction-status.ts';

/** Parents before children, so that what a child spends is known when its turn comes. */
export function parentsFirst(transactions: readonly ParsedTransaction[]): ParsedTransaction[] {
  const byTxid = new Map(transactions.map((transaction) => [transaction.txid, transaction]));
  const ordered = new Set<ParsedTransaction>();
  // A stack of its own: chains of unconfirmed transactions can be long.
  for (const first of byTxid.values()) {
    const stack = [first];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const parent = top.inputs
        .map((input) => byTxid.get(input.prev.txid))
        .find((one) => one !== undefined && !ordered.has(one));
      if (parent) stack.push(parent);
      else ordered.add(stack.pop()!);
    }
  }
  return [...ordered];
}

/**
 * Unconfirmed transactions that should be in a mempool and are not. Another account's record of a payment made here is that payment. A
 * funding transaction that waits for its counterparty is in none yet, and nobody here could send it.
 */
export async function missingFrom(
  ledger: Pick<LedgerRepository, 'unconfirmed'>,
  isPresent: (txid: Txid) => boolean,
): Promise<{ own: { accountId: AccountId; txid: Txid }[]; foreign: Txid[] }> {
  const missing = (await ledger.unconfirmed()).filter((record) => !isPresent(record.txid));
  const own = missing.filter((record) => record.raw !== null).map(({ accountId, txid }) => ({ accountId, txid }));
  const ownTxids = new Set(own.map((one) => one.txid));
  const foreign = new Set(missing.filter((one) => one.status === 'broadcast').map((one) => one.txid));
  return { own, foreign: [...foreign].filter((txid) => !ownTxids.has(txid)) };
}

/** The end of a transaction that is in no mempool and that nobody here can send again. */
export async function invalidateMissing(tx: Repositories, txid: Txid, now: number, changes: Changes): Promise<void> {
  const records = await tx.ledger.transactionsOf(txid);
  if (records.some((record) => isAlive(record) && (isOwnPayment(record) || record.status !== 'broadcast'))) return;
  const [first] = records;
  if (!first) return;
  const inputs = await tx.transactions.inputs(first.accountId, txid);
  const conflicts = await tx.ledger.spendersOf(
    inputs.map((input) => input.prev),
    txid,
  );
  const winner = conflicts.find((conflict) => conflict.status === 'broadcast' || conflict.status === 'confirmed');
  // Where the payer is an account here, the payer's record knows how it ended.
  const payers = records.find((record) => isOwnPayment(record) && record.replacedBy !== null);
  const replacedBy = winner?.txid ?? payers?.replacedBy ?? null;
  const end: Invalidation = replacedBy
    ? { status: 'replaced', reason: `replaced by ${replacedBy}`, replacedBy }
    : { status: 'abandoned', reason: 'it left the mempool; it comes back here if it is seen again', replacedBy: null };
  await invalidateTransaction(tx, txid, end, now, changes);
}
