import type { ListedTransaction } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';

/** The record with its confirmations as of `tipHeight`. */
export const viewOf = <R extends ListedTransaction>(record: R, tipHeight: number): R & { confirmations: number } => ({
  ...record,
  confirmations: record.blockHeight === null ? 0 : Math.max(1, tipHeight - record.blockHeight + 1),
});

/** Height of the followed chain's tip. */
export type TipHeight = () => number | Promise<number>;

/** What this process knows of the tip; the database where it knows nothing yet. */
export function createTipHeight(read: Pick<Repositories, 'ledger'>, known: () => number | null): TipHeight {
  return () => known() ?? read.ledger.tip().then((tip) => tip?.height ?? 0);
}

/** The same as of the followed chain's tip, which is asked for only where a block holds the record. */
export async function viewNow<R extends ListedTransaction>(
  tipHeight: TipHeight,
  record: R,
): Promise<R & { confirmations: number }> {
  return viewOf(record, record.blockHeight === null ? 0 : await tipHeight());
}
