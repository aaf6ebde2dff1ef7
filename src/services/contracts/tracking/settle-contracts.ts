import { coinHoldOf } from '../../../core/dlc/coin-hold.ts';
import type { Repositories } from '../../../store/store.ts';
import { endUnapprovedContract } from '../approving/end-unapproved-contract.ts';
import { endHeldSteps } from '../approving/held-steps.ts';
import { contractEvent, hasSameEvent } from '../contract-event.ts';
import { stageOf } from '../contract-states.ts';
import type { AffectedContracts } from './affected-contracts.ts';
import { chainStatusOf } from './chain-status.ts';

/**
 * Brings what the job has learned to the contracts' records: the facts, the status that follows from them, and where that (or the
 * outcome) changed an event, which takes back the last one where the chain did. Forgets what it has written down.
 */
export async function settleContracts(tx: Repositories, affected: AffectedContracts, now: number): Promise<void> {
  if (affected.size === 0) return;
  const all = [...affected.values()];
  affected.clear();
  for (const one of all) {
    const { contract, lostCoin } = one;
    const { accountId, contractId } = contract;
    const { patch: found, retracts } = chainStatusOf(one);
    const ends = contract.status === 'awaiting_approval' && found.status === 'failed';
    const patch = ends ? { ...found, ...(await endUnapprovedContract(tx, contract, found.reason ?? '', now)) } : found;
    if (Object.keys(patch).length === 0) continue;
    await tx.contracts.update(accountId, contractId, { ...patch, updatedAt: now });
    const after = { ...contract, ...patch };
    if (stageOf(contract) !== stageOf(after)) await endHeldSteps(tx, after, now);
    if (hasSameEvent(contract, after)) continue;
    // Nothing else lets go of what a contract holds before its funding transaction does.
    if (after.status === 'failed' && lostCoin !== undefined) {
      await tx.coins.release(accountId, coinHoldOf(contractId));
    }
    const last = retracts ? await tx.events.latestFor('contracts', contractId, accountId) : null;
    await tx.events.append(contractEvent(after, last));
    if (after.status !== contract.status) tx.contractMoves.note({ from: contract.status, contract: after, retracts });
  }
}
