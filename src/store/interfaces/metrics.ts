import type { ContractKind } from '../records.ts';
import type { ContractStatus } from './contracts.ts';

/** What waits. `oldestAt` in epoch milliseconds, null where nothing does; at most 10,000 are counted. */
export interface Backlog {
  readonly count: number;
  readonly oldestAt: number | null;
}

/** Counts over every account, for those who watch the service: no record leaves it. */
export interface MetricsRepository {
  /** Of contracts that are not over; a status that none has is left out. */
  openContracts(): Promise<Map<ContractStatus, number>>;
  /** Of confirmed contracts whose refund has been final since this block (height; median time in Unix seconds). */
  overdueContracts(at: { height: number; medianTime: number }): Promise<number>;
  /**
   * Of contracts' signed transactions that were committed before `time` (epoch milliseconds) and that, by the last word on them, no mempool
   * and no block has. A kind of which there is none is left out.
   */
  unsentOfContracts(time: number): Promise<Map<ContractKind, number>>;
  /** Audit records without a seal, and events without a number. */
  backlog(): Promise<{ unsealed: Backlog; unnumbered: Backlog }>;
  /** Scripts of all wallets, and of the account that has most. */
  watchedScripts(): Promise<{ all: number; ofOneAccount: number }>;
  /** Oracles that attested two outcomes of one event, and events of local oracles that are attested no more. */
  oracles(): Promise<{ equivocated: number; frozenEvents: number }>;
}
