/** The offerer takes an accept message: every signature verified before anything of ours is signed, then the sign message is made. */
import { adaptorSignatureCheck, requireChecks } from '../../../../core/dlc/contract/contract-checks.ts';
import { contractOf } from '../../../../core/dlc/contract/contract-of.ts';
import { signFunding } from '../../../../core/dlc/contract/sign-funding.ts';
import { signRefund } from '../../../../core/dlc/contract/sign-refund.ts';
import { parseAccept } from '../../../../core/dlc/messages/accept.ts';
import { serializeSign } from '../../../../core/dlc/messages/sign.ts';
import type { ContractRecord } from '../../../../store/repositories/contract-rows.ts';
import { OF_SERVICE } from '../../../policies/gate.ts';
import { applyMove } from '../../contract-moves.ts';
import { storedAccept, storedOffer } from '../contract-messages.ts';
import type { RemoteDependencies } from '../remote-dependencies.ts';
import { requireStillOpen } from './still-open.ts';
import type { CheckedMessage, TakenMessage } from './take-once.ts';
import { trackSigning, wipedAfter } from './track-signing.ts';

export interface TakeAccept {
  /** Verified and kept, the contract is accepted, and what is left is signing. */
  readonly taking: TakenMessage<CheckedMessage>;
  /** Makes the sign message of what was taken; null where nothing was, or it has ended. */
  finish(contract: ContractRecord, signal?: AbortSignal): Promise<ContractRecord | null>;
}

/** Its accept message stands and its sign message is not made. */
export const isSigning = ({ role, status }: ContractRecord): boolean => role === 'offerer' && status === 'accepted';

export function createTakeAccept(deps: RemoteDependencies): TakeAccept {
  const { store, moves, clock, signingTools } = deps;

  /** Throws `contract_refused` naming the check. */
  async function check(contract: ContractRecord, message: Uint8Array, signal: AbortSignal) {
    const { accountId, dialect } = contract;
    const offer = await storedOffer(store.read, contract);
    const accept = parseAccept(message, dialect);
    const context = await deps.checkContext(dialect);
    await requireStillOpen(deps, contract, offer.message, context.tip, signal);
    const given = { offer: offer.bytes, accept: message, dialect, only: 'accept', context } as const;
    requireChecks(await deps.computing.run('messages.check', given, { accountId, signal }));
    await deps.counterpartyCoins.require('accept', accept.party);
    const verdict = await deps.cets.verifyAllCets({
      ...{ accountId, offer: offer.bytes, accept: message, dialect, signal },
      publicKey: accept.party.fundingPublicKey,
      signatures: accept.cetAdaptorSignatures,
    });
    requireChecks([adaptorSignatureCheck('accept', verdict.valid ? null : verdict.index)]);
    return { dlc: contractOf(offer.message, accept.party, dialect), accept };
  }

  const taking: TakeAccept['taking'] = {
    ...{ type: 'accept', stored: storedAccept, check },
    complete: async (_contract, checked) => checked,
    move: (tx, held, { dlc }) =>
      applyMove(
        tx,
        held,
        {
          status: 'accepted',
          dlcContractId: Buffer.from(dlc.contractId).toString('hex'),
          fundingTxid: dlc.fundingTxid,
          fundingVout: dlc.fundingVout,
          progress: { stage: 'signing', done: 0, total: dlc.caseCount },
          expiresAt: null,
        },
        clock(),
      ),
  };

  async function finish(contract: ContractRecord, signal?: AbortSignal): Promise<ContractRecord | null> {
    if (!isSigning(contract)) return null;
    const { accountId, contractId, dialect } = contract;
    const offer = await storedOffer(store.read, contract);
    const accept = await storedAccept(store.read, contract);
    if (accept === null) return null;
    const dlc = contractOf(offer.message, accept.message.party, dialect);
    const { fundingKey, ...signatures } = await deps.withSideKeys(contract, 'offer', OF_SERVICE, (opened) => ({
      fundingKey: Uint8Array.from(opened.fundingPrivateKey),
      refundSignature: signRefund(dlc, opened.fundingPrivateKey),
      fundingSignatures: signFunding(dlc, 'offer', opened.coins, opened.ring, signingTools),
    }));
    const messages = { accountId, offer: offer.bytes, accept: accept.bytes, dialect };
    const cetAdaptorSignatures = await wipedAfter(fundingKey, (privateKey) =>
      deps.cets.signAllCets({ ...messages, privateKey, ...trackSigning(deps.progressOf, contract, signal) }),
    );
    const { contractId: dlcContractId } = dlc;
    const sign = serializeSign(
      { protocolVersion: 1, contractId: dlcContractId, ...signatures, cetAdaptorSignatures, tlvs: new Uint8Array(0) },
      dialect,
    );
    return moves.move({ accountId, contractId }, ['accepted'], async (tx) => {
      await tx.contracts.putMessage(accountId, contractId, 'sign', sign);
      return { status: 'signed', progress: null };
    });
  }

  return { taking, finish };
}
