import type { ContractRecord, ContractStatus } from './contracts.ts';

/** A contract's step from one status to another, for those who are told of it once it is committed. */
export interface ContractMove {
  /** null: it is new. */
  readonly from: ContractStatus | null;
  /** As it is then. */
  readonly contract: ContractRecord;
  /** The chain took back what was told before. */
  readonly retracts: boolean;
}
