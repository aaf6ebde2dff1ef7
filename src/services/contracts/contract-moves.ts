/** The one way a contract goes from state to state: held, checked, changed and told in one write job, and a line in the log after it. */

import type { Logger } from 'pino';
import type { AccountId, ContractId } from '../../core/ids.ts';
import type { ContractPatch, ContractRecord, ContractStatus } from '../../store/repositories/contract-rows.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { endHeldSteps } from './approving/held-steps.ts';
import { contractEvent, hasSameEvent } from './contract-event.ts';
import { mayFollow, stageOf } from './contract-states.ts';

export interface ContractKey {
  readonly accountId: AccountId;
  readonly contractId: ContractId;
}

/** What a job makes of the contract that it holds; null: nothing after all. */
type Move = (tx: Repositories, held: ContractRecord) => Promise<ContractPatch | null>;

/** The change itself, for jobs that do more than move one contract: the record as it is then. Throws where the table has no such way. */
export async function applyMove(
  tx: Repositories,
  held: ContractRecord,
  patch: ContractPatch,
  now: number,
): Promise<ContractRecord> {
  const to = patch.status ?? held.status;
  if (to !== held.status && !mayFollow(held.status, to)) {
    throw new Error(`contract ${held.contractId} cannot go from ${held.status} to ${to}`);
  }
  const moved: ContractRecord = { ...held, ...patch, updatedAt: now };
  await tx.contracts.update(held.accountId, held.contractId, { ...patch, updatedAt: now });
  if (stageOf(held) !== stageOf(moved)) await endHeldSteps(tx, moved, now);
  if (!hasSameEvent(held, moved)) await tx.events.append(contractEvent(moved));
  if (to !== held.status) tx.contractMoves.note({ from: held.status, contract: moved, retracts: false });
  return moved;
}

/** Of one that the job has inserted. */
export async function appendCreatedEvent(tx: Repositories, contract: ContractRecord): Promise<void> {
  await tx.events.append(contractEvent(contract));
  tx.contractMoves.note({ from: null, contract, retracts: false });
}

/** One line for each transition, whoever makes it, after its commit and in its process. Answers what ends it. */
export const logContractMoves = (
  store: Pick<Store, 'onContractMoves'>,
  log: Pick<Logger, 'info' | 'warn'>,
): (() => void) =>
  store.onContractMoves(({ from, contract, retracts }) => {
    const { contractId, status, outcome, reason, role } = contract;
    const line = { contractId, from, to: status, role, outcome, ...(reason === null ? {} : { reason }) };
    if (status === 'failed') log.warn(line, 'a contract failed');
    else log.info(line, retracts ? 'a contract was moved back by the chain' : 'a contract moved on');
  });

export function createContractMoves({ store, clock }: { store: Store; clock: () => number }) {
  return {
    /**
     * Holds the contract and, where it is in one of `from`, moves it by what `work` answers. Null where it is elsewhere by now (another
     * replica, the chain or a cancellation was faster) or `work` answers null: then nothing is written.
     */
    move: ({ accountId, contractId }: ContractKey, from: readonly ContractStatus[], work: Move) =>
      store.write(async (tx) => {
        const held = await tx.contracts.findForUpdate(accountId, contractId);
        if (held === null || !from.includes(held.status)) return null;
        const patch = await work(tx, held);
        return patch && applyMove(tx, held, patch, clock());
      }),

    /** How far long work is; not told where the contract has moved on. At most 20 a stage reach the channel. */
    progress: ({ accountId, contractId }: ContractKey, from: ContractStatus, progress: ContractRecord['progress']) =>
      store.write(async (tx) => {
        const held = await tx.contracts.findForUpdate(accountId, contractId);
        if (held === null || held.status !== from) return false;
        await applyMove(tx, held, { progress }, clock());
        return true;
      }),
  };
}

export type ContractMoves = ReturnType<typeof createContractMoves>;
