/** Executed or refunded, and not in a block: sent where that was interrupted, and lifted by a child where its fee has become too low. */
import type { Logger } from 'pino';
import { DomainError } from '../../../core/errors.ts';
import type { FeeRate } from '../../../core/fee-rate.ts';
import type { Txid } from '../../../core/outpoint.ts';
import type { ContractRecord } from '../../../store/interfaces/contracts.ts';
import type { Store } from '../../../store/store.ts';
import type { HelpByChild } from '../../transactions/cpfp-transaction.ts';
import type { SpendingConditions } from '../../transactions/drafting/spending-conditions.ts';
import { isBelowMinimum } from '../../transactions/sending/settle-verdict.ts';
import type { ContractStep } from '../driver/contract-step.ts';
import type { SendClosing } from './closing-sender.ts';

/** Above the mempool's minimum, which moves: the child is not to be too low as well a moment later. */
const LIFT_NUMERATOR = 5n;
const LIFT_DENOMINATOR = 4n;

export function createSendClosingStep(deps: {
  store: Store;
  sendClosing: SendClosing;
  helpByChild: HelpByChild;
  conditions: SpendingConditions;
  log: Pick<Logger, 'info'>;
}): ContractStep {
  const { store, log } = deps;

  /** A child of ours that pays for both; the two go as a package. */
  async function lift({ accountId, contractId }: ContractRecord, txid: Txid): Promise<void> {
    const children = await store.read.transactions.children(accountId, txid);
    if (children.length > 0) return;
    const { minimumFeeRate } = await deps.conditions.current();
    const feeRate = ((minimumFeeRate * LIFT_NUMERATOR) / LIFT_DENOMINATOR + 1n) as FeeRate;
    try {
      const child = await deps.helpByChild(accountId, txid, { feeRate }, null);
      log.info({ contractId, txid, child: child.txid }, 'a child pays for what closes a contract');
    } catch (error) {
      // It pays the other side alone, or too little to pay a fee with: the sender goes on trying.
      if (!(error instanceof DomainError)) throw error;
      log.info({ contractId, txid, reason: error.message }, 'what closes a contract waits for the fee to fall');
    }
  }

  return {
    name: 'send closing',
    wants: ({ status, closingTxid, closingHeight }) =>
      (status === 'executed' || status === 'refunded') && closingTxid !== null && closingHeight === null,
    async run(contract) {
      const txid = contract.closingTxid!;
      await deps.sendClosing(contract);
      const sent = await store.read.transactions.find(contract.accountId, txid);
      if (sent?.raw && sent.reason !== null && isBelowMinimum(sent.reason) && sent.status !== 'failed') {
        await lift(contract, txid);
      }
      return null;
    },
  };
}
