/**
 * What a write job has learned of contracts from the chain: gathered while a transaction is gone over (what loses to it ends before it is
 * written down itself), and brought to the records once, with one event each (settle-contracts.ts).
 */
import type { BlockHash, Txid } from '../../../core/outpoint.ts';
import type { ClosingKind, ContractRecord } from '../../../store/tables/contracts.ts';

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

export interface TouchedContract {
  /** As the job holds it. */
  readonly contract: ContractRecord;
  funding?: FundingFact;
  /** null: what spent it lives no more. */
  closing?: ClosingFact | null;
  /** Why it can't be funded any more: a coin that it holds went elsewhere. */
  lostCoin?: string;
}

/** By contract id. */
export type TouchedContracts = Map<string, TouchedContract>;

export function touch(touched: TouchedContracts, contract: ContractRecord): TouchedContract {
  const known = touched.get(contract.contractId);
  if (known) return known;
  const fresh: TouchedContract = { contract };
  touched.set(contract.contractId, fresh);
  return fresh;
}
