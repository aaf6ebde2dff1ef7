import { sql } from 'kysely';
import type { Role } from '../../core/access.ts';
import type { EventType } from '../../core/events/event-types.ts';
import type { AccountId, Id } from '../../core/ids.ts';
import type { Digest } from '../../core/notifications/digest.ts';
import type { NotificationChannel, Target } from '../../core/notifications/notification.ts';
import {
  flag,
  integer,
  json,
  orNull,
  type RecordOf,
  type RowOf,
  sats,
  table,
  text,
  time,
  whole,
} from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

/** A line of the next digest. */
export interface Gathered {
  readonly type: EventType;
  readonly text: string;
}

const rulesTable = table('notification_rules', ['ruleId'], {
  /** `nrl_…` */
  ruleId: text<Id<'nrl'>>(),
  accountId: text<AccountId>(),
  description: orNull(text()),
  /** Types and patterns of types, as given. */
  events: json<readonly string[]>(),
  channel: text<NotificationChannel>(),
  target: json<Target>(),
  /** Only events of more than this. */
  amountOverSats: orNull(sats),
  /** Only what concerns one of these; null: everything. */
  wallets: orNull(json<readonly string[]>()),
  digest: text<Digest>(),
  /** Whose days a daily digest is of. */
  timezone: text(),
  enabled: flag,
  /** Among its events are those of every account. */
  readsBlocks: flag,
  /** The credential that set it up last: it tells what that may read. */
  makerKind: text<'api_key' | 'oauth_client' | 'person'>(),
  makerId: text(),
  makerRole: text<Role>(),
  makerScopes: json<readonly string[]>(),
  /** Why the service disabled it; null: it did not. */
  disabledReason: orNull(text()),
  /** The cursor: every event up to here was told of, or is gathered for the next digest. */
  toldSeq: whole,
  /** Since the last digest: how many, and the first of them. */
  gathered: integer,
  lines: json<readonly Gathered[]>(),
  /** To be looked at then, though no event comes: the next digest, or the day on which it may send again. */
  nextAt: orNull(time),
  createdAt: time,
  updatedAt: time,
});
export type RuleRecord = RecordOf<typeof rulesTable>;
export type RulePatch = Partial<Omit<RuleRecord, 'accountId' | 'ruleId' | 'createdAt'>>;
export type RuleKey = Pick<RuleRecord, 'accountId' | 'ruleId'>;

declare module '../schema.ts' {
  interface Schema {
    notification_rules: RowOf<typeof rulesTable>;
  }
}

const rules = rowsOf(rulesTable);
const due = prepared((db, p: { now: bigint; limit: bigint }) =>
  rules
    .select(db)
    // Written as in the index.
    .where(sql<boolean>`enabled = 1 and next_at is not null`)
    .where('next_at', '<=', p.now)
    .orderBy('next_at')
    .limit(p.limit),
);
/** A digest waits no longer than this, nor does what waits for the next day: 25 hours, as the longest day. */
const LONGEST_MS = { hourly: 3_600_000n, others: 90_000_000n };
const bringForward = prepared((db, p: { hourly: bigint; others: bigint; now: bigint }) =>
  db
    .updateTable('notification_rules')
    .set({ next_at: p.now })
    .where(sql<boolean>`enabled = 1 and next_at is not null`)
    .where((is) =>
      is.or([is('next_at', '>', p.others), is.and([is('digest', '=', 'hourly'), is('next_at', '>', p.hourly)])]),
    ),
);
const readingBlocks = prepared((db, p: { after: string; limit: bigint }) =>
  rules
    .select(db)
    .where(sql<boolean>`enabled = 1 and reads_blocks = 1`)
    .where('rule_id', '>', p.after)
    .orderBy('rule_id')
    .limit(p.limit),
);

export function notificationRuleRepository(session: Session) {
  return {
    insert: async (rule: RuleRecord) => {
      await rules.insert(session, [rule]);
    },
    find: (accountId: AccountId, ruleId: string) => rules.find(session, { accountId, ruleId: ruleId as Id<'nrl'> }),
    findForUpdate: (accountId: AccountId, ruleId: string) =>
      rules.findForUpdate(session, { accountId, ruleId: ruleId as Id<'nrl'> }),
    count: (accountId: AccountId) => rules.count(session, { accountId }),
    /** Newest first. */
    list: (accountId: AccountId, page: PageRequest) =>
      rules.page(session, { name: 'notification-rules', where: { accountId } }, page),
    /** Enabled: the condition written as in the partial index. */
    listening: (accountId: AccountId) => rules.all(session, { accountId }, 'and enabled = 1'),
    update: async ({ accountId, ruleId }: RuleKey, patch: RulePatch) => {
      await rules.update(session, { accountId, ruleId }, patch);
    },
    /** The same while its cursor stands there, and nobody changed it. */
    progress: async ({ accountId, ruleId, toldSeq, updatedAt }: RuleRecord, patch: RulePatch) =>
      (await rules.update(session, { accountId, ruleId, toldSeq, updatedAt }, patch)) > 0n,
    delete: async ({ accountId, ruleId }: RuleKey) => (await rules.delete(session, { accountId, ruleId })) > 0n,
    /** Of every account: whose time has come, the longest waiting first. */
    due: async (now: number, limit: number) =>
      (await due.all(session, { now: BigInt(now), limit: BigInt(limit) })).map((row) => rules.record(row)),
    /** Of every account: what waits for longer than any does, by a clock that was ahead, is due now. */
    bringForward: async (time: number) => {
      const now = BigInt(time);
      await bringForward.run(session, { now, hourly: now + LONGEST_MS.hourly, others: now + LONGEST_MS.others });
    },
    /** Of every account, in order of id: those that are told of blocks. */
    readingBlocks: async (after: string, limit: number) =>
      (await readingBlocks.all(session, { after, limit: BigInt(limit) })).map((row) => rules.record(row)),
  };
}
