/** Confirmed to refunded: the refund that both sides signed when the contract was made, after its locktime. */

import { settleRefund } from '../../../core/dlc/contract/sign-refund.ts';
import type { SignedContractTransaction } from '../../../core/dlc/transactions/contract-transaction.ts';
import { otherSide } from '../../../core/dlc/transactions/funding-coins.ts';
import { DomainError } from '../../../core/errors.ts';
import type { AccountId, ContractId } from '../../../core/ids.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import { OF_SERVICE } from '../../policies/gate.ts';
import { updateAnswer } from '../../requests/idempotency.ts';
import { recordRequest } from '../../requests/record-request.ts';
import { applyMove } from '../contract-moves.ts';
import type { ContractService, ContractView } from '../contract-service.ts';
import { assertContractAllows } from '../contract-states.ts';
import { commitClosing } from '../contract-transactions.ts';
import { loadContract, signaturesOf } from '../load-contract.ts';
import { ownSides } from '../sides/side-keys.ts';
import { isFinal, isTime } from '../terms/locktimes.ts';
import { followedPoint } from './chain-point.ts';
import type { SendClosing } from './closing-sender.ts';
import type { SettlementDependencies } from './settle-contract.ts';

export function createRefundContract(deps: Omit<SettlementDependencies, 'cets'>) {
  const { store, withSideKeys, network, clock } = deps;
  return {
    async build(contract: ContractRecord) {
      const loaded = await loadContract(store.read, contract);
      const side = ownSides(contract)[0]!;
      const { refundSignature: counterpartySignature } = await signaturesOf(store.read, loaded, otherSide(side));
      return withSideKeys(contract, side, OF_SERVICE, ({ fundingPrivateKey: privateKey }) =>
        settleRefund(loaded.contract, { side, privateKey, counterpartySignature }),
      );
    },
    /** In the job of the move, of a contract that is confirmed and not closing. */
    async commit(tx: Repositories, held: ContractRecord, transaction: SignedContractTransaction) {
      const commitment = { contract: held, kind: 'refund', transaction, network, now: clock() } as const;
      return { ...(await commitClosing(tx, commitment)), reason: null };
    },
  };
}

export type RefundContract = ReturnType<typeof createRefundContract>;

export function createRefundRequest(deps: {
  store: Store;
  refunding: RefundContract;
  sendClosing: SendClosing;
  require: (accountId: AccountId, contractId: ContractId) => Promise<ContractRecord>;
  viewIn: (tx: Repositories, record: ContractRecord) => Promise<ContractView>;
  clock: () => number;
}): ContractService['refund'] {
  const { store, refunding, viewIn, clock } = deps;

  async function requireFinal({ contractId, refundLocktime }: ContractRecord): Promise<void> {
    const tip = await followedPoint(store.read);
    if (isFinal(refundLocktime, tip)) return;
    throw new DomainError(
      'state_conflict',
      isTime(refundLocktime)
        ? `contract ${contractId} can be refunded when the chain's median time is past ${refundLocktime}; it is ${tip.medianTime}`
        : `contract ${contractId} can be refunded from block ${refundLocktime} on; the chain is at ${tip.height}`,
      { field: 'contract_id' },
    );
  }

  return async (contractId, context) => {
    const contract = await deps.require(context.accountId, contractId);
    if (!isRefunded(contract)) {
      assertContractAllows('refund', contract);
      await requireFinal(contract);
    }
    const refund = isRefunded(contract) ? null : await refunding.build(contract);
    const moved = await store.write(async (tx) => {
      const held = (await tx.contracts.findForUpdate(context.accountId, contractId)) ?? contract;
      // By itself, or by a request before: the same record.
      const again = isRefunded(held) || refund === null;
      if (!again) assertContractAllows('refund', held);
      const after = again ? held : await applyMove(tx, held, await refunding.commit(tx, held, refund), clock());
      await recordRequest(tx, context, { result: await viewIn(tx, after), target: contractId });
      return after;
    });
    await deps.sendClosing(moved);
    return store.write(async (tx) => {
      const now = (await tx.contracts.find(context.accountId, contractId)) ?? moved;
      const view = await viewIn(tx, now);
      await updateAnswer(tx, context, view);
      return view;
    });
  };
}

const isRefunded = ({ closingKind }: ContractRecord): boolean => closingKind === 'refund';
