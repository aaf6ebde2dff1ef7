import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';

/** One thing that takes a contract from one committed state to the next, from what the database holds alone. */
export interface ContractStep {
  /** For the log. */
  readonly name: string;
  /** Adaptor signatures by the thousand: other contracts go on meanwhile. */
  readonly long?: true;
  /** It may wait for others' servers, or for workers: other contracts go on meanwhile. */
  readonly waits?: true;
  wants(contract: ContractRecord): boolean;
  /**
   * Moves the contract on, or answers null: it waits (for the chain, an oracle, the other side), or somebody else was faster. What it does
   * is committed conditionally: a step that runs twice has its effect once. Throws `contract_refused` where the contract can never go on.
   */
  run(contract: ContractRecord, signal: AbortSignal): Promise<ContractRecord | null>;
}
