/** Contracts that wait for approval: given up, or offered and accepted exactly as they were approved. */
import { hex } from '../../../core/bytes.ts';
import { parseOffer } from '../../../core/dlc/messages/offer.ts';
import type { ContractId } from '../../../core/ids.ts';
import type { Network } from '../../../core/network.ts';
import { approvedSigns } from '../../../core/policies/approval-text.ts';
import type { ContractText } from '../../../core/policies/contract-text.ts';
import type { ApprovalRecord, ListedApproval } from '../../../store/repositories/approvals.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import { isFinal, type Judge, type RecordSubject } from '../../approvals/approval-subject.ts';
import { askedOf } from '../../approvals/asked-again.ts';
import { doneApproval, failApproval } from '../../approvals/open-approval.ts';
import type { Gate } from '../../policies/gate.ts';
import type { SpendingConditions } from '../../transactions/drafting/spending-conditions.ts';
import { scriptsOfOther, stakesOf } from '../asked-of-contract.ts';
import { applyMove } from '../contract-moves.ts';
import type { ContractDriver } from '../driver/contract-driver.ts';
import { messageBytes, offerBytes } from '../load-contract.ts';
import { eachOnce } from './await-approval.ts';
import { endUnapprovedContract } from './end-unapproved-contract.ts';

export interface ApprovedContractsDependencies {
  readonly store: Store;
  readonly gate: Pick<Gate, 'askAgain'>;
  readonly conditions: SpendingConditions;
  readonly network: Network;
  readonly driver: Pick<ContractDriver, 'takeOn'>;
  /**
   * As before each signature: throws where it has expired, is decided, or its terms or coins have become wrong. Answers until when the other
   * side is waited for; `requestedExpiry`: what was asked for.
   */
  readonly requireOpen: (
    contract: ContractRecord,
    requestedExpiry: number | undefined,
    signal: AbortSignal,
  ) => Promise<number | null>;
  readonly clock: () => number;
}

export function createApprovedContracts(deps: ApprovedContractsDependencies): RecordSubject {
  const { store, gate, network, clock } = deps;

  const giveUp = (approval: ApprovalRecord, reason: string): Promise<void> =>
    store.write(async (tx) => {
      await end(tx, approval, reason, clock());
      await failApproval(tx, approval, reason, clock());
    });

  const commit = (approval: ApprovalRecord, expiresAt: number | null, judge: Judge): Promise<ContractRecord | null> =>
    store.write(async (tx) => {
      await judge(tx);
      const now = clock();
      const held = await waiting(tx, approval);
      if (held === null || !(await doneApproval(tx, approval, now))) return null;
      const accepting = { progress: { stage: 'signing', done: 0, total: 0 }, expiresAt } as const;
      const patch = { status: 'offered', ...(held.role === 'accepter' ? accepting : {}) } as const;
      return applyMove(tx, held, patch, now);
    });

  return {
    operations: { contract_offer: ['contract.create'], contract_accept: ['contract.create', 'contract.accept'] },
    hold: waiting,
    accessOf: () => ({ scope: 'contracts:write', role: 'operator' }),
    async askAgain(tx, approval, at) {
      const held = await waiting(tx, approval);
      if (held === null) return { denied: 'the contract has ended otherwise', requirements: [] };
      const [asker] = askedOf(approval, null);
      const except = held.counts ?? [];
      const verdicts: Awaited<ReturnType<Gate['askAgain']>>[] = [];
      const screens =
        held.role === 'accepter'
          ? scriptsOfOther(held, { offer: parseOffer(await offerBytes(tx, held), held.dialect).party })
          : {};
      for (const stake of stakesOf(held, network)) {
        const earlier = verdicts.flatMap(({ counts }) => counts);
        verdicts.push(await gate.askAgain(tx, asker, { ...stake, ...screens }, { at, except, earlier }));
      }
      return {
        denied: verdicts.find(({ denied }) => denied !== null)?.denied ?? null,
        requirements: eachOnce(verdicts.flatMap(({ requirements }) => requirements)),
      };
    },
    ended: end,
    async carryOut(approval, signal, judge) {
      const { accountId, subject } = approval;
      // Nothing is offered while the node is away, or spending is halted.
      await deps.conditions.current();
      const record = waits(approval, await store.read.contracts.find(accountId, subject as ContractId));
      if (record === null) return giveUp(approval, 'the contract has ended otherwise');
      const requestedExpiry = await approvedExpiry(store.read, approval, record);
      try {
        const expiresAt = await deps.requireOpen(record, requestedExpiry, signal);
        signal.throwIfAborted();
        const after = await commit(approval, expiresAt, judge);
        if (after !== null) deps.driver.takeOn(after);
      } catch (error) {
        if (!isFinal(error)) throw error;
        await giveUp(approval, `it was approved, and could not be made: ${error.message}`);
      }
    },
  };
}

/** In the job that closes its approval. */
async function end(tx: Repositories, approval: ListedApproval, reason: string, now: number): Promise<void> {
  const held = await waiting(tx, approval);
  if (held) await applyMove(tx, held, await endUnapprovedContract(tx, held, reason, now), now);
}

/** Held by the job; null where it waits no more. */
const waiting = async (tx: Repositories, approval: ListedApproval): Promise<ContractRecord | null> =>
  waits(approval, await tx.contracts.findForUpdate(approval.accountId, approval.subject as ContractId));

const waits = (
  { approvalId }: Pick<ApprovalRecord, 'approvalId'>,
  record: ContractRecord | null,
): ContractRecord | null =>
  record?.status === 'awaiting_approval' && record.approvalId === approvalId ? record : null;

/** From the very text that was approved; throws where what would be signed is other than that. */
async function approvedExpiry(
  read: Repositories,
  approval: ApprovalRecord,
  record: ContractRecord,
): Promise<number | undefined> {
  const { expires_at, offer_message, accept_message } = approvedSigns<ContractText>(approval);
  const { offer, accept } =
    accept_message === null
      ? { offer: await offerBytes(read, record), accept: null }
      : await messageBytes(read, record);
  const same = hex(offer) === offer_message && (accept && hex(accept)) === accept_message;
  if (!same) throw new Error(`contract ${record.contractId} is another than was approved as ${approval.digest}`);
  return expires_at === null ? undefined : Date.parse(expires_at);
}
