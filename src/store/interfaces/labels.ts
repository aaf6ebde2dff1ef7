import type { LabelRecord } from '../records.ts';

export interface LabelRepository {
  upsert(labels: readonly LabelRecord[]): Promise<void>;
  list(accountId: string, walletId: string): Promise<LabelRecord[]>;
}
