import { sql } from 'kysely';
import type { Role } from '../../core/access.ts';
import type { ApprovalStatus } from '../../core/events/statuses.ts';
import type { AccountId, ApprovalId, WalletId } from '../../core/ids.ts';
import type { Requirement, SpendingOperation } from '../../core/policies/policy.ts';
import { json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { LARGE_AT_ONCE } from '../queries/rows-in-parts.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { type Backlog, toBacklog } from './metrics.ts';
import type { KeyOwner } from './signing-keys.ts';

export { APPROVAL_STATUSES } from '../../core/events/statuses.ts';

export interface ApprovalFilter {
  status?: ApprovalStatus;
  operation?: string;
}

interface StoredPaid {
  readonly scriptPubKey: string | null;
  readonly address?: string;
  readonly walletId?: WalletId;
  readonly sats: string;
}

const approvalsTable = table('approvals', ['approvalId'], {
  approvalId: text<ApprovalId>(),
  accountId: text<AccountId>(),
  operation: text(),
  /** What waits for it: the unsigned txid of a payment, or what a held request is about. */
  subject: text(),
  walletId: orNull(text<WalletId>()),
  initiator: json<{ readonly kind: KeyOwner['kind']; readonly id: string; readonly countsAs: string | null }>(),
  /** What the rules evaluate again; amounts in satoshis, as digits. */
  asked: json<{
    readonly role: Role;
    readonly feeSats: string;
    readonly also?: SpendingOperation;
    readonly pays: readonly StoredPaid[];
    readonly screens?: readonly string[];
    readonly counterpart?: { readonly walletId: WalletId; readonly pays: readonly StoredPaid[] };
    readonly proposer?: {
      readonly kind: KeyOwner['kind'];
      readonly id: string;
      readonly countsAs: string | null;
      readonly role: Role;
    };
  }>(),
  /** Canonical JSON; `digest` is its SHA-256, hex. */
  text: text(),
  digest: text(),
  requirements: json<readonly Requirement[]>(),
  status: text<ApprovalStatus>(),
  /** Why it was rejected or failed. */
  reason: orNull(text()),
  expiresAt: time,
  createdAt: time,
  closedAt: orNull(time),
  /** When it was carried out; null until then. */
  doneAt: orNull(time),
  /** Held requests: the operation, the encrypted request until it is carried out or closed, and the encrypted response. */
  requestOf: orNull(text()),
  request: orNull(text()),
  result: orNull(text()),
  /** When a secret result is erased. */
  resultUntil: orNull(time),
});
export type ApprovalRecord = RecordOf<typeof approvalsTable>;

declare module '../schema.ts' {
  interface Schema {
    approvals: RowOf<typeof approvalsTable>;
  }
}

const approvals = rowsOf(approvalsTable);
/** As lists show it: without what may be large. */
const listed = rowsOf(approvalsTable, '', undefined, ['asked', 'text', 'request', 'result']);
export type ListedApproval = ReturnType<typeof listed.record>;
/** As it is voted on: the request is read when it is performed. */
const open = rowsOf(approvalsTable, '', undefined, ['request', 'result']);
export type OpenApproval = ReturnType<typeof open.record>;
/** Conditions and columns as in the indexes: the texts of approvals are not read. */
const due = prepared((db, p: { at: bigint; ofEach: bigint; limit: bigint }) => ({
  compile: () =>
    sql<DueRow>`select account_id, approval_id, operation from (
        select account_id, approval_id, operation, expires_at,
            row_number() over (partition by account_id order by expires_at, approval_id) as turn
          from approvals where status = 'pending' and expires_at <= ${p.at}) as late
      where turn <= ${p.ofEach} order by turn, expires_at limit ${p.limit}`.compile(db),
}));
const toDo = prepared((db, p: { ofEach: bigint; limit: bigint }) => ({
  compile: () =>
    // What of a frozen account continues when it is no longer frozen, and does not hold up others until then.
    sql<DueRow>`select approved.account_id, approval_id, operation from (
        select account_id, approval_id, operation, closed_at,
            row_number() over (partition by account_id order by closed_at, approval_id) as turn
          from approvals where status = 'approved' and done_at is null) as approved
        join accounts on accounts.account_id = approved.account_id
      where turn <= ${p.ofEach} and accounts.frozen_at is null order by turn, closed_at limit ${p.limit}`.compile(db),
}));

/** The status is written as in the index approvals_waiting, so that the index is used. */
const held = prepared((db, p: { accountId: AccountId }) =>
  db
    .selectFrom('approvals')
    .select(['approval_id', 'initiator', 'operation', 'request_of'])
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`status = 'pending'`)
    .where('request_of', 'is not', null),
);
const heldAbout = prepared((db, p: { accountId: AccountId; subject: string }) =>
  db
    .selectFrom('approvals')
    .select(['account_id', 'approval_id', 'initiator', 'request_of', 'digest'])
    .where('account_id', '=', p.accountId)
    .where('subject', '=', p.subject)
    .where(sql<boolean>`status = 'pending'`)
    .where(sql<boolean>`request_of IS NOT NULL`),
);
const notGivenUp = prepared((db, p: { accountId: AccountId; subject: string; requestOf: string }) =>
  db
    .selectFrom('approvals')
    .select(['approval_id', 'done_at'])
    .where('account_id', '=', p.accountId)
    .where('subject', '=', p.subject)
    .where('request_of', '=', p.requestOf)
    .where('status', 'in', ['pending', 'approved'])
    .orderBy('created_at', 'desc'),
);
const waiting = prepared((db, p: { accountId: AccountId }) =>
  db
    .selectFrom('approvals')
    .select([sql<bigint>`count(*)`.as('count'), sql<bigint | null>`min(created_at)`.as('oldest')])
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`status = 'pending'`),
);

