import type { Applied } from '../../chain/follower/chain-sink.ts';
import type { Outpoint, Txid } from '../../core/outpoint.ts';

/** What a write job has brought to light so far. Made anew in each run of the job. */
export interface Changes {
  readonly scripts: string[];
  readonly coins: Outpoint[];
  readonly inputs: Outpoint[];
  readonly dead: Set<Txid>;
  readonly ignored: Set<Txid>;
}

export const noChanges = (): Changes => ({
  scripts: [],
  coins: [],
  inputs: [],
  dead: new Set(),
  ignored: new Set(),
});

export const asApplied = (changes: Changes): Applied => ({
  ...changes,
  dead: [...changes.dead],
  ignored: [...changes.ignored],
});
