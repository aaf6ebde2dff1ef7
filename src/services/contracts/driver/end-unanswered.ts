/**
 * Ends what waits in vain, for approval or for the other side: an offer that is not accepted, ours or somebody's, and an acceptance of ours that is not signed;
 * and what we were to sign, where that was interrupted and comes too late now. Nobody has our signatures of the funding then: what is held
 * for it is free.
 */

import { pastRefund } from '../../../core/dlc/contract/checks/check-locktimes.ts';
import type { ContractRecord, ContractStatus } from '../../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../../store/store.ts';
import type { OracleService } from '../../oracles/oracle-service.ts';
import type { UtxoSnapshots } from '../../transactions/coins/utxo-snapshots.ts';
import { freeUnapproved } from '../approving/end-unapproved-contract.ts';
import type { ContractMoves } from '../contract-moves.ts';
import { attestedAlready, isExpired } from '../remote/answers/still-open.ts';
import { followedPoint } from '../settlement/chain-point.ts';
import type { ContractStep } from './contract-step.ts';

export function createEndUnanswered(deps: {
  read: Pick<Repositories, 'ledger'>;
  moves: Pick<ContractMoves, 'move'>;
  oracles: Pick<OracleService, 'attestationsOf'>;
  snapshots: Pick<UtxoSnapshots, 'forget'>;
  clock: () => number;
}): ContractStep {
  const { read, moves, oracles, snapshots, clock } = deps;

  /** What makes every answer come too late, whenever it comes; null where one may still be taken. */
  async function whyClosed(contract: ContractRecord): Promise<string | null> {
    const past = pastRefund(contract.refundLocktime, await followedPoint(read));
    return past === null ? attestedAlready(oracles, contract) : past;
  }

  return {
    name: 'end what nobody answers',
    wants: isUnsigned,
    async run(contract) {
      const closed = await whyClosed(contract);
      if (closed === null && !isExpired(contract, clock())) return null;
      const ended = await moves.move(contract, UNSIGNED, async (tx, held) => {
        // Answered since, or with another expiry: it was accepted.
        if (!isUnsigned(held) || (closed === null && !isExpired(held, clock()))) return null;
        const reason = closed ?? LATE[held.status] ?? null;
        await freeUnapproved(tx, held, reason ?? '', clock());
        return { status: 'cancelled', reason, progress: null };
      });
      for (const side of [ended?.offerSide, ended?.acceptSide]) if (side) snapshots.forget(side.walletId);
      return ended;
    },
  };
}

const LATE: Partial<Record<ContractStatus, string>> = {
  awaiting_approval: 'nobody approved it before the offer ended',
  offered: 'nobody accepted the offer in time',
  accepted: 'the offerer did not sign in time',
};

const UNSIGNED: readonly ContractStatus[] = ['awaiting_approval', 'offered', 'accepted'];

/** One holder's goes on by itself once it is approved. An offerer that has an acceptance waits no more: it has no expiry. */
const isUnsigned = ({ status, role }: ContractRecord): boolean =>
  status === 'awaiting_approval' || (role !== 'both' && UNSIGNED.includes(status));
