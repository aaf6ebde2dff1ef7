/** The two steps between offer and funding, each by whoever's turn it is: without a message where we make it, with one where we take it. */

import { DomainError } from '../../../../core/errors.ts';
import type { ContractId } from '../../../../core/ids.ts';
import type { ContractRecord, ContractStatus } from '../../../../store/repositories/contract-rows.ts';
import { Held } from '../../../approvals/held-answer.ts';
import { recordRequest } from '../../../requests/record-request.ts';
import type { RequestContext } from '../../../requests/request-context.ts';
import type { ContractService, ContractView } from '../../contract-service.ts';
import { assertContractAllows } from '../../contract-states.ts';
import { requireContract, viewOf } from '../contract-messages.ts';
import type { RemoteDependencies } from '../remote-dependencies.ts';
import { isAccepting, type MakeAccept } from './make-accept.ts';
import type { TakeOnce } from './take-once.ts';

export function createAnswerMessages(
  deps: Pick<RemoteDependencies, 'store'>,
  steps: {
    readonly makeAccept: MakeAccept;
    readonly takeAccept: TakeOnce;
    readonly takeSign: TakeOnce;
    /** Goes on with the contract; answers it when its signatures are made, or as it is when that takes long, and keeps that answer. */
    readonly answerAfter: (contract: ContractRecord, context: RequestContext) => Promise<ContractView>;
  },
): Pick<ContractService, 'accept' | 'sign'> {
  const { store } = deps;

  /** What was made before, once more. */
  async function again(contract: ContractRecord, context: RequestContext): Promise<ContractRecord> {
    await store.write(async (tx) => {
      await recordRequest(tx, context, { result: await viewOf(tx, contract), target: contract.contractId });
    });
    return contract;
  }

  const answerTaken = async (taken: ContractRecord | Held, context: RequestContext) =>
    taken instanceof Held ? taken : steps.answerAfter(taken, context);

  return {
    async accept(contractId, { message, walletId, expiresAt }, context) {
      const contract = await requireContract(store.read, context.accountId, contractId);
      if (contract.role === 'both') throw bothHere(contractId);
      if (contract.role === 'offerer') {
        if (message === undefined) throw missing("the accepter's accept message");
        if (walletId !== undefined) throw notOurs('wallet_id');
        if (expiresAt !== undefined) throw notOurs('expires_at');
        return answerTaken(await steps.takeAccept(contract, message, context), context);
      }
      if (message !== undefined) throw unwanted('this side makes the accept message');
      const made = isAccepting(contract) || AGAIN.includes(contract.status);
      if (made) return steps.answerAfter(await again(contract, context), context);
      assertContractAllows('accept', contract);
      return steps.answerAfter(await steps.makeAccept.begin(contract, { walletId, expiresAt }, context), context);
    },

    async sign(contractId, { message }, context) {
      const contract = await requireContract(store.read, context.accountId, contractId);
      if (contract.role === 'both') throw bothHere(contractId);
      if (contract.role === 'accepter') {
        if (message === undefined) throw missing("the offerer's sign message");
        return answerTaken(await steps.takeSign(contract, message, context), context);
      }
      if (message !== undefined) throw unwanted('this side makes the sign message');
      if (contract.status !== 'signed') assertContractAllows('sign', contract);
      return steps.answerAfter(await again(contract, context), context);
    },
  };
}

/** Its acceptance was made, or waits for approval. */
const AGAIN: readonly ContractStatus[] = ['awaiting_approval', 'accepted'];

const bothHere = (contractId: ContractId): DomainError =>
  new DomainError(
    'state_conflict',
    `both sides of contract ${contractId} are here: it is accepted and signed by itself, and no message is exchanged`,
    { field: 'contract_id' },
  );

const missing = (what: string): DomainError =>
  new DomainError('invalid_value', `message is required: ${what}, hex`, { field: 'message' });

const unwanted = (why: string): DomainError =>
  new DomainError('invalid_value', `${why}: send none, and take it from the answer`, { field: 'message' });

const notOurs = (field: string): DomainError =>
  new DomainError('invalid_value', `${field} is for whoever accepts: this side offered, and takes an accept message`, {
    field,
  });
