import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { PolicyAction } from '../../core/policies/policy.ts';
import type { RecordedVerdict } from '../../core/policies/recorded-verdict.ts';
import {
  integer,
  json,
  named,
  orNull,
  type RecordOf,
  type RowOf,
  sats,
  table,
  text,
  time,
} from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { policyList } from './policies.ts';

export const REPLAY_STATUSES = ['running', 'done', 'failed'] as const;

/** Payments by action. */
export type ActionCounts = Readonly<Record<PolicyAction['action'], number>>;

export interface ReplayFigures {
  readonly payments: number;
  readonly before: ActionCounts;
  readonly after: ActionCounts;
  readonly differing: number;
  /** Payments whose record does not say what was asked of the rules. */
  readonly unjudged: number;
}

const replaysTable = table('replays', ['replayId'], {
  replayId: text(),
  accountId: text<AccountId>(),
  /** The replayed rules. */
  policies: policyList,
  defaultAction: text<'allow' | 'deny'>(),
  fromAt: time,
  toAt: time,
  /** Places of the account's history, both included. */
  firstPlace: integer,
  lastPlace: integer,
  /** Windows of payments before this time may be wrong: changes of the sums were deleted. null: they are complete. */
  completeFrom: orNull(time),
  /** The last that was evaluated; `firstPlace` - 1 if none was. */
  place: integer,
  figures: json<ReplayFigures>(),
  status: text<(typeof REPLAY_STATUSES)[number]>(),
  reason: orNull(text()),
  createdAt: time,
  progressedAt: time,
  closedAt: orNull(time),
});
export type ReplayRecord = RecordOf<typeof replaysTable>;

const differencesTable = table('replay_differences', ['txid'], {
  replayId: text(),
  accountId: text<AccountId>(),
  place: integer,
  txid: text<Txid>(),
  walletId: text<WalletId>(),
  amountSats: sats,
  /** null: there were no rules. */
  before: named('said_before', orNull(json<RecordedVerdict>())),
  after: named('said_after', json<RecordedVerdict>()),
  /** Of the payment. */
  createdAt: time,
});
export type ReplayDifference = RecordOf<typeof differencesTable>;

declare module '../schema.ts' {
  interface Schema {
    replays: RowOf<typeof replaysTable>;
    replay_differences: RowOf<typeof differencesTable>;
  }
}

const replays = rowsOf(replaysTable);
const differences = rowsOf(differencesTable);
/** The oldest of each account. Without what may be unreadable, so that one row hides no other. */
const due = prepared((db, p: { limit: bigint }) =>
  db
    .selectFrom('replays')
    .select(['account_id', 'replay_id', 'progressed_at'])
    .where('status', '=', 'running')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('replays as older')
            .select('older.replay_id')
            .whereRef('older.account_id', '=', 'replays.account_id')
            .where('older.status', '=', 'running')
            .where((of) =>
              of.or([
                of('older.created_at', '<', of.ref('replays.created_at')),
                of.and([
                  of('older.created_at', '=', of.ref('replays.created_at')),
                  of('older.replay_id', '<', of.ref('replays.replay_id')),
                ]),
              ]),
            ),
        ),
      ),
    )
    .orderBy('created_at')
    .limit(p.limit),
);
const closed = prepared((db, p: { before: bigint; limit: bigint }) =>
  db
    .selectFrom('replays')
    .select(['account_id', 'replay_id'])
    .where('closed_at', '<', p.before)
    .orderBy('closed_at')
    .limit(p.limit),
);

const statuses = prepared((db, p: { accountId: AccountId }) =>
  db
    .selectFrom('replays')
    .select(['replay_id', 'status'])
    .where('account_id', '=', p.accountId)
    .orderBy('created_at')
    .orderBy('replay_id'),
);

export function replayRepository(session: Session) {
  const remove = async (accountId: AccountId, replayId: string): Promise<boolean> => {
    await differences.delete(session, { accountId, replayId });
    return (await replays.delete(session, { accountId, replayId })) > 0n;
  };
  return {
    insert: async (replay: ReplayRecord) => {
      await replays.insert(session, [replay]);
    },
    find: (accountId: AccountId, replayId: string) => replays.find(session, { accountId, replayId }),
    findForUpdate: (accountId: AccountId, replayId: string) => replays.findForUpdate(session, { accountId, replayId }),
    /** Of all of the account, the oldest first. */
    statuses: async (accountId: AccountId): Promise<Pick<ReplayRecord, 'replayId' | 'status'>[]> =>
      (await statuses.all(session, { accountId })).map(({ replay_id: replayId, status }) => ({
        ...{ replayId, status: status as ReplayRecord['status'] },
      })),
    /** Newest first. */
    page: (accountId: AccountId, page: PageRequest) =>
      replays.page(session, { name: 'replays', where: { accountId }, atOnce: 10 }, page),
    /** The oldest running replay of each account. */
    due: async (limit: number): Promise<Pick<ReplayRecord, 'accountId' | 'replayId' | 'progressedAt'>[]> =>
      (await due.all(session, { limit: BigInt(limit) })).map((row) => ({
        ...{ accountId: row.account_id as AccountId, replayId: row.replay_id, progressedAt: Number(row.progressed_at) },
      })),
    /** False if it is no longer at this place, or was deleted. */
    progress: async (
      { accountId, replayId, place }: Pick<ReplayRecord, 'accountId' | 'replayId' | 'place'>,
      patch: Partial<Pick<ReplayRecord, 'place' | 'figures' | 'status' | 'reason' | 'progressedAt' | 'closedAt'>>,
    ) => (await replays.update(session, { accountId, replayId, place, status: 'running' }, patch)) > 0n,
    addDifferences: async (found: readonly ReplayDifference[]) => {
      await differences.insert(session, found);
    },
    /** The newest payments first. */
    differences: (accountId: AccountId, replayId: string, page: PageRequest) =>
      differences.page(session, { name: 'replay-differences', where: { accountId, replayId } }, page),
    /** With its differences; false if there is none. */
    delete: remove,
    /** Those that ended before this time; returns how many, at most `limit`. */
    deleteClosed: async (before: number, limit: number): Promise<number> => {
      const rows = await closed.all(session, { before: BigInt(before), limit: BigInt(limit) });
      for (const { account_id, replay_id } of rows) await remove(account_id as AccountId, replay_id);
      return rows.length;
    },
  };
}
