/**
 * The lines of a proposal's export (NDJSON), in this order: `proposal`, `head` (the signed head of the account's audit log), `record`s of the
 * log (the creation; the end, or the last vote), each `leaf` of the snapshot by holder, each `cast` by number (before the first by a key that is
 * not in the snapshot, the `record` of the key's enrolment), `tally`.
 */
import { z } from 'zod';
import { NETWORKS } from '../network.ts';
import { PROPOSAL_STATUSES } from './proposal-outcome.ts';
import { SIDES } from './tally.ts';

export const GOVERNANCE_EXPORT = 'ashlar-governance-1';

/** No blanks and line breaks: these stand in texts that are signed or hashed. */
const word = z.string().regex(/^[\x21-\x7e]{1,200}$/);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);
const tokens = z.string().regex(/^\d{1,16}\.\d{8}$/);
const power = z.string().regex(/^(0|[1-9]\d{0,19})$/);
const time = z.iso.datetime();

/** What the creation's audit record commits to. */
export const proposalStatement = z.strictObject({
  dao: word,
  network: z.enum(NETWORKS),
  proposal_id: word,
  proposer_id: word,
  type: word,
  title: z.string(),
  description: z.string(),
  parameters: z.unknown(),
  settings: z.looseObject({
    quorum_percent: count.max(100),
    threshold_percent: count.max(100),
  }),
  snapshot: z.strictObject({ seq: count, root: hash, holders: count }),
  created_at: time,
  expires_at: time,
});
export type ProposalStatement = z.infer<typeof proposalStatement>;

const jwk = z.record(z.string(), z.string());

/** A holder at the snapshot. Power follows: whole tokens that are not delegated, and whole tokens of each delegation. */
export const snapshotLeaf = z.strictObject({
  holder_id: word,
  /** A Bitcoin address, or the id in bech32m. */
  address: word,
  /** With what is delegated. */
  balance: tokens,
  /** Out, oldest first. */
  delegations: z.array(z.strictObject({ delegation_id: word, to: word, amount: tokens })),
  /** That may sign for the holder, by id. */
  keys: z.array(z.strictObject({ key_id: word, jwk })),
});
export type SnapshotLeaf = z.infer<typeof snapshotLeaf>;

/** What shows that the holder cast the vote. */
export const voteProofFile = z.discriminatedUnion('kind', [
  /** The request with its RFC 9421 signature. */
  z.strictObject({ kind: z.literal('request'), key_id: word, base: z.string(), value: z.string(), body: z.string() }),
  /** Over voteText, by the address of the holder's leaf. */
  z.strictObject({ kind: z.literal('message'), signature: z.string() }),
  /** Of a credential that need not sign: the service's word. */
  z.strictObject({ kind: z.literal('none') }),
]);
export type VoteProof = z.infer<typeof voteProofFile>;

/** A vote as it was cast, the later ones of a holder in the place of the earlier. */
export const voteStatement = z.strictObject({
  /** On this proposal, from 1 on, whoever votes. */
  number: count.min(1),
  holder_id: word,
  revision: count.min(1),
  vote: z.enum(SIDES),
  power,
  cast_at: time,
  proof: voteProofFile,
});
export type VoteStatement = z.infer<typeof voteStatement>;

export const exportLine = z.discriminatedUnion('type', [
  z.object({ type: z.literal('proposal'), format: z.string(), statement: proposalStatement }),
  z.object({
    type: z.literal('head'),
    log: word,
    size: count,
    root: hash,
    /** Signed note of this head. */
    note: z.string(),
    verifiers: z.array(z.string()),
  }),
  z.object({
    type: z.literal('record'),
    position: count,
    /** The audit path of RFC 6962 §2.1.1 under the head, nearest hash first. */
    proof: z.array(hash).max(64),
    /** Its text, as it is hashed. */
    entry: z.string(),
    /** Of an enrolment: the key. */
    jwk: jwk.optional(),
  }),
  z.object({ type: z.literal('leaf'), leaf: snapshotLeaf }),
  z.object({ type: z.literal('cast'), cast: voteStatement }),
  z.object({
    type: z.literal('tally'),
    status: z.enum(PROPOSAL_STATUSES),
    cancelled: z.boolean(),
    votes_for: power,
    votes_against: power,
    total_power: power,
    /** Holders whose vote has power. */
    voters: count,
    exported_at: time,
  }),
]);
export type ExportedLine = z.infer<typeof exportLine>;
export const textOfLine = (line: ExportedLine): string => `${JSON.stringify(line)}\n`;
