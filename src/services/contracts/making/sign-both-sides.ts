/** One holder's contract from offer to signed funding transaction: both sides sign, and each verifies what the other signed. */
import { coinHoldOf } from '../../../core/dlc/coin-hold.ts';
import { adaptorSignatureCheck, requireChecks } from '../../../core/dlc/contract/contract-checks.ts';
import { signedFunding, signFunding } from '../../../core/dlc/contract/sign-funding.ts';
import { signRefund, verifyRefund } from '../../../core/dlc/contract/sign-refund.ts';
import type { SignMessage } from '../../../core/dlc/dlc-messages.ts';
import { serializeAccept } from '../../../core/dlc/messages/accept.ts';
import { serializeSign } from '../../../core/dlc/messages/sign.ts';
import type { Side } from '../../../core/dlc/transactions/funding-coins.ts';
import { DomainError } from '../../../core/errors.ts';
import type { Network } from '../../../core/network.ts';
import type { SigningTools } from '../../../core/transactions/sign-transaction.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Store } from '../../../store/store.ts';
import { OF_SERVICE } from '../../policies/gate.ts';
import type { ContractMoves } from '../contract-moves.ts';
import type { ProgressOf } from '../contract-progress.ts';
import { claimForFunding, commitContractTransaction } from '../contract-transactions.ts';
import type { ContractStep } from '../driver/contract-step.ts';
import { type LoadedContract, loadContract, messageBytes } from '../load-contract.ts';
import type { WithSideKeys } from '../sides/side-keys.ts';
import type { AdaptorWork, CetMessages } from '../signing/adaptor-work.ts';

export interface SignBothDependencies {
  readonly store: Store;
  readonly moves: ContractMoves;
  readonly cets: AdaptorWork;
  readonly progressOf: ProgressOf;
  readonly withSideKeys: WithSideKeys;
  readonly signingTools: SigningTools;
  readonly network: Network;
  readonly clock: () => number;
}

const NOTHING = new Uint8Array(0);

/** Offered to accepted, accepted to signed. */
export function createSignBothSides(deps: SignBothDependencies): ContractStep[] {
  const { store, moves, cets, withSideKeys, signingTools } = deps;

  const messagesOf = async (record: ContractRecord): Promise<Messages> => ({
    ...(await messageBytes(store.read, record)),
    accountId: record.accountId,
    dialect: record.dialect,
  });

  /** The signal ends with the step's, and when somebody else has taken the contract on. */
  function workOn(record: ContractRecord, signal: AbortSignal) {
    const gone = new AbortController();
    const either = AbortSignal.any([signal, gone.signal]);
    return {
      signal: either,
      telling: (stage: 'signing' | 'verifying') => ({
        ...deps.progressOf(record, stage, () => gone.abort()),
        signal: either,
      }),
    };
  }

  async function signSide(loaded: LoadedContract, side: Side, messages: Messages, told: Telling) {
    // The ring is closed before the long work begins; a copy of the one key lives as long as that.
    const { privateKey, refundSignature } = await withSideKeys(
      loaded.record,
      side,
      OF_SERVICE,
      ({ fundingPrivateKey }) => ({
        privateKey: Uint8Array.from(fundingPrivateKey),
        refundSignature: signRefund(loaded.contract, fundingPrivateKey),
      }),
    );
    try {
      return {
        refundSignature,
        cetAdaptorSignatures: await cets.signAllCets({ ...messages, privateKey, ...told }),
      };
    } finally {
      privateKey.fill(0);
    }
  }

  async function verifySide(
    { contract, offer, accept }: LoadedContract,
    side: Side,
    signatures: { cetAdaptorSignatures: Uint8Array; refundSignature: Uint8Array },
    messages: Messages,
    told: Telling,
  ): Promise<void> {
    const publicKey = (side === 'offer' ? offer : accept).party.fundingPublicKey;
    if (!verifyRefund(contract, publicKey, signatures.refundSignature)) {
      throw new DomainError('contract_refused', `refund_signature: the ${side}'s refund signature is wrong`);
    }
    const verdict = await cets.verifyAllCets({
      ...messages,
      publicKey,
      signatures: signatures.cetAdaptorSignatures,
      ...told,
    });
    const message = side === 'offer' ? 'sign' : 'accept';
    requireChecks([adaptorSignatureCheck(message, verdict.valid ? null : verdict.index)]);
  }

  const accept: ContractStep = {
    name: 'accept',
    long: true,
    wants: ({ role, status }) => role === 'both' && status === 'offered',
    async run(record, signal) {
      const loaded = await loadContract(store.read, record);
      const messages = await messagesOf(record);
      const signatures = await signSide(loaded, 'accept', messages, workOn(record, signal).telling('signing'));
      const message = serializeAccept({ ...loaded.accept, ...signatures }, record.dialect);
      const { contract } = loaded;
      return moves.move(record, ['offered'], async (tx) => {
        await tx.contracts.putMessage(record.accountId, record.contractId, 'accept', message);
        return {
          status: 'accepted',
          dlcContractId: Buffer.from(contract.contractId).toString('hex'),
          fundingTxid: contract.fundingTxid,
          fundingVout: contract.fundingVout,
          progress: null,
        };
      });
    },
  };

  const sign: ContractStep = {
    name: 'sign',
    long: true,
    wants: ({ role, status }) => role === 'both' && status === 'accepted',
    async run(record, signal) {
      const loaded = await loadContract(store.read, record);
      const { contract } = loaded;
      const messages = await messagesOf(record);
      const { telling } = workOn(record, signal);
      await verifySide(loaded, 'accept', loaded.accept, messages, telling('verifying'));
      const signatures = await signSide(loaded, 'offer', messages, telling('signing'));
      await verifySide(loaded, 'offer', signatures, messages, telling('verifying'));
      const witnesses = {
        offer: await withSideKeys(record, 'offer', OF_SERVICE, ({ coins, ring }) =>
          signFunding(contract, 'offer', coins, ring, signingTools),
        ),
        accept: await withSideKeys(record, 'accept', OF_SERVICE, ({ coins, ring }) =>
          signFunding(contract, 'accept', coins, ring, signingTools),
        ),
      };
      const transaction = signedFunding(contract, witnesses);
      const message: SignMessage = {
        protocolVersion: 1,
        contractId: contract.contractId,
        ...signatures,
        fundingSignatures: witnesses.offer,
        tlvs: NOTHING,
      };
      const bytes = serializeSign(message, record.dialect);
      return moves.move(record, ['accepted'], async (tx, held) => {
        await tx.contracts.putMessage(record.accountId, record.contractId, 'sign', bytes);
        const lost = await claimForFunding(tx, held, transaction.txid);
        if (lost) {
          await tx.coins.release(record.accountId, coinHoldOf(held.contractId));
          return { status: 'failed', reason: lost, progress: null };
        }
        const { network } = deps;
        await commitContractTransaction(tx, {
          contract: held,
          kind: 'funding',
          transaction,
          network,
          now: deps.clock(),
        });
        return { status: 'signed', progress: null };
      });
    },
  };

  return [accept, sign];
}

type Messages = Pick<CetMessages, 'accountId' | 'offer' | 'accept' | 'dialect'>;
type Telling = Required<Pick<CetMessages, 'onProgress' | 'signal'>>;
