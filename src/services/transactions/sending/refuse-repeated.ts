/** Refuses what the account already has: a transaction with the same bytes, or a payment with the same external_id. */

import { DomainError } from '../../../core/errors.ts';
import type { AccountId } from '../../../core/ids.ts';
import type { Txid } from '../../../core/outpoint.ts';
import type { TransactionRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';

/** Statuses after which a caller's external_id may name another payment. */
const GIVEN_UP: readonly TransactionRecord['status'][] = ['failed', 'abandoned', 'replaced'];

/**
 * Refuses a transaction with the inputs, outputs and locktime of an earlier one. Its coins are free, so the earlier one has ended, and its
 * record cannot start again. Only payments without change, at the same height, can come out the same.
 */
export function refuseAgain(before: TransactionRecord | null): void {
  if (!before) return;
  throw new DomainError(
    'state_conflict',
    `this would be the same transaction as ${before.txid}, byte for byte, which is ${before.status}: ` +
      'choose another fee rate or amount, or wait for the next block',
    { field: 'recipients' },
  );
}

/** Throws `already_exists` where a payment of the account, other than `except` and those given up, has the external_id. */
export async function assertFreeExternalId(
  tx: Pick<Repositories, 'transactions'>,
  accountId: AccountId,
  externalId: string,
  except?: Txid,
): Promise<void> {
  const named = await tx.transactions.list(accountId, { externalId }, { limit: 100, offset: 0 });
  const living = named.data.find((record) => record.txid !== except && !GIVEN_UP.includes(record.status));
  if (!living) return;
  throw new DomainError(
    'already_exists',
    `transaction ${living.txid} already has this external_id: choose another, or repeat its Idempotency-Key to get its response`,
    { field: 'external_id' },
  );
}
