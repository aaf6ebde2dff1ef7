/**
 * What a write job has learned of contracts from the chain: gathered while a transaction is gone over (what loses to it ends before it is
 * written down itself), and brought to the records once, with one event each (settle-contracts.ts).
 */
import type { BlockHash, Txid } from '../../../core/outpoint.ts';
import type { ClosingKind, ContractRecord } from '../../../store/repositories/contract-rows.ts';

/** The funding transaction is in a mempool (height null) or a block; or it cannot get into the chain, as far as is known. */
type FundingFact =
  | { readonly state: 'seen'; readonly height: number | null }
  | { readonly state: 'lost'; readonly reason: string; readonly cancelled: boolean };

/** What spends the funding output. */
interface ClosingFact {
  readonly txid: Txid;
  readonly kind: ClosingKind;
  readonly height: number | null;
  readonly hash: BlockHash | null;
}

export interface AffectedContract {
  /** As the job holds it. */
  readonly contract: ContractRecord;
  funding?: FundingFact;
  /** null: what spent it lives no more. */
  closing?: ClosingFact | null;
  /** Why it can't be funded any more: a coin that it holds went elsewhere. */
  lostCoin?: string;
}

/** By contract id. */
export type AffectedContracts = Map<string, AffectedContract>;

export function affectedContract(affected: AffectedContracts, contract: ContractRecord): AffectedContract {
  const known = affected.get(contract.contractId);
  if (known) return known;
  const fresh: AffectedContract = { contract };
  affected.set(contract.contractId, fresh);
  return fresh;
}
