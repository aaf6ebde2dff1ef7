/** Audit records in a proposal's export: each is in the log under the signed head, and commits to what it is there for. */
import { z } from 'zod';
import type { AuditEntry } from '../audit-log/audit-entry.ts';
import { hex } from '../bytes.ts';
import { leafHash, rootOfInclusion } from '../merkle/tree-hash.ts';
import type { PublicJwk } from '../request-signatures/signing-algorithm.ts';
import { endCommitment, proposalCommitment, type VoteChain, votesCommitment } from './commitments.ts';
import type { ExportedLine, ProposalStatement } from './export-file.ts';
import { RecountRefused } from './recount-refused.ts';

type Line<T extends ExportedLine['type']> = Extract<ExportedLine, { type: T }>;

export interface EnrolledKey {
  readonly holderId: string;
  readonly jwk: unknown;
  /** Epoch milliseconds. */
  readonly at: number;
}

export function createRecords(statement: ProposalStatement, { size, root, log }: Line<'head'>) {
  const { proposal_id: proposalId } = statement;
  /** By key id. */
  const enrolled = new Map<string, EnrolledKey>();
  let created = false;
  /** Of the end, or of a vote. */
  let ofVotes: string | null = null;

  function entryOf({ position, proof, entry: text }: Line<'record'>, place: string) {
    const hashes = proof.map((hash) => Buffer.from(hash, 'hex'));
    const leads = rootOfInclusion(leafHash(Buffer.from(text)), { position, size }, hashes);
    if (leads === null || hex(leads) !== root)
      throw new RecountRefused(
        'it is not in the audit log under the head of the file: it was changed; export it again',
        place,
      );
    const entry = entryIn(text);
    if (entry === null) throw new RecountRefused('it is no entry of an audit log', place);
    if (entry.log !== log || entry.outcome !== 'done') throw new RecountRefused(`it is not of the log ${log}`, place);
    return entry;
  }

  return {
    enrolled,
    take(line: Line<'record'>): void {
      const place = `record ${line.position}`;
      const entry = entryOf(line, place);
      const { commitment = null } = entry;
      const [word, ofWhat = '', holderId = ''] = commitment?.split(' ') ?? [];
      if (word === 'governance-key')
        enrolled.set(ofWhat, { holderId, jwk: line.jwk as PublicJwk | undefined, at: Date.parse(entry.time) });
      else if (word !== undefined && ofWhat !== proposalId)
        throw new RecountRefused(`it is of the proposal ${ofWhat}: export ${proposalId} again`, place);
      else if (word === 'governance-proposal') {
        if (commitment !== proposalCommitment(statement))
          throw new RecountRefused(
            'the proposal or the root of its snapshot is not what the audit log has since its creation',
            'proposal',
          );
        created = true;
      } else if (word === 'governance-votes' || word === 'governance-end') ofVotes = commitment;
      else throw new RecountRefused('it says nothing of the proposal or its votes', place);
    },
    checkCreation(): void {
      if (!created)
        throw new RecountRefused('the audit record of its creation is missing: export it again', 'proposal');
    },
    /** Whether these are all votes of the record at the end; of a proposal that goes on, of the last vote. */
    checkEnd({ status, cancelled }: Pick<Line<'tally'>, 'status' | 'cancelled'>, votes: VoteChain): void {
      if (status === 'active' && votes.number === 0 && ofVotes === null) return;
      const expected =
        status === 'active'
          ? votesCommitment(proposalId, votes)
          : endCommitment(proposalId, cancelled ? 'cancelled' : status, votes);
      if (ofVotes === expected) return;
      if (ofVotes === null)
        throw new RecountRefused('the audit record that counts the votes is missing: export it again', 'votes');
      const said = Number(ofVotes.split(' ').at(-2));
      throw new RecountRefused(
        said === votes.number
          ? 'a vote was changed, or the outcome is not the one in the audit log: the votes do not make the hash chain there'
          : `the audit log counts ${said} votes and the file has ${votes.number}: some were left out or put in; export it again`,
        'votes',
      );
    },
  };
}

/** What is read of it; null where the text is none. */
function entryIn(text: string): Pick<AuditEntry, 'log' | 'outcome' | 'time' | 'commitment'> | null {
  try {
    return entryShape.parse(JSON.parse(text)) as AuditEntry;
  } catch {
    return null;
  }
}
const entryShape = z.object({
  ...{ log: z.string(), outcome: z.string(), time: z.string(), commitment: z.string().nullish() },
});
