/** The accepter's answer to an offer: coins held, the side committed as a draft, every CET adaptor-signed, then the message. */

import { requireChecks } from '../../../../core/dlc/contract/contract-checks.ts';
import { contractOf } from '../../../../core/dlc/contract/contract-of.ts';
import { signRefund } from '../../../../core/dlc/contract/sign-refund.ts';
import type { AcceptMessage, ContractParty, OfferMessage } from '../../../../core/dlc/dlc-messages.ts';
import { serializeAccept } from '../../../../core/dlc/messages/accept.ts';
import { MAX_MESSAGE_BYTES } from '../../../../core/dlc/messages/message-size.ts';
import { fundingCoins } from '../../../../core/dlc/transactions/funding-coins.ts';
import { DomainError } from '../../../../core/errors.ts';
import type { WalletId } from '../../../../core/ids.ts';
import { outpointKey } from '../../../../core/outpoint.ts';
import type { ContractRecord } from '../../../../store/repositories/contract-rows.ts';
import { askerOf, OF_SERVICE } from '../../../policies/gate.ts';
import { recordRequest } from '../../../requests/record-request.ts';
import type { RequestContext } from '../../../requests/request-context.ts';
import { committing, retried } from '../../../transactions/make-transaction.ts';
import { awaitApproval, waitingBy } from '../../approving/await-approval.ts';
import { scriptsOfOther, stakesOf } from '../../asked-of-contract.ts';
import { applyMove } from '../../contract-moves.ts';
import { assertContractAllows } from '../../contract-states.ts';
import { offerBytes } from '../../load-contract.ts';
import { fundingWallet } from '../../sides/funding-wallet.ts';
import { checkPoints } from '../../signing/check-points.ts';
import { storedAccept, storedOffer, viewOf } from '../contract-messages.ts';
import { expiryOf } from '../offers/offer-expiry.ts';
import type { RemoteDependencies } from '../remote-dependencies.ts';
import { requireStillOpen } from './still-open.ts';
import { trackSigning, wipedAfter } from './track-signing.ts';

const NO_SIGNATURES = new Uint8Array(0);
const NO_SIGNATURE = new Uint8Array(64);

/** Its side is committed and its signatures are not made. */
export const isAccepting = ({ role, status, acceptSide }: ContractRecord): boolean =>
  role === 'accepter' && status === 'offered' && acceptSide !== null;

