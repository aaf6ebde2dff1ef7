/** Sends what closes a contract; where its fee has become too low, with a child of ours that pays for both. */
import type { Logger } from 'pino';
import { DomainError } from '../../../core/errors.ts';
import type { FeeRate } from '../../../core/fee-rate.ts';
import type { Txid } from '../../../core/outpoint.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Store } from '../../../store/store.ts';
import type { ChildPaysForParent } from '../../transactions/cpfp-transaction.ts';
import type { SpendingConditions } from '../../transactions/drafting/spending-conditions.ts';
import type { Sender } from '../../transactions/sending/sender.ts';
import { isBelowMinimum } from '../../transactions/sending/settle-verdict.ts';

/**
 * Once it is committed, and again where it is in no block yet: the broadcaster sends it, too, but lifts nothing. Answers the contract as
 * it stands then: executed or refunded where a node has taken it.
 */
export type SendClosing = (contract: ContractRecord) => Promise<ContractRecord>;

/** Above the mempool's minimum, which moves: the child is not to be too low as well a moment later. */
const LIFT_NUMERATOR = 5n;
const LIFT_DENOMINATOR = 4n;

export function createSendClosing(deps: {
  store: Store;
  sender: Pick<Sender, 'send'>;
  childPaysForParent: ChildPaysForParent;
  conditions: SpendingConditions;
  log: Pick<Logger, 'info'>;
}): SendClosing {
  const { sender, log } = deps;
  const { read } = deps.store;

  /** A child of ours that pays for both; the two go as a package. */
  async function lift({ accountId, contractId }: ContractRecord, txid: Txid): Promise<void> {
    const [helper] = await read.transactions.children(accountId, txid);
    // Made before, and not taken yet: it brings its parent along.
    if (helper?.status === 'signed') await sender.send(helper);
    if (helper) return;
    const { minimumFeeRate } = await deps.conditions.current();
    const feeRate = ((minimumFeeRate * LIFT_NUMERATOR) / LIFT_DENOMINATOR + 1n) as FeeRate;
    try {
      const child = await deps.childPaysForParent(accountId, txid, { feeRate }, null);
      log.info({ contractId, txid, child: child.txid }, 'a child pays for what closes a contract');
    } catch (error) {
      // It pays the other side alone, or too little to pay a fee with: the sender goes on trying.
      if (!(error instanceof DomainError)) throw error;
      log.info({ contractId, txid, reason: error.message }, 'what closes a contract waits for the fee to fall');
    }
  }

  return async (contract) => {
    const { accountId, contractId, closingTxid } = contract;
    if (closingTxid === null) return contract;
    const committed = await read.transactions.find(accountId, closingTxid);
    if (!committed?.raw) return contract;
    const sent = committed.status === 'signed' ? await sender.send(committed) : committed;
    if (sent.status !== 'failed' && sent.reason !== null && isBelowMinimum(sent.reason)) {
      await lift(contract, closingTxid);
    }
    return (await read.contracts.find(accountId, contractId)) ?? contract;
  };
}
