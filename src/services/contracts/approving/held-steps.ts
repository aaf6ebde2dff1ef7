/** Steps of a contract that rules want approved first: what is approved, and their end where the contract takes them no more. */
import { formatBtc } from '../../../core/amount.ts';
import { hex } from '../../../core/bytes.ts';
import type { ContractTransaction } from '../../../core/dlc/transactions/contract-transaction.ts';
import type { ContractId } from '../../../core/ids.ts';
import type { Network } from '../../../core/network.ts';
import { type TransactionText, transactionText } from '../../../core/policies/approval-text.ts';
import type { ContractStep } from '../../../core/policies/signs-text.ts';
import { p2wsh } from '../../../core/scripts/output-scripts.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../../store/store.ts';
import type { KeptOperation } from '../../approvals/held-operation.ts';
import { failApproval } from '../../approvals/open-approval.ts';
import type { Looking } from '../../policies/gate.ts';
import { stakesBySide } from '../asked-of-contract.ts';
import { allows, type ContractAction, stateConflict } from '../contract-states.ts';
import type { LoadedContract } from '../load-contract.ts';
import { ownSides, requireSide } from '../sides/side-keys.ts';

/** What spends the funding output, before it is signed. */
export function closingText(
  { record, contract }: Pick<LoadedContract, 'record' | 'contract'>,
  { raw }: Pick<ContractTransaction, 'raw'>,
  network: Network,
  step: Omit<ContractStep, 'contract_id' | 'sides'> = {},
): TransactionText {
  const payouts = { offer: contract.offer.party.payoutScript, accept: contract.acceptParty.payoutScript };
  const stakes = stakesBySide(record);
  const own = ownSides(record).map((side) => ({
    side,
    walletId: requireSide(record, side).walletId,
    script: hex(payouts[side]),
  }));
  const funding = { amountSats: contract.fundingAmountSats, scriptPubKey: hex(p2wsh(contract.fundingScript)) };
  const isOwn = (script: string) => own.some((one) => one.script === script);
  const text = transactionText(raw, { walletId: own[0]!.walletId, network, spent: [funding], isOwn });
  const sides = own.map(({ side, walletId, script }) => ({
    ...{ side, wallet_id: walletId, put_in: formatBtc(stakes[side]) },
    // Below the dust limit it has no output.
    gets: text.outputs.find((output) => output.script === script)?.amount ?? formatBtc(0n),
  }));
  return { ...text, contract: { contract_id: record.contractId, sides, ...step } };
}

/** What is at stake was counted when the contract was offered or accepted. */
export const notCountingItself = (contract: Pick<ContractRecord, 'counts'> | null): Looking => ({
  except: contract?.counts ?? [],
});

/** What approved the contract when it was offered or accepted: a rule that wants no more than that for its signature is not asked again. */
export async function approvedBefore(
  read: Pick<Repositories, 'approvals'>,
  contract: ContractRecord,
): Promise<Looking> {
  const { accountId, approvalId } = contract;
  const approval = approvalId && (await read.approvals.find(accountId, approvalId));
  return { ...notCountingItself(contract), approvedFor: approval?.status === 'approved' ? approval.requirements : [] };
}

const HELD_STEPS = ['accept', 'sign', 'execute', 'close', 'cancel'] as const satisfies readonly ContractAction[];
type HeldStep = (typeof HELD_STEPS)[number];

const idOf = (step: HeldStep): string => `contract.${step}`;

/** Of each step. */
export const onContract = (step: HeldStep) =>
  ({
    id: idOf(step),
    access: { scope: 'contracts:write', role: 'operator' },
    hold: (tx, { accountId, subject }) => tx.contracts.findForUpdate(accountId, subject as ContractId),
    lookAgain: async (tx, { accountId, subject }) =>
      notCountingItself(await tx.contracts.find(accountId, subject as ContractId)),
  }) as const satisfies Partial<KeptOperation<never, never>>;

/**
 * In a job that moves it on: nobody can approve a step that it takes no more. Only of these operations: the subject of an attestation is an
 * event id, which a caller chooses and may equal a contract id.
 */
export async function endHeldSteps(tx: Repositories, moved: ContractRecord, now: number): Promise<void> {
  for (const { requestOf, ...key } of await tx.approvals.heldAbout(moved.accountId, moved.contractId)) {
    const step = HELD_STEPS.find((one) => idOf(one) === requestOf);
    if (step !== undefined && !allows(step, moved))
      await failApproval(tx, key, stateConflict(step, moved).message, now);
  }
}
