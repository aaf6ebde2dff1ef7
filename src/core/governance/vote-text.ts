/** What a vote's BIP322 signature is over: nothing in it is another proposal's, DAO's or network's, nor the holder's next vote's. */
import type { Network } from '../network.ts';
import type { Side } from './tally.ts';

export interface VoteClaim {
  /** The account's id. */
  readonly dao: string;
  readonly network: Network;
  readonly proposalId: string;
  readonly vote: Side;
  /** Whole units. */
  readonly power: bigint;
  /** Rises by one with each vote of a holder on a proposal, from 1 on. */
  readonly revision: number;
  /** The Merkle root, hex: who the holder with the address is. */
  readonly snapshot: string;
}

export const voteText = ({ dao, network, proposalId, vote, power, revision, snapshot }: VoteClaim): string =>
  ['ashlar-governance-vote', `dao: ${dao}`, `network: ${network}`, `proposal: ${proposalId}`, `vote: ${vote}`]
    .concat(`power: ${power}`, `revision: ${revision}`, `snapshot: ${snapshot}`)
    .join('\n');
