import type { LabelRecord } from '../records.ts';

export interface LabelRepository {
  upsert(labels: readonly LabelRecord[]): Promise<void>;
  /** Those of these refs, of any type. */
  find(accountId: string, walletId: string, refs: readonly string[]): Promise<LabelRecord[]>;
  /** By type and ref, those that follow `after`. */
  page(
    accountId: string,
    walletId: string,
    after: Pick<LabelRecord, 'type' | 'ref'> | null,
    limit: number,
  ): Promise<LabelRecord[]>;
}
