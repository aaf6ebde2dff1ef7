import type { TransactionRecord, TransactionStatus } from '../../store/records.ts';

const DEAD: readonly TransactionStatus[] = ['replaced', 'conflicted', 'abandoned', 'failed'];

/** Whether a transaction is, or may still get, into the chain as far as is known. */
export const isAlive = (record: Pick<TransactionRecord, 'status'>): boolean => !DEAD.includes(record.status);

/** A contract's funding that only the counterparty can complete is made here too, with neither bytes nor a PSBT. */
const isFunding = (record: Pick<TransactionRecord, 'kind'>): boolean => record.kind === 'funding';

const isForOthers = (record: Pick<TransactionRecord, 'psbt' | 'kind' | 'approvalId'>): boolean =>
  record.psbt !== null || record.approvalId !== null || isFunding(record);

type Made = Pick<TransactionRecord, 'raw' | 'psbt' | 'kind' | 'approvalId'>;

/** Made here: its bytes are kept and sent again. What the ledger found on the chain is known by its facts alone. */
export const isOwnPayment = (record: Made): boolean => record.raw !== null || isForOthers(record);

/** Made here for others to sign or to approve, and its signed bytes never seen. */
export const lacksSignatures = (record: Made): boolean => record.raw === null && isForOthers(record);

/**
 * Whether the record's status gives way to a dead one. What is alive always does. Of dead ones, "left the mempool" gives way to
 * "replaced", and both to "conflicted", which a block has decided; what we gave up ourselves stays as it is.
 */
export function canBecome(
  record: Made & Pick<TransactionRecord, 'status'>,
  status: 'replaced' | 'conflicted' | 'abandoned',
): boolean {
  if (isAlive(record)) return true;
  if (record.status === 'failed' || (record.status === 'abandoned' && isOwnPayment(record))) return false;
  const rank = { abandoned: 0, replaced: 1, conflicted: 2 } as const;
  return rank[status] > rank[record.status as 'replaced' | 'conflicted' | 'abandoned'];
}
