/**
 * The states of a contract as a table: what may be asked for in which of them, and why not; and which state may follow which. The chain
 * has the last word: a block that leaves it, or a dead transaction that confirms after all, leads back.
 */
import { DomainError } from '../../core/errors.ts';
import type { ContractRecord, ContractStatus } from '../../store/repositories/contract-rows.ts';

export type ContractAction = 'accept' | 'sign' | 'execute' | 'refund' | 'cancel' | 'cpfp' | 'close';

/** A status, or `closing`: the transaction that spends its funding output is committed, and no node has accepted it yet. */
export type ContractStage = ContractStatus | 'closing';

const ALLOWED: Readonly<Record<ContractAction, readonly ContractStage[]>> = {
  accept: ['offered'],
  sign: ['accepted'],
  execute: ['confirmed'],
  refund: ['confirmed'],
  cancel: ['offered', 'accepted', 'signed', 'funded'],
  cpfp: ['signed', 'funded', 'closing', 'executed', 'refunded'],
  close: ['confirmed'],
};

const IN_WORDS: Readonly<Record<ContractAction, string>> = {
  accept: 'accepted',
  sign: 'signed',
  execute: 'executed',
  refund: 'refunded',
  cancel: 'cancelled',
  cpfp: 'bumped by a child (CPFP)',
  close: 'closed cooperatively',
};

const STAGE_TEXT: Readonly<Record<ContractStage, string>> = {
  awaiting_approval: 'a rule wants it approved first',
  offered: 'it is offered, and not accepted yet',
  accepted: 'it is accepted, and not signed by both sides yet',
  signed: 'its funding transaction is signed, and no node has accepted it yet',
  funded: 'its funding transaction waits for a block',
  confirmed: 'its funding transaction is in a block',
  closing: 'its closing transaction is signed, and no node has accepted it yet',
  executed: 'it is settled by an outcome',
  refunded: 'both sides have their collateral back',
  closed: 'a transaction that spends its funding output is in a block',
  cancelled: 'it was cancelled',
  failed: 'it was not approved, or its funding transaction can no longer confirm',
};

/** Where the table's own words would leave a caller without a way on. */
const HINTS: Partial<Record<ContractAction, Partial<Record<ContractStage, string>>>> = {
  execute: {
    signed: 'an outcome can settle it once its funding transaction is in a block',
    funded: 'an outcome can settle it once its funding transaction is in a block',
  },
  refund: { funded: 'cancel it instead', signed: 'cancel it instead' },
  cancel: {
    awaiting_approval: 'reject its approval instead',
    confirmed: 'it ends by its outcome, by a cooperative close, or by its refund',
  },
  cpfp: { confirmed: 'there is nothing unconfirmed to pay for', closed: 'there is nothing unconfirmed to pay for' },
};

const FOLLOWS: Readonly<Record<ContractStatus, readonly ContractStatus[]>> = {
  awaiting_approval: ['offered', 'cancelled', 'failed'],
  offered: ['awaiting_approval', 'accepted', 'cancelled', 'failed'],
  accepted: ['signed', 'funded', 'confirmed', 'cancelled', 'failed'],
  signed: ['funded', 'confirmed', 'cancelled', 'failed'],
  funded: ['signed', 'confirmed', 'cancelled', 'failed'],
  confirmed: ['funded', 'signed', 'executed', 'refunded', 'closed', 'failed', 'cancelled'],
  executed: ['closed', 'confirmed', 'funded', 'refunded', 'failed', 'cancelled'],
  refunded: ['closed', 'confirmed', 'funded', 'executed', 'failed', 'cancelled'],
  closed: ['executed', 'refunded', 'confirmed', 'funded', 'failed', 'cancelled'],
  cancelled: ['signed', 'funded', 'confirmed'],
  failed: ['signed', 'funded', 'confirmed', 'closed'],
};

/** Something of it is still to be done, by us or by the chain. */
export const OPEN_STATUSES: readonly ContractStatus[] = [
  'awaiting_approval',
  'offered',
  'accepted',
  'signed',
  'funded',
  'confirmed',
  'executed',
  'refunded',
];

/** Its funding transaction is not sent yet. */
export const UNFUNDED_STATUSES: readonly ContractStatus[] = ['awaiting_approval', 'offered', 'accepted', 'signed'];

const FUNDED: readonly ContractStatus[] = ['funded', 'confirmed'];

export const stageOf = ({ status, closingTxid }: Pick<ContractRecord, 'status' | 'closingTxid'>): ContractStage =>
  closingTxid !== null && FUNDED.includes(status) ? 'closing' : status;

export const allows = (action: ContractAction, contract: Pick<ContractRecord, 'status' | 'closingTxid'>): boolean =>
  ALLOWED[action].includes(stageOf(contract));

export const mayFollow = (from: ContractStatus, to: ContractStatus): boolean => FOLLOWS[from].includes(to);

type Standing = Pick<ContractRecord, 'contractId' | 'status' | 'closingTxid' | 'reason' | 'outcome'>;

/** Throws `state_conflict` naming the state where the action is not open to it. */
export function assertContractAllows(action: ContractAction, contract: Standing): void {
  if (allows(action, contract)) return;
  throw stateConflict(action, contract);
}

/** The refusal, for those who find the state by other means. */
export function stateConflict(action: ContractAction, contract: Standing): DomainError {
  const { contractId, status, reason, outcome } = contract;
  const stage = stageOf(contract);
  const because = reason !== null && (status === 'cancelled' || status === 'failed') ? `: ${reason}` : '';
  const settled = outcome === null || stage === 'confirmed' ? '' : ` (${outcome})`;
  const hint = HINTS[action]?.[stage];
  return new DomainError(
    'state_conflict',
    `contract ${contractId} is ${status} and cannot be ${IN_WORDS[action]}: ${STAGE_TEXT[stage]}${settled}${because}` +
      (hint === undefined ? '' : `; ${hint}`),
    { field: 'contract_id' },
  );
}
