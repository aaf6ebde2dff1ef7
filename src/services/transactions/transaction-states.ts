/**
 * What may be done to a transaction, by its status. The chain may move any status to any other (a dead transaction can confirm after
 * all); this table is about what callers ask for.
 */
import { DomainError } from '../../core/errors.ts';
import {
  CONTRACT_KINDS,
  type ContractKind,
  type TransactionRecord,
  type TransactionStatus,
} from '../../store/records.ts';

export type TransactionAction = 'bump' | 'cpfp' | 'cancel' | 'abandon' | 'resend' | 'sign';

const UNCONFIRMED: readonly TransactionStatus[] = ['signed', 'broadcast'];
const AWAITING: readonly TransactionStatus[] = ['awaiting_approval', 'awaiting_signature'];

const ALLOWED: Record<TransactionAction, readonly TransactionStatus[]> = {
  bump: UNCONFIRMED,
  cpfp: UNCONFIRMED,
  cancel: [...UNCONFIRMED, 'awaiting_signature'],
  abandon: [...UNCONFIRMED, 'awaiting_signature'],
  resend: UNCONFIRMED,
  sign: ['awaiting_signature'],
};

const WHY: Record<TransactionStatus, string> = {
  awaiting_approval:
    'it waits for approval: to give it up, reject that (POST /api/v1/enterprise/approvals/{approval_id}/reject)',
  awaiting_signature:
    'it waits for signatures: add them (POST …/signatures), or cancel it (POST …/cancel) and create a new one',
  signed: 'it is signed, and no node has accepted it yet',
  broadcast: 'it is signed, and it is in the mempool',
  confirmed: 'it is in a block and can no longer change',
  replaced: 'another transaction has replaced it',
  conflicted: 'a block holds a transaction that spends the same coins',
  abandoned: 'it was abandoned and its coins are free',
  failed: 'the node refused it and its coins are free',
};

/** Both sides have signed what follows from them, or from the outpoint they spend. */
const NOT_OF_CONTRACTS: readonly TransactionAction[] = ['bump', 'cancel', 'abandon'];

const CONTRACT_KINDS_TEXT: Record<ContractKind, string> = {
  funding: 'funds a contract',
  cet: 'settles a contract',
  refund: 'refunds a contract',
  cooperative_close: 'closes a contract',
};

/** What it is to a contract, or null. */
export const contractKindOf = ({ kind }: Pick<TransactionRecord, 'kind'>): ContractKind | null =>
  CONTRACT_KINDS.find((one) => one === kind) ?? null;

export const isUnconfirmed = (status: TransactionStatus): boolean => UNCONFIRMED.includes(status);

/** On its way into the chain, or may still be signed for it: it holds coins. */
export const isUnsettled = (status: TransactionStatus): boolean => isUnconfirmed(status) || AWAITING.includes(status);

type Shown = Pick<TransactionRecord, 'txid' | 'status' | 'replacedBy' | 'kind'>;

/** Throws `state_conflict` naming the state where the action is not open to it, or to what is a contract's. */
export function assertAllows(action: TransactionAction, transaction: Shown): void {
  const refusal = refusalOf(action, transaction);
  if (refusal !== null) throw refusal;
}

/** The same, answered; null where it is open to it. */
export function refusalOf(action: TransactionAction, transaction: Shown): DomainError | null {
  const ofContract = contractKindOf(transaction);
  if (ofContract !== null && NOT_OF_CONTRACTS.includes(action)) {
    return new DomainError(
      'state_conflict',
      `transaction ${transaction.txid} ${CONTRACT_KINDS_TEXT[ofContract]}, and both sides have signed what it is: it cannot be ` +
        `replaced or given up, but a child can pay for it (POST /api/v1/transactions/${transaction.txid}/cpfp)`,
      { field: 'txid' },
    );
  }
  if (ALLOWED[action].includes(transaction.status)) return null;
  const successor = transaction.replacedBy ? ` (see ${transaction.replacedBy})` : '';
  return new DomainError(
    'state_conflict',
    `transaction ${transaction.txid} is ${transaction.status}: ${WHY[transaction.status]}${successor}`,
    { field: 'txid' },
  );
}
