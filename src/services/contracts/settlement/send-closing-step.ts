import { type ContractStage, stageOf } from '../contract-states.ts';
import type { ContractStep } from '../driver/contract-step.ts';
import type { SendClosing } from './closing-sender.ts';

const UNCONFIRMED: readonly ContractStage[] = ['closing', 'executed', 'refunded'];

/** What closes a contract and is in no block: sent where that was interrupted, or where no node took it. */
export function createSendClosingStep({ sendClosing }: { sendClosing: SendClosing }): ContractStep {
  return {
    name: 'send closing',
    wants: (contract) => contract.closingHeight === null && UNCONFIRMED.includes(stageOf(contract)),
    async run(contract) {
      const now = await sendClosing(contract);
      return now.status === contract.status ? null : now;
    },
  };
}
