import type { ChainSource } from '../../chain/chain-source.ts';
import { DomainError, isWithoutAnswer } from '../../core/errors.ts';
import type { TransactionRecord } from '../../store/records.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import { requireTransaction } from './get-transaction.ts';
import { pendingReplacement } from './sending/pending-replacement.ts';
import { retireTransaction } from './sending/retire-transaction.ts';
import type { Sender } from './sending/sender.ts';
import type { TransactionService } from './transaction-service.ts';
import { assertAllows, isUnconfirmed } from './transaction-states.ts';
import { viewOf } from './transaction-view.ts';

export function createAbandonTransaction(deps: {
  store: Store;
  chain: Pick<ChainSource, 'mempoolEntry' | 'transaction' | 'info'>;
  sender: Pick<Sender, 'locked'>;
  clock: () => number;
}): TransactionService['abandon'] {
  const { store, chain, sender, clock } = deps;

  /** In a mempool or a block, as far as the source knows. */
  async function whereabouts(record: TransactionRecord): Promise<'mempool' | 'block' | null> {
    if (await chain.mempoolEntry(record.txid)) return 'mempool';
    try {
      const found = await chain.transaction(record.txid);
      if (!found) return null;
      return found.blockHash === null ? 'mempool' : 'block';
    } catch (error) {
      // Without an index the source knows its mempool only; the follower will have seen it in a block, once it is at the tip.
      if (!isWithoutAnswer(error)) throw error;
      await assertAtTip(record);
      return null;
    }
  }

  async function assertAtTip({ txid }: TransactionRecord): Promise<void> {
    const { bestBlockHash } = await chain.info();
    if ((await store.read.ledger.tip())?.hash === bestBlockHash) return;
    throw new DomainError(
      'state_conflict',
      `blocks that may hold transaction ${txid} are not followed yet: try again`,
      {
        field: 'txid',
        retryAfterSeconds: 1,
      },
    );
  }

  /** Its recipients would be paid all the same. */
  async function assertNotReplaced(tx: Repositories, record: TransactionRecord): Promise<void> {
    // One that waits for signatures may itself be the replacement, and then its coins are still the original's.
    if (!isUnconfirmed(record.status)) return;
    const by = await pendingReplacement(tx, record);
    const replacement = by && (await tx.transactions.find(record.accountId, by));
    if (!replacement || !isUnconfirmed(replacement.status)) return;
    throw new DomainError(
      'state_conflict',
      `transaction ${record.txid} is being replaced by ${by} already: abandon that one first`,
      { field: 'txid' },
    );
  }

  return async (txid, context) => {
    const record = await requireTransaction(store.read, context.accountId, txid);
    assertAllows('abandon', record);
    if (record.kind === 'deposit' || record.direction === 'incoming') {
      throw new DomainError(
        'state_conflict',
        `transaction ${record.txid} is a deposit: only its sender can give it up`,
        {
          field: 'txid',
        },
      );
    }
    return sender.locked(record.txid, async () => {
      const place = await whereabouts(record);
      if (place) {
        throw new DomainError(
          'state_conflict',
          place === 'mempool'
            ? `transaction ${record.txid} is in the mempool: cancel it (POST /api/v1/transactions/${record.txid}/cancel) instead`
            : `transaction ${record.txid} is in a block and can no longer change`,
          { field: 'txid' },
        );
      }
      return store.write(async (tx) => {
        const now = (await tx.transactions.findForUpdate(context.accountId, record.txid)) ?? record;
        assertAllows('abandon', now);
        await assertNotReplaced(tx, now);
        const reason = 'abandoned on request';
        const view = viewOf(await retireTransaction(tx, now, { status: 'abandoned', reason }, clock()), 0);
        await recordRequest(tx, context, { result: view, target: view.txid });
        return view;
      });
    });
  };
}
