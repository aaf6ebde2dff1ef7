import type { AccountId } from '../../core/ids.ts';
import { bytes, integer, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { decodeCursor, encodeCursor } from '../queries/cursor.ts';
import type { Page, PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

/** Transactions that carry a head in an OP_RETURN output. */
export const auditAnchors = table('audit_anchors', ['anchorId'], {
  anchorId: text(),
  logId: text(),
  size: integer,
  root: bytes,
  accountId: text<AccountId>(),
  /** As first broadcast; a replacement is found by the transaction's record. */
  txid: text(),
  time,
});
export type AuditAnchor = RecordOf<typeof auditAnchors>;

declare module '../schema.ts' {
  interface Schema {
    audit_anchors: RowOf<typeof auditAnchors>;
  }
}

const LIST = 'audit anchors';

export const anchors = rowsOf(auditAnchors);
const anchorsOf = prepared((db, p: { logId: string; offset: bigint; limit: bigint }) =>
  db
    .selectFrom('audit_anchors')
    .selectAll()
    .where('log_id', '=', p.logId)
    .orderBy('time', 'desc')
    .orderBy('anchor_id', 'desc')
    .limit(p.limit)
    .offset(p.offset),
);

/** Newest first. Anchors are few (each costs a fee): pages go by offset, and the cursor is one. */
export async function pageByTime(session: Session, logId: string, page: PageRequest): Promise<Page<AuditAnchor>> {
  const offset = page.cursor === undefined ? page.offset : decodeCursor(LIST, ['count'], page.cursor)[0];
  const total = await anchors.count(session, { logId });
  const rows = await anchorsOf.all(session, { logId, offset: BigInt(offset), limit: BigInt(page.limit) });
  const hasMore = offset + rows.length < total;
  return {
    data: rows.map(anchors.record),
    total,
    limit: page.limit,
    offset,
    hasMore,
    nextCursor: hasMore ? encodeCursor(LIST, [offset + rows.length]) : null,
  };
}
