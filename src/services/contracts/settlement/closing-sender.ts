/** Sends what closes a contract as soon as it is committed; the broadcaster sends it again where no node took it. */
import type { Txid } from '../../../core/outpoint.ts';
import type { ContractRecord } from '../../../store/interfaces/contracts.ts';
import type { Store } from '../../../store/store.ts';
import type { Sender } from '../../transactions/sending/sender.ts';

export type SendClosing = (contract: ContractRecord) => Promise<void>;

export function createSendClosing(deps: { store: Store; sender: Pick<Sender, 'send'> }): SendClosing {
  return async ({ accountId, closingTxid }) => {
    if (closingTxid === null) return;
    const committed = await deps.store.read.transactions.find(accountId, closingTxid as Txid);
    if (committed?.raw && committed.status === 'signed') await deps.sender.send(committed);
  };
}
