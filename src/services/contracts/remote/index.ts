/** Contracts with a counterparty elsewhere, to whom dlcspecs' messages go: what the driver does of them, and what callers ask for. */
import type { ContractId } from '../../../core/ids.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import type { ContractDriver } from '../driver/contract-driver.ts';
import { createAnswerMessages } from './answers/answer-messages.ts';
import { createMakeAccept } from './answers/make-accept.ts';
import { requireStillOpen } from './answers/still-open.ts';
import { createTakeAccept } from './answers/take-accept.ts';
import { createTakeOnce } from './answers/take-once.ts';
import { createTakeSign } from './answers/take-sign.ts';
import { createBackUpContract } from './backups/back-up-contract.ts';
import { createRestoreContract } from './backups/restore-contract.ts';
import { createCloseContract } from './close-contract.ts';
import { messagesOf, requireContract, storedOffer } from './contract-messages.ts';
import { createReceiveOffer } from './offers/receive-offer.ts';
import type { RemoteDependencies } from './remote-dependencies.ts';
import { remoteSteps } from './remote-steps.ts';
import { createVerifyContract } from './verify-contract.ts';

export function createRemoteContracts(deps: RemoteDependencies) {
  const { store } = deps;
  const makeAccept = createMakeAccept(deps);
  const takeAccept = createTakeAccept(deps);
  return {
    steps: remoteSteps(makeAccept, takeAccept),
    /** As before each signature; answers until when the other side is waited for. */
    async requireOpen(contract: ContractRecord, requestedExpiry: number | undefined, signal: AbortSignal) {
      if (contract.role === 'accepter')
        return (await makeAccept.check(contract, requestedExpiry, { signal })).expiresAt;
      const { message } = await storedOffer(store.read, contract);
      const { tip } = await deps.checkContext(contract.dialect);
      await requireStillOpen(deps, contract, message, tip, signal);
      return contract.expiresAt;
    },
    /** Of the driver, which is made with the steps. */
    methods: ({ answerAfter, takeOn }: Pick<ContractDriver, 'answerAfter' | 'takeOn'>) => ({
      receiveOffer: createReceiveOffer(deps),
      ...createAnswerMessages(deps, {
        ...{ makeAccept, answerAfter },
        takeAccept: createTakeOnce({ ...deps, takeOn }, takeAccept.taking),
        takeSign: createTakeOnce({ ...deps, takeOn }, createTakeSign(deps)),
      }),
      close: createCloseContract(deps),
      ...createVerifyContract(deps),
      async messages(contractId: ContractId, context: RequestContext) {
        return messagesOf(store.read, await requireContract(store.read, context.accountId, contractId));
      },
      backup: createBackUpContract(deps),
      restore: createRestoreContract(deps),
    }),
  };
}
