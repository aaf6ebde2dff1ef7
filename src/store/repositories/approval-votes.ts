import type { Role } from '../../core/access.ts';
import type { AccountId, ApprovalId } from '../../core/ids.ts';
import type { PublicJwk } from '../../core/request-signatures/signing-algorithm.ts';
import { flag, integer, json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { KeyOwner } from './signing-keys.ts';

const approvalVotes = table('approval_votes', ['approvalId', 'position'], {
  accountId: text<AccountId>(),
  approvalId: text<ApprovalId>(),
  /** From 1, in the order of the votes. */
  position: integer,
  decision: text<'approve' | 'reject'>(),
  credentialKind: text<KeyOwner['kind']>(),
  credentialId: text(),
  /** The person that the credential counted as; null: as itself. */
  countsAs: orNull(text()),
  /** At the time of the vote. */
  role: text<Role>(),
  groupIds: json<readonly string[]>(),
  comment: orNull(text()),
  /** The request's signature; with the body it can be verified. */
  keyId: text(),
  publicJwk: json<PublicJwk>(),
  nonce: text(),
  /** Path and query as sent. */
  path: text(),
  signatureBase: text(),
  /** Base64. */
  signature: text(),
  body: text(),
  /** It counted for the approval; set when that is approved. */
  counted: flag,
  createdAt: time,
});
export type ApprovalVoteRecord = RecordOf<typeof approvalVotes>;

declare module '../schema.ts' {
  interface Schema {
    approval_votes: RowOf<typeof approvalVotes>;
  }
}

const votes = rowsOf(approvalVotes);

export function approvalVoteRepository(session: Session) {
  return {
    insert: async (vote: ApprovalVoteRecord) => {
      await votes.insert(session, [vote]);
    },
    /** Marks the votes that counted. */
    count: async (accountId: AccountId, approvalId: ApprovalId, positions: readonly number[]) => {
      for (const position of positions)
        await votes.update(session, { accountId, approvalId, position }, { counted: true });
    },
    /** In order of arrival. */
    of: (accountId: AccountId, approvalId: ApprovalId) =>
      votes.all(session, { accountId, approvalId }, 'order by position'),
  };
}
