/** What a proposal is recounted from: the leaves of its snapshot, and each vote as it was cast. */
import { sql } from 'kysely';
import type { VoteStatement } from '../../core/governance/export-file.ts';
import type { AccountId, ProposalId } from '../../core/ids.ts';
import { bytes, integer, json, type RecordOf, type RowOf, table, text } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const snapshotsTable = table('governance_snapshots', ['proposalId'], {
  accountId: text<AccountId>(),
  proposalId: text<ProposalId>(),
  /** Hex: proposals that are made with the same holders, addresses and keys have the same. */
  root: text(),
  holders: integer,
});
const piecesTable = table('governance_snapshot_pieces', ['firstHolder'], {
  accountId: text<AccountId>(),
  root: text(),
  firstHolder: text(),
  /** Deflated lines of leaves (core/governance/snapshot.ts). */
  leaves: bytes,
});
const castsTable = table('governance_casts', ['number'], {
  accountId: text<AccountId>(),
  proposalId: text<ProposalId>(),
  number: integer,
  statement: json<VoteStatement>(),
  /** The hash chain up to this one. */
  chain: bytes,
});
export type SnapshotPieceRecord = RecordOf<typeof piecesTable>;
export type CastRecord = RecordOf<typeof castsTable>;

declare module '../schema.ts' {
  interface Schema {
    governance_snapshots: RowOf<typeof snapshotsTable>;
    governance_snapshot_pieces: RowOf<typeof piecesTable>;
    governance_casts: RowOf<typeof castsTable>;
  }
}

const snapshots = rowsOf(snapshotsTable);
const pieces = rowsOf(piecesTable, 'on conflict (account_id, root, first_holder) do nothing');
const casts = rowsOf(castsTable);
const ends = rowsOf(castsTable, '', undefined, ['statement']);

type After<P> = { accountId: AccountId; limit: bigint } & P;
const holdersBehind = prepared((db, p: After<{ holderId: string }>) =>
  db
    .selectFrom('governance_holders')
    .select(['holder_id', 'address', 'balance'])
    .where('account_id', '=', p.accountId)
    .where('holder_id', '>', p.holderId)
    .orderBy('holder_id')
    .limit(p.limit),
);
const delegationsBehind = prepared((db, p: After<{ holderId: string; createdAt: bigint; delegationId: string }>) =>
  db
    .selectFrom('governance_delegations')
    .select(['delegation_id', 'holder_id', 'delegate_id', 'amount', 'from_seq', 'created_at'])
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`(holder_id, created_at, delegation_id) > (${p.holderId}, ${p.createdAt}, ${p.delegationId})`)
    .orderBy('holder_id')
    .orderBy('created_at')
    .orderBy('delegation_id')
    .limit(p.limit),
);
const keysBehind = prepared((db, p: After<{ createdAt: bigint; keyId: string }>) =>
  db
    .selectFrom('signing_keys')
    .select(['key_id', 'credential_id', 'public_jwk', 'created_at'])
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`revoked_at is null`)
    .where(sql<boolean>`(created_at, key_id) > (${p.createdAt}, ${p.keyId})`)
    .orderBy('created_at')
    .orderBy('key_id')
    .limit(p.limit),
);
const rotationsBehind = prepared((db, p: After<{ rotatedTo: string }>) =>
  db
    .selectFrom('api_keys')
    .select(['key_id', 'rotated_to'])
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`rotated_to is not null`)
    .where('rotated_to', '>', p.rotatedTo)
    .orderBy('rotated_to')
    .limit(p.limit),
);
const pieceOf = prepared((db, p: { accountId: AccountId; root: string; holderId: string }) =>
  db
    .selectFrom('governance_snapshot_pieces')
    .select('leaves')
    .where('account_id', '=', p.accountId)
    .where('root', '=', p.root)
    .where('first_holder', '<=', p.holderId)
    .orderBy('first_holder', 'desc')
    .limit(1n),
);
const nextPiece = prepared((db, p: { accountId: AccountId; root: string; after: string }) =>
  db
    .selectFrom('governance_snapshot_pieces')
    .select(['first_holder', 'leaves'])
    .where('account_id', '=', p.accountId)
    .where('root', '=', p.root)
    .where('first_holder', '>', p.after)
    .orderBy('first_holder')
    .limit(1n),
);
const castTexts = prepared((db, p: { accountId: AccountId; proposalId: ProposalId; after: bigint; upTo: bigint }) =>
  db
    .selectFrom('governance_casts')
    .select('statement')
    .where('account_id', '=', p.accountId)
    .where('proposal_id', '=', p.proposalId)
    .where('number', '>', p.after)
    .where('number', '<=', p.upTo)
    .orderBy('number'),
);

