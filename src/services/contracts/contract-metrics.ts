/** How contracts and oracles stand, over every account: for those who watch the service. */

import type { ContractKind } from '../../store/records.ts';
import type { ContractStatus } from '../../store/repositories/contract-rows.ts';
import type { Store } from '../../store/store.ts';
import { sharedAnswer } from '../blockchain/shared-answer.ts';

export interface ContractMetrics {
  /** By status, those that are not over; one that none has is left out. */
  readonly open: ReadonlyMap<ContractStatus, number>;
  /** Confirmed, and their refund is final: each should be settled or refunded within a minute. null before a block is followed. */
  readonly overdue: number | null;
  /** Signed transactions of contracts, ten minutes old, that no node has; a kind of which there is none is left out. */
  readonly unsent: ReadonlyMap<ContractKind, number>;
  /** Oracles that attested two outcomes of one event. */
  readonly equivocatedOracles: number;
  /** Events of local oracles that are attested no more: the database was restored. */
  readonly frozenEvents: number;
}

/** Counting costs the database; whoever asks within this time is told the same. */
const FRESH_MS = 10_000;
const UNSENT_MS = 600_000;

/** Throws where the database does not answer. */
export function createContractMetrics(deps: {
  store: Pick<Store, 'read'>;
  clock: () => number;
}): () => Promise<ContractMetrics> {
  const { clock } = deps;
  const { metrics, ledger } = deps.store.read;

  async function count(): Promise<ContractMetrics> {
    const tip = await ledger.tip();
    const [open, overdue, unsent, oracles] = await Promise.all([
      metrics.openContracts(),
      tip && metrics.overdueContracts(tip),
      metrics.unsentOfContracts(clock() - UNSENT_MS),
      metrics.oracles(),
    ]);
    return { open, overdue, unsent, equivocatedOracles: oracles.equivocated, frozenEvents: oracles.frozenEvents };
  }

  return sharedAnswer(count, clock, FRESH_MS);
}
