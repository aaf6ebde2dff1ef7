/** What audit records say of governance, so that nothing of it can be changed, left out or put in afterwards. */
import { hash } from 'node:crypto';
import { canonicalJson } from '../audit-log/canonical-json.ts';
import { FIRST_PREVIOUS_HASH, sealHash } from '../merkle/hash-chain.ts';
import { leafHash } from '../merkle/tree-hash.ts';
import type { ProposalStatement, VoteStatement } from './export-file.ts';

/** The votes on a proposal so far: how many were cast, and the hash chain over them. */
export interface VoteChain {
  readonly number: number;
  readonly chain: Uint8Array;
}
export const NO_VOTES: VoteChain = { number: 0, chain: FIRST_PREVIOUS_HASH };

export const withVote = ({ chain }: VoteChain, cast: VoteStatement): VoteChain => ({
  number: cast.number,
  chain: sealHash(chain, leafHash(Buffer.from(canonicalJson(cast)))),
});

const chainText = ({ number, chain }: VoteChain): string => `${number} ${Buffer.from(chain).toString('hex')}`;

/** What records commit to: of a commitment the first two words. */
export const subjectOf = {
  creation: (proposalId: string): string => `governance-proposal ${proposalId}`,
  votes: (proposalId: string): string => `governance-votes ${proposalId}`,
  end: (proposalId: string): string => `governance-end ${proposalId}`,
  key: (keyId: string): string => `governance-key ${keyId}`,
};

/** Of a proposal's creation: the snapshot's root, and the digest of the whole statement. */
export const proposalCommitment = (statement: ProposalStatement): string =>
  `${subjectOf.creation(statement.proposal_id)} ${statement.snapshot.root} ${hash('sha256', canonicalJson(statement), 'hex')}`;

/** Of each vote: all up to this one. */
export const votesCommitment = (proposalId: string, votes: VoteChain): string =>
  `${subjectOf.votes(proposalId)} ${chainText(votes)}`;

export type End = 'passed' | 'rejected' | 'cancelled';
export const endCommitment = (proposalId: string, end: End, votes: VoteChain): string =>
  `${subjectOf.end(proposalId)} ${end} ${chainText(votes)}`;

/** Of a signing key's enrolment: for which holder it signs. */
export const keyCommitment = ({ keyId, holderId }: { keyId: string; holderId: string }): string =>
  `${subjectOf.key(keyId)} ${holderId}`;