export function recountRepository(session: Session) {
  return {
    /** What a snapshot is made of, each row with its place, which the next call goes on behind ([]: from the start). */
    holderRows: async (accountId: AccountId, limit: number, [holderId = '']: readonly string[]) =>
      (await holdersBehind.all(session, { accountId, limit: BigInt(limit), holderId })).map((row) => ({
        row: [row.holder_id, row.address, row.balance],
        place: [row.holder_id],
      })),
    delegationRows: async (
      accountId: AccountId,
      limit: number,
      [holderId = '', createdAt = '0', delegationId = '']: readonly string[],
    ) => {
      const behind = { holderId, createdAt: BigInt(createdAt), delegationId };
      const found = await delegationsBehind.all(session, { accountId, limit: BigInt(limit), ...behind });
      return found.map((row) => ({
        row: [row.delegation_id, row.holder_id, row.delegate_id, row.amount, Number(row.from_seq)],
        place: [row.holder_id, String(row.created_at), row.delegation_id],
      }));
    },
    keyRows: async (accountId: AccountId, limit: number, [createdAt = '0', keyId = '']: readonly string[]) => {
      const behind = { createdAt: BigInt(createdAt), keyId };
      return (await keysBehind.all(session, { accountId, limit: BigInt(limit), ...behind })).map((row) => ({
        row: [row.key_id, row.credential_id, row.public_jwk],
        place: [String(row.created_at), row.key_id],
      }));
    },
    rotationRows: async (accountId: AccountId, limit: number, [rotatedTo = '']: readonly string[]) =>
      (await rotationsBehind.all(session, { accountId, limit: BigInt(limit), rotatedTo })).map((row) => ({
        row: [row.key_id, row.rotated_to],
        place: [row.rotated_to ?? ''],
      })),
    insertSnapshot: async (
      of: RecordOf<typeof snapshotsTable>,
      made: readonly Pick<SnapshotPieceRecord, 'firstHolder' | 'leaves'>[],
    ) => {
      const { accountId, root } = of;
      await snapshots.insert(session, [of]);
      await pieces.insert(
        session,
        made.map((piece) => ({ accountId, root, ...piece })),
      );
    },
    findSnapshot: (accountId: AccountId, proposalId: ProposalId) => snapshots.find(session, { accountId, proposalId }),
    /** That the holder would be in; null where it comes before all. */
    pieceWith: async (accountId: AccountId, root: string, holderId: string) =>
      (await pieceOf.first(session, { accountId, root, holderId }))?.leaves ?? null,
    /** Behind the one that begins with that holder ('' for the first). */
    pieceAfter: (accountId: AccountId, root: string, after: string) =>
      nextPiece.first(session, { accountId, root, after }),
    insertCast: async (cast: CastRecord) => {
      await casts.insert(session, [cast]);
    },
    /** The last vote's number and chain. */
    lastCast: (accountId: AccountId, proposalId: ProposalId) =>
      ends.find(session, { accountId, proposalId }, 'order by number desc limit 1'),
    /** Statements by number, as they are stored. */
    casts: async (accountId: AccountId, proposalId: ProposalId, { after, upTo }: { after: number; upTo: number }) =>
      (await castTexts.all(session, { accountId, proposalId, after: BigInt(after), upTo: BigInt(upTo) })).map(
        (row) => row.statement,
      ),
  };
}
