/** Many past payments, written past the service: one an hour, 1,000 satoshis each. */
import type { AccountId, WalletId } from '../../../src/core/ids.ts';
import type { Policy } from '../../../src/core/policies/policy.ts';
import { HOUR_MS } from '../../../src/core/policies/windows.ts';
import type { Store } from '../../../src/store/store.ts';
import { transactionRecord } from '../../builders/store-records.ts';
import { rule } from './rules-of.ts';

const FIRST_HOUR = 400_000;

/** Denies each but the first two: three in a window of two hours, which covers three whole ones. */
export const THIRD_DENIED: Policy = rule({ window: { hours: 2, per: 'account', amountOverSats: 2_500n } });

export async function writeHistory(
  store: Store,
  accountId: AccountId,
  walletId: WalletId,
  payments: number,
): Promise<void> {
  for (let at = 0; at < payments; )
    await store.write(async (tx) => {
      for (const end = Math.min(payments, at + 500); at < end; at++) {
        const hour = FIRST_HOUR + at;
        const sum = { hour, amountSats: 1_000n, count: 1 };
        const record = transactionRecord(`${accountId} ${at}`, {
          ...{ accountId, walletId, status: 'confirmed', createdAt: hour * HOUR_MS },
          counts: [
            { scope: 'account', subject: '', ...sum },
            { scope: 'destination', subject: 'bcrt1payee', ...sum },
          ],
          asked: { operation: 'payment', user: null, credential: 'key_a', role: 'admin', fee: '100' },
        });
        await tx.transactions.insert(record, [], []);
      }
    });
}
