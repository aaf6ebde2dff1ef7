/** Signed to funded: the committed funding transaction is sent; what a node says of it moves the contract too, in one job. */

import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
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
    // The offerer of a remote contract sends nothing: the other side has the last signature.
    wants: ({ status, role, fundingTxid }) => status === 'signed' && role !== 'offerer' && fundingTxid !== null,
    async run(contract: ContractRecord) {
      const { accountId, contractId, fundingTxid } = contract;
      const committed = await store.read.transactions.find(accountId, fundingTxid!);
      // Restored, it was not made here.
      if (!committed?.raw) return null;
      const { status, reason } = committed.status === 'signed' ? await sender.send(committed) : committed;
      if (status === 'signed') {
        // The record says why it waits; the sender goes on sending it.
        if (reason === null || reason === contract.reason) return null;
        await moves.move(contract, ['signed'], async () => ({ reason }));
        return null;
      }
      if (committed.status === 'broadcast' || committed.status === 'confirmed') {
        // The network had it before it was committed here.
        return moves.move(contract, ['signed'], async () => ({ status: 'funded', reason: null }));
      }
      const now = await store.read.contracts.find(accountId, contractId);
      return now?.status === 'signed' ? null : now;
    },
  };
}
