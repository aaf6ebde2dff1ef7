import type { TransactionDirection, TransactionStatus } from '../records.ts';

export interface TransactionFilter {
  walletId?: string;
  status?: TransactionStatus;
  direction?: TransactionDirection;
  externalId?: string;
  label?: string;
}