const frozen = prepared((db, p: { accountId: AccountId }) =>
  db
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', '=', p.accountId)
    .where('frozen_at', 'is not', null),
);
const erase = prepared((db, p: { now: bigint }) =>
  db.updateTable('approvals').set({ result: null, result_until: null }).where('result_until', '<=', p.now),
);

/** Identifies an approval. */
type ApprovalKey = Pick<ApprovalRecord, 'accountId' | 'approvalId'>;
interface DueRow {
  account_id: string;
  approval_id: string;
  operation: string;
}
const dueOf = (row: DueRow): ApprovalKey & Pick<ApprovalRecord, 'operation'> => ({
  accountId: row.account_id as AccountId,
  approvalId: row.approval_id as ApprovalId,
  operation: row.operation,
});

export function approvalRepository(session: Session) {
  return {
    insert: async (approval: ApprovalRecord) => {
      await approvals.insert(session, [approval]);
    },
    find: (accountId: AccountId, approvalId: ApprovalId) => approvals.find(session, { accountId, approvalId }),
    findListed: (accountId: AccountId, approvalId: ApprovalId) => listed.find(session, { accountId, approvalId }),
    /** Locks it: until the job ends no other job votes on it or closes it. */
    findForUpdate: (accountId: AccountId, approvalId: ApprovalId) =>
      open.findForUpdate(session, { accountId, approvalId }),
    /** The account's pending held requests: operation and initiator. */
    held: async (
      accountId: AccountId,
    ): Promise<Pick<ApprovalRecord, 'approvalId' | 'initiator' | 'operation' | 'requestOf'>[]> =>
      (await held.all(session, { accountId })).map((row) => ({
        ...{ approvalId: row.approval_id as ApprovalId, initiator: JSON.parse(row.initiator) },
        ...{ operation: row.operation, requestOf: row.request_of },
      })),
    /** The held requests that wait and are about the subject, with the operation that each is of and who asked. */
    heldAbout: async (accountId: AccountId, subject: string) =>
      (await heldAbout.all(session, { accountId, subject })).map((row) => ({
        ...{ accountId: row.account_id as AccountId, approvalId: row.approval_id as ApprovalId },
        ...{ requestOf: row.request_of as string, digest: row.digest },
        initiator: JSON.parse(row.initiator) as ApprovalRecord['initiator'],
      })),
    /** The held requests of this operation about the subject that were not given up. */
    notGivenUp: async (accountId: AccountId, of: { readonly subject: string; readonly requestOf: string }) =>
      (await notGivenUp.all(session, { accountId, ...of })).map((row) => ({
        ...{ approvalId: row.approval_id as ApprovalId, isDone: row.done_at !== null },
      })),
    /** Newest first. */
    page: (accountId: AccountId, { status, operation }: ApprovalFilter, page: PageRequest) =>
      listed.page(session, { name: 'approvals', where: { accountId, status, operation }, atOnce: LARGE_AT_ONCE }, page),
    /** The account's pending approvals. */
    waiting: async (accountId: AccountId): Promise<Backlog> => toBacklog(await waiting.first(session, { accountId })),
    /** Expired ones, of each account the first `ofEach`, the accounts in turn. */
    due: async (at: number, { ofEach, all }: { ofEach: number; all: number }) =>
      (await due.all(session, { at: BigInt(at), ofEach: BigInt(ofEach), limit: BigInt(all) })).map(dueOf),
    /** Approved and not carried out, of accounts that are not frozen: of each the first `ofEach`, the accounts in turn. */
    toDo: async ({ ofEach, all }: { ofEach: number; all: number }) =>
      (await toDo.all(session, { ofEach: BigInt(ofEach), limit: BigInt(all) })).map(dueOf),
    /** In a job that has locked it: replaces the requirements. */
    require: async ({ accountId, approvalId }: ApprovalKey, requirements: ApprovalRecord['requirements']) => {
      await approvals.update(session, { accountId, approvalId }, { requirements });
    },
    /** False if it is already closed. */
    close: async (
      { accountId, approvalId }: ApprovalKey,
      end: {
        readonly status: Exclude<ApprovalStatus, 'pending'>;
        readonly reason: string | null;
        readonly closedAt: number;
      },
    ) => {
      const given = end.status === 'approved' ? end : { ...end, request: null };
      return (await approvals.update(session, { accountId, approvalId, status: 'pending' }, given)) > 0n;
    },
    /** Fails an approved one that can no longer be carried out. False if it has been. */
    fail: async ({ accountId, approvalId }: ApprovalKey, reason: string) =>
      (await approvals.update(
        session,
        { accountId, approvalId, status: 'approved', doneAt: null },
        { status: 'failed', reason, request: null },
      )) > 0n,
    /** False if it was already carried out, or if the account is frozen: it continues after the unfreeze. `resultUntil`: when a secret result is erased. */
    done: async (
      { accountId, approvalId }: ApprovalKey,
      at: number,
      { result, resultUntil }: Pick<ApprovalRecord, 'result' | 'resultUntil'> = { result: null, resultUntil: null },
    ) =>
      (await frozen.first(session, { accountId })) === null &&
      (await approvals.update(
        session,
        { accountId, approvalId, status: 'approved', doneAt: null },
        { doneAt: at, request: null, result, resultUntil },
      )) > 0n,
    /** Of one that is done: what has become of it since. */
    amend: async ({ accountId, approvalId }: ApprovalKey, result: string) => {
      await approvals.update(session, { accountId, approvalId, status: 'approved' }, { result });
    },
    /** Erases expired secret results of all accounts; returns how many. */
    eraseResults: async (now: number) => Number(await erase.run(session, { now: BigInt(now) })),
  };
}