export function createMakeAccept(deps: RemoteDependencies) {
  const { store, moves, clock } = deps;

  /** And until when its signatures are to be waited for. */
  async function checked(
    contract: ContractRecord,
    requestedExpiry: number | undefined,
    { signal }: Pick<RequestContext, 'signal'>,
  ) {
    const { accountId, dialect } = contract;
    const { message: offer, bytes } = await storedOffer(store.read, contract);
    const context = await deps.checkContext.ofOffer(dialect);
    const given = { offer: bytes, dialect, only: 'offer', context } as const;
    requireChecks(await deps.computing.run('messages.check', given, { accountId, signal }), () => 'contract_id');
    const points = await checkPoints(deps.cets, { accountId, info: offer.contractInfo, dialect, signal });
    requireChecks([points], () => 'contract_id');
    await requireStillOpen(deps, contract, offer, context.tip, signal);
    const expiresAt = expiryOf(offer, requestedExpiry, { now: clock(), height: context.tip?.height ?? 0 });
    await deps.counterpartyCoins.require('offer', offer.party, 'contract_id');
    return { offer, expiresAt };
  }

  async function begin(
    contract: ContractRecord,
    { walletId, expiresAt: requestedExpiry }: { walletId?: WalletId | undefined; expiresAt?: number | undefined },
    context: RequestContext,
  ): Promise<ContractRecord> {
    const { accountId, contractId, dialect } = contract;
    const { offer, expiresAt } = await checked(contract, requestedExpiry, context);
    const { totalCollateralSats } = offer.contractInfo;
    const stakeSats = totalCollateralSats - offer.party.collateralSats;
    return retried(async () => {
      const wallet = await fundingWallet(store.read, accountId, walletId);
      const sides = { offerSide: null, acceptSide: wallet, collateralSats: totalCollateralSats };
      const [stake] = stakesOf({ ...sides, offerCollateralSats: offer.party.collateralSats }, wallet.network);
      const screens = scriptsOfOther(sides, { offer: offer.party });
      const passed = await deps.gate.decide(askerOf(context), { ...stake!, ...screens });
      const waiting = waitingBy([passed], deps.randomBytes);
      const { tip } = await deps.conditions.current();
      const prepared = await deps.prepareSide({
        wallet,
        tipHeight: tip.height,
        minConf: 1,
        collateralSats: stakeSats,
        totalCollateralSats,
        feeRateSatVb: offer.feeRateSatVb,
        dialect,
      });
      return committing([prepared], () =>
        store.write(async (tx) => {
          await deps.gate.hold(tx, [passed]);
          const held = await tx.contracts.findForUpdate(accountId, contractId);
          if (held === null) throw new Error(`contract ${contractId} is gone`);
          assertContractAllows('accept', held);
          if (isAccepting(held)) throw inOtherHands(held);
          const { party, side } = await prepared.commit(tx, { contractId });
          requireWorkable(offer, party, held);
          const accept = serializeAccept(draft(offer, party), dialect);
          await tx.contracts.putMessage(accountId, contractId, 'accept', accept);
          const now = clock();
          const spent = { owners: new Map(), at: now, waits: true };
          const { asked: _, ...entry } = await deps.gate.commitSpend(tx, passed, spent);
          // The offer ends when it would have, as long as nothing has answered it.
          const begun = waiting ?? ({ expiresAt, progress: { stage: 'signing', done: 0, total: 0 } } as const);
          const moved = await applyMove(tx, held, { acceptSide: side, reason: null, ...entry, ...begun }, now);
          const message = await offerBytes(tx, held);
          const awaited = {
            passed: [passed],
            offer: message,
            accept,
            expiresAt: requestedExpiry ?? null,
            network: wallet.network,
          };
          if (waiting) await awaitApproval(tx, moved, awaited, now);
          await recordRequest(tx, context, { result: await viewOf(tx, moved), target: contractId });
          return moved;
        }),
      );
    });
  }

  async function finish(contract: ContractRecord, signal?: AbortSignal): Promise<ContractRecord | null> {
    if (!isAccepting(contract)) return null;
    const { accountId, contractId, dialect } = contract;
    const offer = await storedOffer(store.read, contract);
    const begun = await storedAccept(store.read, contract);
    if (begun === null) return null;
    const dlc = contractOf(offer.message, begun.message.party, dialect);
    const { fundingKey, refundSignature } = await deps.withSideKeys(
      contract,
      'accept',
      OF_SERVICE,
      ({ fundingPrivateKey }) => ({
        fundingKey: Uint8Array.from(fundingPrivateKey),
        refundSignature: signRefund(dlc, fundingPrivateKey),
      }),
    );
    const messages = { accountId, offer: offer.bytes, accept: begun.bytes, dialect };
    const cetAdaptorSignatures = await wipedAfter(fundingKey, (privateKey) =>
      deps.cets.signAllCets({ ...messages, privateKey, ...trackSigning(deps.progressOf, contract, signal) }),
    );
    const signatures = { cetAdaptorSignatures, refundSignature };
    const accept = serializeAccept({ ...begun.message, ...signatures }, dialect);
    if (accept.length > MAX_MESSAGE_BYTES) throw oversized(accept);
    return moves.move({ accountId, contractId }, ['offered'], async (tx, held) => {
      if (!isAccepting(held)) return null;
      await tx.contracts.putMessage(accountId, contractId, 'accept', accept);
      return {
        status: 'accepted',
        dlcContractId: Buffer.from(dlc.contractId).toString('hex'),
        fundingTxid: dlc.fundingTxid,
        fundingVout: dlc.fundingVout,
        progress: null,
      };
    });
  }

  return {
    /** Commits the side: the contract is still offered, and what is left is signing. Answers the contract as it is then. */
    begin,
    /** As before each signature: throws where the offer must not be accepted any more. */
    check: checked,
    /** Signs what was begun, now or by another process; null where it was not, or has ended. */
    finish,
  };
}

export type MakeAccept = ReturnType<typeof createMakeAccept>;

const draft = ({ temporaryContractId }: OfferMessage, party: ContractParty): AcceptMessage =>
  withoutSignatures({ protocolVersion: 1, temporaryContractId, party, negotiationFields: null, tlvs: NO_SIGNATURES });

export const withoutSignatures = (
  accept: Omit<AcceptMessage, 'cetAdaptorSignatures' | 'refundSignature'>,
): AcceptMessage => ({ ...accept, cetAdaptorSignatures: NO_SIGNATURES, refundSignature: NO_SIGNATURE });

/** Both sides together make a contract: found out before anything is committed. */
function requireWorkable(offer: OfferMessage, party: ContractParty, { dialect }: ContractRecord): void {
  contractOf(offer, party, dialect);
  const theirs = new Set(fundingCoins('offer', offer.party).map(outpointKey));
  const twice = fundingCoins('accept', party).find((coin) => theirs.has(outpointKey(coin)));
  if (twice === undefined) return;
  throw new DomainError(
    'contract_refused',
    `duplicate_inputs: the offer brings ${outpointKey(twice)}, which is a coin of ours: nobody else can sign for it`,
    { field: 'contract_id' },
  );
}

/** It ends the contract: whoever offers can be told nothing that long, nor answer it. */
const oversized = ({ length }: Uint8Array): DomainError =>
  new DomainError(
    'contract_refused',
    `adaptor_signature_count: the accept message would have ${length} bytes, and ${MAX_MESSAGE_BYTES} are taken at most: ` +
      'ask for an offer with coarser rounding, fewer outcomes, or coins made by smaller transactions',
  );

const inOtherHands = ({ contractId }: ContractRecord): DomainError =>
  new DomainError(
    'state_conflict',
    `contract ${contractId} is being accepted: progress says how far signing has come`,
    {
      field: 'contract_id',
      retryAfterSeconds: 1,
    },
  );
