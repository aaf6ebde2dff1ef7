import type { Applied } from '../../chain/follower/chain-sink.ts';
import type { BlockHash, Outpoint, Txid } from '../../core/outpoint.ts';
import type { AffectedContracts } from '../contracts/tracking/affected-contracts.ts';

/** The block a transaction is in; time in Unix seconds. null: in the mempool. */
export type Place = { readonly height: number; readonly hash: BlockHash; readonly time: number } | null;

/** What a write job has brought to light so far. Made anew in each run of the job. */
export interface Changes {
  readonly scripts: string[];
  readonly coins: Outpoint[];
  readonly inputs: Outpoint[];
  readonly dead: Set<Txid>;
  readonly ignored: Set<Txid>;
  /** Contracts that it concerns, until their records say so. */
  readonly contracts: AffectedContracts;
}

export const noChanges = (): Changes => ({
  scripts: [],
  coins: [],
  inputs: [],
  dead: new Set(),
  ignored: new Set(),
  contracts: new Map(),
});

export const asApplied = ({ scripts, coins, inputs, dead, ignored }: Changes): Applied => ({
  scripts,
  coins,
  inputs,
  dead: [...dead],
  ignored: [...ignored],
});
