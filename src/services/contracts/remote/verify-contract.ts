/** Every check of a contract's messages, whoever they are from. Nothing is thrown for what is wrong with them, only for bytes that are none. */
import {
  adaptorSignatureCheck,
  type CheckContext,
  checkMessages,
  encryptionPointsCheck,
} from '../../../core/dlc/contract/contract-checks.ts';
import { oracleProofsCheck } from '../../../core/dlc/contract/oracle-proof.ts';
import type { AcceptMessage, OfferMessage, SignMessage } from '../../../core/dlc/dlc-messages.ts';
import { parseAccept } from '../../../core/dlc/messages/accept.ts';
import { parseOffer } from '../../../core/dlc/messages/offer.ts';
import { parseSign } from '../../../core/dlc/messages/sign.ts';
import { DomainError } from '../../../core/errors.ts';
import type { ContractStatus } from '../../../store/interfaces/contracts.ts';
import { createTurns } from '../../../turns/turns.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import type { ContractCheck, ContractService, ContractVerification } from '../contract-service.ts';
import { proofsOfOffer } from '../terms/oracle-proofs.ts';
import { agreed, timeless } from './check-context.ts';
import { requireContract, type Said, storedAccept, storedOffer, storedSign } from './contract-messages.ts';
import type { RemoteDependencies } from './remote-dependencies.ts';

interface Given {
  readonly offer: Said<OfferMessage>;
  readonly accept: Said<AcceptMessage> | null;
  readonly sign: Said<SignMessage> | null;
}

/** Until then the chain can say whether the coins are there. */
const UNFUNDED: readonly ContractStatus[] = ['offered', 'accepted', 'signed'];

type Whose = Pick<RequestContext, 'accountId' | 'signal'>;

type VerifyDependencies = Pick<RemoteDependencies, 'store' | 'network' | 'cets' | 'counterpartyCoins'> & {
  readonly longestMs?: number;
};

/** Contracts whose signatures are gone through for whoever looks; fewer than are worked on at once, so that signing goes on. */
const AT_ONCE = 2;
/** Of one account. Those that wait hold megabytes. */
const MOST_WAITING = 8;
/** A request is answered within thirty seconds, whatever becomes of it. */
const LONGEST_MS = 25_000;

const busy = (): DomainError =>
  new DomainError('unavailable', 'too many signatures are being verified: try again a little later', {
    retryAfterSeconds: 10,
  });

type CheckDependencies = Pick<VerifyDependencies, 'network' | 'cets' | 'longestMs'>;

/** The function checks what is given. */
function createChecks(deps: CheckDependencies) {
  const { cets } = deps;
  const turns = createTurns({ all: AT_ONCE, ofAccount: AT_ONCE - 1, waiting: MOST_WAITING, busy });

  /** Whoever only looks stands in nobody's way who signs, and works for no one who is not answered any more. */
  async function bounded<T>(whose: Whose, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(deps.longestMs ?? LONGEST_MS);
    const signal = AbortSignal.any([late, whose.signal]);
    try {
      return await turns.take({ accountId: whose.accountId, signal }, () => work(signal));
    } catch (error) {
      throw late.aborted && error === late.reason ? busy() : error;
    }
  }

  async function checks(
    given: Given,
    context: CheckContext,
    whose: Whose,
    proofsCheck: (offer: OfferMessage) => Promise<ContractCheck>,
  ): Promise<ContractCheck[]> {
    const { offer, accept, sign } = given;
    const found: ContractCheck[] = checkMessages(
      { offer: offer.message, accept: accept?.message, sign: sign?.message },
      context,
    );
    if (failedOf(found) === undefined) {
      const terms = { accountId: whose.accountId, info: offer.message.contractInfo, dialect: context.dialect };
      found.push(encryptionPointsCheck(await bounded(whose, (signal) => cets.sharedPoint({ ...terms, signal }))));
    }
    if (failedOf(found) === undefined) found.push(await proofsCheck(offer.message));
    for (const message of ['accept', 'sign'] as const) {
      if (given[message] === null) break;
      // Without a contract there is nothing that they could sign.
      const failed = failedOf(found);
      found.push(failed ? skipped(message, failed) : await signatures(given, message, context, whose));
    }
    return found;
  }

  async function signatures(
    { offer, accept, sign }: Given,
    message: 'accept' | 'sign',
    { dialect }: CheckContext,
    whose: Whose,
  ): Promise<ContractCheck> {
    if (accept === null) throw new Error('adaptor signatures of a contract without accepter');
    const said = message === 'accept' ? accept.message : sign?.message;
    const party = message === 'accept' ? accept.message.party : offer.message.party;
    const verdict = await bounded(whose, (signal) =>
      cets.verifyAllCets({
        ...{ accountId: whose.accountId, offer: offer.bytes, accept: accept.bytes, dialect, signal },
        publicKey: party.fundingPublicKey,
        signatures: said?.cetAdaptorSignatures ?? new Uint8Array(0),
      }),
    );
    return adaptorSignatureCheck(message, verdict.valid ? null : verdict.index);
  }

  return checks;
}

