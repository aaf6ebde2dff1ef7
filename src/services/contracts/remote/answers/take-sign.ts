/** The accepter takes a sign message: verified to the last witness, then our inputs are signed and the contract is funded. */
import { adaptorSignatureCheck, requireChecks } from '../../../../core/dlc/contract/contract-checks.ts';
import { contractOf } from '../../../../core/dlc/contract/contract-of.ts';
import { signedFunding, signFunding } from '../../../../core/dlc/contract/sign-funding.ts';
import type { SignMessage } from '../../../../core/dlc/dlc-messages.ts';
import { parseSign } from '../../../../core/dlc/messages/sign.ts';
import type { SignedContractTransaction } from '../../../../core/dlc/transactions/contract-transaction.ts';
import { DomainError, isWithoutAnswer } from '../../../../core/errors.ts';
import type { ContractRecord } from '../../../../store/repositories/contract-rows.ts';
import type { Passed } from '../../../policies/gate.ts';
import { applyMove } from '../../contract-moves.ts';
import { claimForFunding, commitContractTransaction } from '../../contract-transactions.ts';
import { storedAccept, storedOffer, storedSign } from '../contract-messages.ts';
import type { RemoteDependencies } from '../remote-dependencies.ts';
import { requireStillOpen } from './still-open.ts';
import type { CheckedMessage, TakenMessage } from './take-once.ts';

/** With the witnesses of the other side's coins. */
interface CheckedSign extends CheckedMessage {
  readonly theirs: SignMessage['fundingSignatures'];
}

/** Commits the funding transaction, signed; the driver sends it. */
export function createTakeSign(deps: RemoteDependencies): TakenMessage<CheckedSign, SignedContractTransaction> {
  const { store, chain, network, clock, signingTools } = deps;

  /** Throws `contract_refused` naming the check. */
  async function check(contract: ContractRecord, message: Uint8Array, signal: AbortSignal): Promise<CheckedSign> {
    const { accountId, dialect } = contract;
    const sign = parseSign(message, dialect);
    const offer = await storedOffer(store.read, contract);
    const accept = await storedAccept(store.read, contract);
    if (accept === null) throw new Error(`contract ${contract.contractId} is accepted without an accept message`);
    const context = await deps.checkContext(dialect);
    await requireStillOpen(deps, contract, offer.message, context.tip, signal);
    const messages = { offer: offer.bytes, accept: accept.bytes, sign: message, dialect };
    const given = { ...messages, only: 'sign', context } as const;
    requireChecks(await deps.computing.run('messages.check', given, { accountId, signal }));
    await deps.counterpartyCoins.require('offer', offer.message.party);
    const verdict = await deps.cets.verifyAllCets({
      ...{ accountId, offer: offer.bytes, accept: accept.bytes, dialect, signal },
      publicKey: offer.message.party.fundingPublicKey,
      signatures: sign.cetAdaptorSignatures,
    });
    requireChecks([adaptorSignatureCheck('sign', verdict.valid ? null : verdict.index)]);
    const dlc = contractOf(offer.message, accept.message.party, dialect);
    return { dlc, accept: accept.message, theirs: sign.fundingSignatures };
  }

  /** The funding transaction with both sides' witnesses. */
  async function sign(contract: ContractRecord, { dlc, theirs }: CheckedSign, passed: Passed) {
    const witnesses = await deps.withSideKeys(contract, 'accept', passed, ({ coins, ring }) =>
      signFunding(dlc, 'accept', coins, ring, signingTools),
    );
    const signed = signedFunding(dlc, { offer: theirs, accept: witnesses });
    await requireTakeable(signed.raw);
    return signed;
  }

  /** The node's word before anything is committed; one that is away says nothing. */
  async function requireTakeable(raw: Uint8Array): Promise<void> {
    try {
      const verdict = await chain.testAccept(raw);
      if (verdict.result !== 'refused' || !verdict.final) return;
      throw new DomainError('contract_refused', `funding_transaction: the node refuses it: ${verdict.reason}`, {
        field: 'message',
      });
    } catch (error) {
      if (!isWithoutAnswer(error) && !isAway(error)) throw error;
    }
  }

  return {
    ...{ type: 'sign', stored: storedSign, check, complete: sign },
    async move(tx, held, signed) {
      const lost = await claimForFunding(tx, held, signed.txid);
      if (lost) throw new DomainError('coin_unavailable', `${lost}: cancel the contract`, { field: 'contract_id' });
      const commitment = { contract: held, kind: 'funding', transaction: signed, network, now: clock() } as const;
      await commitContractTransaction(tx, commitment);
      return applyMove(tx, held, { status: 'signed', progress: null, expiresAt: null }, clock());
    },
  };
}

const isAway = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === 'node_unavailable' || error.code === 'node_syncing');
