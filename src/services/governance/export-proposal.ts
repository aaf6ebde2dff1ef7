/** A proposal as a file that anybody recounts without the service (core/governance/export-file.ts says what the lines are). */
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { scopeAllows } from '../../core/access.ts';
import { hex } from '../../core/bytes.ts';
import { DomainError } from '../../core/errors.ts';
import { subjectOf } from '../../core/governance/commitments.ts';
import { type ExportedLine, GOVERNANCE_EXPORT, textOfLine } from '../../core/governance/export-file.ts';
import type { AccountId, ProposalId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import type { AuditHead } from '../../store/repositories/audit.ts';
import type { ProposalRecord } from '../../store/repositories/proposals.ts';
import type { Store } from '../../store/store.ts';
import { logKeyViews } from '../audit/audit-log-keys.ts';
import type { LogKeys } from '../audit/log-keys.ts';
import { inclusionProof } from '../audit/tree.ts';
import type { TreeHeads } from '../audit/tree-heads.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Proposals } from './proposals.ts';
import { statementOf } from './snapshots.ts';

/** Votes in a piece: what is in memory at once. */
const VOTES = 100;
/** In a leaf or a vote: cheaper than parsing it. Within a body the marks are escaped. */
const KEY_ID = /"key_id":"([\w-]{43})"/g;
const inflated = promisify(inflateRaw);

export interface ExportDeps {
  readonly store: Store;
  readonly network: Network;
  readonly clock: () => number;
  readonly audit: { readonly heads: TreeHeads; readonly keys: LogKeys };
  readonly proposals: Pick<Proposals, 'get' | 'found'>;
}

export function createExportProposal({ store, network, clock, audit: { heads, keys }, proposals }: ExportDeps) {
  const { read } = store;

  /** Throws `state_conflict` before the record is sealed. */
  async function sealed(accountId: AccountId, recordId: string) {
    const record = await read.audit.find({ logId: accountId, recordId });
    if (record?.seal != null) return { entry: record.entry, position: record.seal.position };
    throw new DomainError('state_conflict', 'the last record is not sealed yet: that takes less than a second', {
      retryAfterSeconds: 1,
    });
  }
  type Sealed = Awaited<ReturnType<typeof sealed>>;

  async function recordLine(
    head: AuditHead,
    { entry, position }: Sealed,
    jwk?: Record<string, string>,
  ): Promise<string> {
    const proof = (await inclusionProof(read, head.logId, position, head.size)).map(hex);
    return textOfLine({ type: 'record', position, proof, entry, ...(jwk && { jwk }) });
  }

  /** Of one moment: votes may be coming in. */
  const asOfNow = (proposalId: ProposalId, context: RequestContext) =>
    store.write(async (tx) => {
      const { accountId } = context;
      await tx.governance.lockDao(accountId);
      const proposal = await proposals.found(tx, proposalId, context);
      const last = await tx.recounts.lastCast(accountId, proposalId);
      const subject = proposal.status === 'active' ? subjectOf.votes : subjectOf.end;
      const snapshot = await tx.recounts.findSnapshot(accountId, proposalId);
      const created = await tx.audit.committing(accountId, subjectOf.creation(proposalId));
      const counted = await tx.audit.committing(accountId, subject(proposalId));
      if (snapshot === null || created === null)
        throw new DomainError('state_conflict', 'no snapshot was kept of this proposal: it cannot be recounted');
      return { proposal, casts: last?.number ?? 0, snapshot, records: [created, counted].filter((id) => id !== null) };
    });

  /** Keys that the snapshot has are noted. */
  async function* leaves(accountId: AccountId, root: string, shown: Set<string>) {
    for (let piece = await read.recounts.pieceAfter(accountId, root, ''); piece !== null; ) {
      const text = (await inflated(piece.leaves)).toString('utf8');
      for (const [, keyId] of text.matchAll(KEY_ID)) shown.add(keyId!);
      yield text.replaceAll(/^(.+)$/gm, '{"type":"leaf","leaf":$1}');
      piece = await read.recounts.pieceAfter(accountId, root, piece.first_holder);
    }
  }

  async function* votes(of: ProposalRecord, upTo: number, { head, shown }: { head: AuditHead; shown: Set<string> }) {
    const { accountId, proposalId } = of;
    for (let after = 0; after < upTo; after += VOTES) {
      const page = { after, upTo: Math.min(after + VOTES, upTo) };
      let text = '';
      for (const statement of await read.recounts.casts(accountId, proposalId, page)) {
        for (const [, keyId] of statement.matchAll(KEY_ID)) {
          if (shown.has(keyId!)) continue;
          shown.add(keyId!);
          text += await enrolmentLine(accountId, keyId!, head);
        }
        text += `{"type":"cast","cast":${statement}}\n`;
      }
      yield text;
    }
  }

  /** Nothing where none is known: then a recount says so. */
  async function enrolmentLine(accountId: AccountId, keyId: string, head: AuditHead): Promise<string> {
    const recordId = await read.audit.committing(accountId, subjectOf.key(keyId));
    const key = await read.signingKeys.find(accountId, keyId);
    return recordId === null || key === null
      ? ''
      : recordLine(head, await sealed(accountId, recordId), { ...key.publicJwk });
  }

  return async (proposalId: ProposalId, context: RequestContext): Promise<AsyncIterable<string>> => {
    if (!scopeAllows(context.credential.scopes, 'compliance:read'))
      throw new DomainError(
        'forbidden',
        'the export has records of the audit log: this needs the scope compliance:read',
      );
    // Ends it where it is over.
    await proposals.get(proposalId, context);
    const { accountId } = context;
    const { proposal, casts, snapshot, records } = await asOfNow(proposalId, context);
    const exportedAt = new Date(clock()).toISOString();
    const found = await Promise.all(records.map((recordId) => sealed(accountId, recordId)));
    const head = await heads.fresh(accountId);
    const verifiers = (await logKeyViews(keys, accountId)).map(({ verifier }) => verifier);
    const { size, root, note } = head;
    const opening: ExportedLine[] = [
      { type: 'proposal', format: GOVERNANCE_EXPORT, statement: statementOf(proposal, network, snapshot) },
      { type: 'head', log: accountId, size, root: hex(root), note, verifiers },
    ];
    const tally: ExportedLine = {
      ...{ type: 'tally', status: proposal.status, cancelled: proposal.cancelledAt !== null },
      ...{ votes_for: String(proposal.votesFor), votes_against: String(proposal.votesAgainst) },
      ...{ total_power: String(proposal.totalPower), voters: proposal.voters, exported_at: exportedAt },
    };
    return (async function* () {
      yield opening.map(textOfLine).join('');
      for (const record of found) yield await recordLine(head, record);
      const shown = new Set<string>();
      yield* leaves(accountId, snapshot.root, shown);
      yield* votes(proposal, casts, { head, shown });
      yield textOfLine(tally);
    })();
  };
}
export type ExportProposal = ReturnType<typeof createExportProposal>;