/** Asks neither the database nor the chain. */
export function createVerifyMessages(
  deps: CheckDependencies,
  checks = createChecks(deps),
): Pick<ContractService, 'verifyMessages'> {
  return {
    async verifyMessages({ offer, accept, sign, dialect = 'tagged', acceptUnprovenOracles = false }, context) {
      const given: Given = {
        offer: named('offer', offer, (bytes) => parseOffer(bytes, dialect)),
        accept: accept === undefined ? null : named('accept', accept, (bytes) => parseAccept(bytes, dialect)),
        sign: sign === undefined ? null : named('sign', sign, (bytes) => parseSign(bytes, dialect)),
      };
      return verdictOf(
        await checks(given, timeless(deps.network, dialect), context, async (message) =>
          oracleProofsCheck((await proofsOfOffer(message, null)).judged, acceptUnprovenOracles),
        ),
      );
    },
  };
}

export function createVerifyContract(deps: VerifyDependencies): Pick<ContractService, 'verify' | 'verifyMessages'> {
  const { store, network } = deps;
  const checks = createChecks(deps);
  return {
    ...createVerifyMessages(deps, checks),
    async verify(contractId, context) {
      const contract = await requireContract(store.read, context.accountId, contractId);
      const offer = await storedOffer(store.read, contract);
      const stands = contract.dlcContractId !== null;
      const accept = stands ? await storedAccept(store.read, contract) : null;
      const sign = stands ? await storedSign(store.read, contract) : null;
      const found = await checks({ offer, accept, sign }, agreed(network, contract.dialect), context, async () =>
        oracleProofsCheck({ proof: contract.oracleProof, index: null }, true),
      );
      if (UNFUNDED.includes(contract.status) && failedOf(found) === undefined) {
        found.push(...(await deps.counterpartyCoins.check('offer', offer.message.party)));
        if (accept) found.push(...(await deps.counterpartyCoins.check('accept', accept.message.party)));
      }
      return verdictOf(found);
    },
  };
}

const failedOf = (checks: readonly ContractCheck[]) => checks.find(({ verdict }) => verdict === 'failed');

const verdictOf = (checks: readonly ContractCheck[]): ContractVerification => ({
  valid: failedOf(checks) === undefined,
  checks,
});

const skipped = (message: 'accept' | 'sign', failed: ContractCheck): ContractCheck => ({
  check: 'cet_adaptor_signature',
  verdict: 'skipped',
  message,
  index: null,
  reason: `a check before it failed: ${failed.check}`,
});

/** Names the field in which the caller sent the bytes. */
function named<T>(field: string, bytes: Uint8Array, parse: (bytes: Uint8Array) => T): Said<T> {
  try {
    return { bytes, message: parse(bytes) };
  } catch (error) {
    throw error instanceof DomainError ? error.at(field) : error;
  }
}
