/** Puts a head of the log into a transaction of the account's wallet. */
import { anchorData } from '../../core/audit-log/anchor.ts';
import { DomainError } from '../../core/errors.ts';
import type { FeeRate } from '../../core/fee-rate.ts';
import { newId, type WalletId } from '../../core/ids.ts';
import type { AuditHead } from '../../store/repositories/audit.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { TransactionService, TransactionView } from '../transactions/transaction-service.ts';
import { type AuditLogName, logIdOf } from './audit-log.ts';
import type { TreeHeads } from './tree-heads.ts';

interface AnchorRequest {
  readonly log: AuditLogName;
  readonly feeRate: FeeRate;
  /** Absent: the account's default wallet, or its only one. */
  readonly walletId: WalletId | undefined;
}

export interface AnchoredHeadView {
  readonly anchorId: string;
  readonly head: AuditHead;
  readonly transaction: TransactionView;
}

/**
 * The anchor is recorded in the job that commits the transaction. Throws what a payment throws, `forbidden` for the service's log, and
 * `state_conflict` where nothing is sealed yet.
 */
export type AnchorHead = (request: AnchorRequest, context: RequestContext) => Promise<AnchoredHeadView>;

export function createAnchorHead(deps: {
  heads: Pick<TreeHeads, 'fresh'>;
  transactions: Pick<TransactionService, 'create'>;
  randomBytes: (size: number) => Uint8Array;
  clock: () => number;
}): AnchorHead {
  const { heads, transactions, randomBytes, clock } = deps;
  return async ({ log, feeRate, walletId }, context) => {
    const head = await heads.fresh(logIdOf(log, context));
    if (head.size === 0)
      throw new DomainError('state_conflict', 'the log has no sealed record yet: there is no head to anchor');
    const anchorId = newId('anc', randomBytes);
    const viewed = (transaction: TransactionView): AnchoredHeadView => ({ anchorId, head, transaction });
    const { logId, size, root } = head;
    const { accountId } = context;
    const payment = { recipients: [], feeRate, rbf: true, walletId, label: 'audit anchor', data: anchorData(head) };
    const transaction = await transactions.create(
      payment,
      {
        dryRun: false,
        alongside: (tx, { txid }) =>
          tx.audit.insertAnchor({ anchorId, logId, size, root, accountId, txid, time: clock() }),
        answer: viewed,
      },
      context,
    );
    return viewed(transaction);
  };
}
