import { sql } from 'kysely';
import type { Role } from '../../core/access.ts';
import type { AccountId } from '../../core/ids.ts';
import {
  flag,
  integer,
  json,
  orNull,
  type RecordOf,
  type RowOf,
  table,
  text,
  time,
  whole,
} from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const webhooksTable = table('webhooks', ['webhookId'], {
  /** `whk_…` */
  webhookId: text(),
  accountId: text<AccountId>(),
  url: text(),
  description: orNull(text()),
  /** Types and patterns of types, as given. */
  events: json<readonly string[]>(),
  /** Only events of these wallets; null: all. */
  wallets: orNull(json<readonly string[]>()),
  /** Each event is sent after the one before it was delivered. */
  ordered: flag,
  enabled: flag,
  /** Its types include events that all accounts get. */
  readsBlocks: flag,
  /** Its creator: it delivers what this credential may read. */
  makerKind: text<'api_key' | 'oauth_client' | 'person'>(),
  makerId: text(),
  /** The rights of the request: an access token may have fewer scopes than its subject. */
  makerRole: text<Role>(),
  makerScopes: json<readonly string[]>(),
  /** Why the service disabled it; null if it did not. */
  disabledReason: orNull(text()),
  /** Encrypted (services/webhooks/webhook-keys.ts). */
  secrets: text(),
  /** The cursor: every event of its types up to here was delivered or, unordered, waits among its deliveries. */
  deliveredSeq: whole,
  /** Consecutive failures. */
  failures: integer,
  failingSince: orNull(time),
  lastError: orNull(text()),
  lastErrorAt: orNull(time),
  lastDeliveredAt: orNull(time),
  /** When it is read although no event comes: the next retry. */
  nextAt: orNull(time),
  createdAt: time,
  updatedAt: time,
});
export type WebhookRecord = RecordOf<typeof webhooksTable>;
export type WebhookPatch = Partial<Omit<WebhookRecord, 'accountId' | 'webhookId' | 'createdAt'>>;
export type WebhookKey = Pick<WebhookRecord, 'accountId' | 'webhookId'>;

declare module '../schema.ts' {
  interface Schema {
    webhooks: RowOf<typeof webhooksTable>;
  }
}

export interface WebhooksOfState {
  readonly state: 'active' | 'failing' | 'disabled';
  readonly count: number;
}

const webhooks = rowsOf(webhooksTable);
const due = prepared((db, p: { now: bigint; limit: bigint }) =>
  webhooks
    .select(db)
    // Written as in the index.
    .where(sql<boolean>`enabled = 1 and next_at is not null`)
    .where('next_at', '<=', p.now)
    .orderBy('next_at')
    .limit(p.limit),
);
const readingBlocks = prepared((db, p: { after: string; limit: bigint }) =>
  webhooks
    .select(db)
    .where(sql<boolean>`enabled = 1 and reads_blocks = 1`)
    .where('webhook_id', '>', p.after)
    .orderBy('webhook_id')
    .limit(p.limit),
);
const bringForward = prepared((db, p: { now: bigint }) =>
  db.updateTable('webhooks').set({ next_at: p.now }).where('next_at', '>', p.now),
);
const overall = prepared((db) => ({
  compile: () =>
    sql<{ state: WebhooksOfState['state']; count: bigint }>`select state, count(*) as count from (select
      case when enabled = 0 then 'disabled' when failures > 0 then 'failing' else 'active' end as state
      from webhooks) as each_of_them group by state`.compile(db),
}));

export function webhookRepository(session: Session) {
  return {
    insert: async (webhook: WebhookRecord) => {
      await webhooks.insert(session, [webhook]);
    },
    find: (accountId: AccountId, webhookId: string) => webhooks.find(session, { accountId, webhookId }),
    findForUpdate: (accountId: AccountId, webhookId: string) =>
      webhooks.findForUpdate(session, { accountId, webhookId }),
    count: (accountId: AccountId) => webhooks.count(session, { accountId }),
    /** Newest first. */
    list: (accountId: AccountId, page: PageRequest) =>
      webhooks.page(session, { name: 'webhooks', where: { accountId } }, page),
    /** Enabled: the condition written as in the partial indexes, or SQLite prepares it anew for each value. */
    listening: (accountId: AccountId) => webhooks.all(session, { accountId }, 'and enabled = 1'),
    update: async ({ accountId, webhookId }: WebhookKey, patch: WebhookPatch) =>
      (await webhooks.update(session, { accountId, webhookId }, patch)) > 0n,
    /** Updates it only if its cursor has not moved meanwhile, by a replay. */
    progress: async ({ accountId, webhookId, deliveredSeq }: WebhookRecord, patch: WebhookPatch) =>
      (await webhooks.update(session, { accountId, webhookId, deliveredSeq }, patch)) > 0n,
    /** After its deliveries. */
    delete: async (accountId: AccountId, webhookId: string) =>
      (await webhooks.delete(session, { accountId, webhookId })) > 0n,
    /** Of all accounts: those that are due, the longest waiting first. */
    due: async (now: number, limit: number) =>
      (await due.all(session, { now: BigInt(now), limit: BigInt(limit) })).map((row) => webhooks.record(row)),
    /** Of all accounts, in order of id: those that deliver blocks. */
    readingBlocks: async (after: string, limit: number) =>
      (await readingBlocks.all(session, { after, limit: BigInt(limit) })).map((row) => webhooks.record(row)),
    /** Of all accounts: makes all retries due now. */
    bringForward: (now: number) => bringForward.run(session, { now: BigInt(now) }),
    /** Of every account. */
    overall: async (): Promise<WebhooksOfState[]> =>
      (await overall.all(session, {})).map(({ state, count }) => ({ state, count: Number(count) })),
  };
}
