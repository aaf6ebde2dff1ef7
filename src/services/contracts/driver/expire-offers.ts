/** An offer that nobody took by its time, and whose coins nobody may wait for any longer. */
import { coinHoldOf } from '../../../core/dlc/coin-hold.ts';
import type { ContractMoves } from '../contract-moves.ts';
import type { ContractStep } from './contract-step.ts';

export function createExpireOffers(deps: { moves: Pick<ContractMoves, 'move'>; clock: () => number }): ContractStep {
  const { moves, clock } = deps;
  return {
    name: 'expire',
    wants: ({ status, role, expiresAt }) =>
      status === 'offered' && role !== 'both' && expiresAt !== null && expiresAt <= clock(),
    run: (contract) =>
      moves.move(contract, ['offered'], async (tx, held) => {
        if (held.expiresAt === null || held.expiresAt > clock()) return null;
        await tx.coins.release(held.accountId, coinHoldOf(held.contractId));
        return { status: 'cancelled', reason: 'nobody accepted the offer in time', progress: null };
      }),
  };
}
