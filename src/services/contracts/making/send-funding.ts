/** Signed to funded: the committed funding transaction is sent, and what a node says of it is the contract's. */
import type { ContractRecord } from '../../../store/interfaces/contracts.ts';
import type { Store } from '../../../store/store.ts';
import type { Sender } from '../../transactions/sending/sender.ts';
import type { ContractMoves } from '../contract-moves.ts';
import type { ContractStep } from '../driver/contract-step.ts';

export function createSendFunding(deps: {
  store: Store;
  sender: Pick<Sender, 'send'>;
  moves: Pick<ContractMoves, 'move'>;
}): ContractStep {
  const { store, sender, moves } = deps;

  return {
    name: 'send funding',
    wants: ({ status, fundingTxid }) => status === 'signed' && fundingTxid !== null,
    async run(contract: ContractRecord) {
      const { accountId, fundingTxid } = contract;
      const committed = await store.read.transactions.find(accountId, fundingTxid!);
      // The offerer of a remote contract sends nothing: the other side has the last signature.
      if (!committed?.raw) return null;
      const { status, reason } = committed.status === 'signed' ? await sender.send(committed) : committed;
      if (status === 'broadcast' || status === 'confirmed') {
        return moves.move(contract, ['signed'], async () => ({ status: 'funded', reason: null }));
      }
      if (status === 'signed') {
        // The record says why it waits; the sender goes on sending it.
        if (reason === null || reason === contract.reason) return null;
        await moves.move(contract, ['signed'], async () => ({ reason }));
        return null;
      }
      return moves.move(contract, ['signed'], async () => ({
        status: 'failed',
        reason: `its funding transaction ${fundingTxid} is ${status}: ${reason ?? 'it cannot get into the chain'}`,
      }));
    },
  };
}
