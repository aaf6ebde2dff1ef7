import type { OutageLog } from '../../outages/outage.ts';
import type { TransactionRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { settle } from './settle.ts';

/** In the job that signs a proposal's payment after it waited. */
export async function executed(
  tx: Repositories,
  { accountId, unsignedTxid, txid }: Pick<TransactionRecord, 'accountId' | 'unsignedTxid' | 'txid'>,
  now: number,
): Promise<void> {
  const execution = await tx.executions.signed(accountId, unsignedTxid, now);
  if (execution === null) throw new Error(`${txid} is the payment of no proposal`);
  await settle(tx, execution);
}

/** After that job, or the one that made and signed it at once. */
export const logPaid = (
  log: OutageLog,
  {
    accountId: account,
    proposalId: proposal,
    txid,
    status,
  }: Pick<TransactionRecord, 'accountId' | 'txid' | 'status'> & { readonly proposalId: string | undefined },
): void =>
  log.info({ part: 'governance', account, proposal, txid, status }, 'the treasury pays what a proposal decided');
