import type { BlockHash, Txid } from '../../core/outpoint.ts';
import type { TransactionRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { settleContracts } from '../contracts/tracking/settle-contracts.ts';
import { trackUnconfirmed } from '../contracts/tracking/track-transaction.ts';
import { blockEvent } from './apply-blocks.ts';
import type { Changes } from './changes.ts';
import { invalidateTransaction } from './invalidate-transaction.ts';
import { transactionEvent } from './transaction-event.ts';

/**
 * Takes the tip back: its transactions are unconfirmed again, children before parents, then the block's own event is taken back. A
 * coinbase has no place outside its block and ends with it. Throws where the block is not the tip.
 */
export async function disconnectBlock(
  tx: Repositories,
  height: number,
  hash: BlockHash,
  now: number,
  changes: Changes,
): Promise<void> {
  const tip = await tx.ledger.holdTip();
  if (tip?.hash !== hash || tip.height !== height) throw new Error(`block ${hash} at height ${height} is not the tip`);
  const records = await tx.ledger.transactionsInBlock(height, hash);
  for (const txid of latestFirst(records)) {
    const coins = await tx.ledger.coinsOf(txid);
    if (coins.some((coin) => coin.coinbase)) {
      const end = { status: 'conflicted', reason: `its block ${hash} left the chain`, replacedBy: null } as const;
      await invalidateTransaction(tx, txid, end, now, changes);
    } else {
      await unconfirm(
        tx,
        records.filter((record) => record.txid === txid),
        now,
      );
      await trackUnconfirmed(tx, changes.contracts, txid);
    }
  }
  await settleContracts(tx, changes.contracts, now);
  await tx.ledger.deleteBlock(height);
  const retracts = await tx.events.latestFor('blocks', hash, null);
  // Blocks that were there when following began were never announced.
  if (retracts !== null) await tx.events.append({ ...blockEvent(tip), retractsEventId: retracts });
}

async function unconfirm(tx: Repositories, records: readonly TransactionRecord[], now: number): Promise<void> {
  for (const { accountId, txid } of records) {
    const retracts = await tx.events.latestFor('transactions', txid, accountId);
    await tx.transactions.update(accountId, txid, {
      status: 'broadcast',
      blockHeight: null,
      blockHash: null,
      updatedAt: now,
    });
    await tx.events.append(transactionEvent({ accountId, txid, status: 'broadcast', blockHeight: null }, retracts));
    await tx.ledger.updateCoinsOf(txid, { height: null });
    const inputs = await tx.transactions.inputs(accountId, txid);
    await tx.ledger.spendCoins(
      inputs.map((input) => input.prev),
      txid,
      null,
    );
  }
}

/** Records are made in block order, so the reverse of their positions has children before parents within each account. */
function latestFirst(records: readonly TransactionRecord[]): Set<Txid> {
  return new Set([...records].sort((a, b) => b.ordinal - a.ordinal).map((record) => record.txid));
}
