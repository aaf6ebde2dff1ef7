/** Every check of a contract's messages, whoever they are from. Nothing is thrown for what is wrong with them. */
import { adaptorSignatureCheck } from '../../../core/dlc/contract/contract-checks.ts';
import { oracleProofsCheck } from '../../../core/dlc/contract/oracle-proof.ts';
import { type Messages, readMessages } from '../../../core/dlc/jobs/message-jobs.ts';
import { DomainError } from '../../../core/errors.ts';
import { createFairQueue } from '../../../scheduling/fair-queue.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import type { ContractCheck, ContractService } from '../contract-service.ts';
import { UNFUNDED_STATUSES } from '../contract-states.ts';
import { checkPoints } from '../signing/check-points.ts';
import { agreed } from './check-context.ts';
import { requireContract, storedAccept, storedOffer, storedSign } from './contract-messages.ts';
import type { RemoteDependencies } from './remote-dependencies.ts';
import { failedOf, verdictOf } from './verify-messages.ts';

type Whose = Pick<RequestContext, 'accountId' | 'signal'>;

type VerifyDependencies = Pick<RemoteDependencies, 'store' | 'network' | 'cets' | 'computing' | 'counterpartyCoins'> & {
  readonly longestMs?: number;
};

/** Contracts whose signatures are gone through for whoever looks; fewer than are worked on at once, so that signing goes on. */
const AT_ONCE = 2;
/** Of one account. Those that wait hold megabytes. */
const MAX_WAITING = 8;
/** A request is answered within thirty seconds, whatever becomes of it. */
const MAX_MS = 25_000;

export function createVerifyContract(deps: VerifyDependencies): Pick<ContractService, 'verify' | 'verifySignatures'> {
  const { store, network, cets, longestMs = MAX_MS } = deps;
  const queue = createFairQueue({ all: AT_ONCE, ofAccount: AT_ONCE - 1, waiting: MAX_WAITING, busy });

  /** Whoever only looks stands in nobody's way who signs, and works for no one who is not answered any more. */
  async function bounded<T>(whose: Whose, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(longestMs);
    const signal = AbortSignal.any([late, whose.signal]);
    let begun = Number.POSITIVE_INFINITY;
    try {
      return await queue.take({ accountId: whose.accountId, signal }, () => {
        begun = performance.now();
        return work(signal);
      });
    } catch (error) {
      if (!late.aborted || error !== late.reason) throw error;
      // Whoever waited most of the time for others may come again.
      throw performance.now() - begun > longestMs / 2 ? tooLong(longestMs) : busy();
    }
  }

  async function signaturesOf(messages: Messages, { accountId }: Whose, signal: AbortSignal): Promise<ContractCheck[]> {
    const { accept: acceptBytes, dialect } = messages;
    const { offer, accept, sign } = readMessages(messages);
    const points = await checkPoints(cets, { accountId, info: offer.contractInfo, dialect, signal });
    const found: ContractCheck[] = [points];
    if (acceptBytes === undefined || points.verdict === 'failed') return found;
    for (const [message, said, party] of [
      ['accept', accept, accept?.party],
      ['sign', sign, offer.party],
    ] as const) {
      if (said === undefined || party === undefined || failedOf(found) !== undefined) break;
      const verdict = await cets.verifyAllCets({
        ...{ accountId, offer: messages.offer, accept: acceptBytes, dialect, signal },
        publicKey: party.fundingPublicKey,
        signatures: said.cetAdaptorSignatures,
      });
      found.push(adaptorSignatureCheck(message, verdict.valid ? null : verdict.index));
    }
    return found;
  }

  const verifySignatures: ContractService['verifySignatures'] = (messages, whose) =>
    bounded(whose, (signal) => signaturesOf(messages, whose, signal));

  return {
    verifySignatures,
    async verify(contractId, context) {
      const contract = await requireContract(store.read, context.accountId, contractId);
      const { dialect } = contract;
      const offer = await storedOffer(store.read, contract);
      const stands = contract.dlcContractId !== null;
      const accept = stands ? await storedAccept(store.read, contract) : null;
      const sign = stands ? await storedSign(store.read, contract) : null;
      const messages = { offer: offer.bytes, accept: accept?.bytes, sign: sign?.bytes, dialect };
      const given = { ...messages, context: agreed(network, dialect) };
      const found: ContractCheck[] = [...(await deps.computing.run('messages.check', given, context))];
      const proofs = oracleProofsCheck({ proof: contract.oracleProof, index: null }, true);
      if (failedOf(found) === undefined) found.push(...(await verifySignatures(messages, context)), proofs);
      // Until it is funded, the chain can say whether its coins are there.
      if (UNFUNDED_STATUSES.includes(contract.status) && failedOf(found) === undefined) {
        found.push(...(await deps.counterpartyCoins.check('offer', offer.message.party)));
        if (accept) found.push(...(await deps.counterpartyCoins.check('accept', accept.message.party)));
      }
      return verdictOf(found, messages);
    },
  };
}

const busy = (): DomainError =>
  new DomainError('unavailable', 'too many signatures are being verified: try again a little later', {
    retryAfterSeconds: 10,
  });

const tooLong = (ms: number): DomainError =>
  new DomainError(
    'too_large',
    `its adaptor signatures take longer to verify than the ${ms / 1000} seconds that one request has: accepting and signing verify them, too, and take their time`,
  );
