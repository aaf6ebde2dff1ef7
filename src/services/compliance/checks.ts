/** The checks of the compliance status. What each means and what to do is in docs/compliance.md. */
import type { AccountId } from '../../core/ids.ts';
import type { AccountRules } from '../../core/policies/account-rules.ts';
import type { CheckStatus, Dated } from '../../store/repositories/compliance-checks.ts';
import type { Repositories } from '../../store/store.ts';
import type { AnchorProofs } from '../audit/anchor-proofs.ts';
import { SERVICE_LOG } from '../audit/audit-entry.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The setting that says when `ashlar backup` last made a copy of the database. */
export const DATABASE_BACKUP = 'database.backup';
/** Ids that are named. */
const NAMED = 10;
const ANCHORS = 20;

/** `warn` and `fail`: for how long it may be so. */
const LIMITS = {
  verified: 2 * DAY,
  keys: { warn: 365 * DAY, fail: 455 * DAY },
  wallets: 365 * DAY,
  database: { warn: 7 * DAY, fail: 30 * DAY },
  unconfirmed: { warn: DAY, fail: 3 * DAY },
  anchored: 7 * DAY,
} as const;

export interface Found {
  readonly status: CheckStatus;
  /** Figures, times in epoch milliseconds. */
  readonly evidence: Readonly<Record<string, string | number | null>>;
  /** Those that it is about, at most ten. */
  readonly ids?: readonly string[];
  /** Since when it is so, where that is known; null: since it was first seen. */
  readonly since?: number | null;
}

export interface Asked {
  readonly read: Repositories;
  readonly accountId: AccountId;
  readonly now: number;
}

export interface CheckDeps {
  readonly rulesOf: (read: Repositories, accountId: AccountId) => Promise<AccountRules>;
  readonly anchors: Pick<AnchorProofs, 'standing'>;
  /** null: no second chain source is configured. */
  readonly lookAtChain: ((now: number) => Found) | null;
}

export interface Check {
  readonly id: string;
  readonly title: string;
  /** Of the account that runs the service alone. */
  readonly ofService?: true;
  /** What reading the ids takes besides. */
  readonly idsTake?: readonly string[];
  readonly look: (asked: Asked) => Promise<Found>;
}

const first = (found: readonly Dated[]): number | null => found[0]?.at ?? null;
const named = (found: readonly { readonly id: string }[]): string[] => found.slice(0, NAMED).map(({ id }) => id);
/** What is too old: the oldest decides. */
const byAge = (oldest: number | null, now: number, { warn, fail }: { warn: number; fail: number }) => {
  if (oldest === null || now - oldest <= warn) return { status: 'pass' } as const;
  return now - oldest <= fail
    ? ({ status: 'warn', since: oldest + warn } as const)
    : ({ status: 'fail', since: oldest + fail } as const);
};

async function auditLog({ read, now }: Asked, logId: string): Promise<Found> {
  const [walk, seal] = await Promise.all([read.auditWalks.find(logId), read.audit.lastSeal(logId)]);
  const evidence = {
    records: seal === null ? 0 : seal.position + 1,
    verified_records: walk?.verifiedSize ?? 0,
    verified_at: walk?.verifiedAt ?? null,
    walk_position: walk?.size ?? 0,
    walk_began_at: walk?.beganAt ?? null,
    problem: walk?.problem ?? null,
    problem_position: walk?.problemPosition ?? null,
    problem_found_at: walk?.problemAt ?? null,
  };
  if (evidence.problem_found_at !== null) return { status: 'fail', evidence, since: evidence.problem_found_at };
  if (evidence.verified_at === null) return { status: 'unknown', evidence };
  const late = evidence.verified_at + LIMITS.verified;
  return late < now ? { status: 'warn', evidence, since: late } : { status: 'pass', evidence };
}

async function keysOverdue({ read, accountId, now }: Asked): Promise<Found> {
  const { warn } = LIMITS.keys;
  const found = await read.complianceChecks.keysBefore(accountId, { now, before: now - warn });
  const count = (kind: string) => found.filter((one) => one.kind === kind).length;
  return {
    ...byAge(first(found), now, LIMITS.keys),
    evidence: {
      ...{ overdue: found.length, api_keys: count('api_key'), oauth_clients: count('oauth_client') },
      ...{ signing_keys: count('signing_key'), oldest_at: first(found), rotation_days: warn / DAY },
    },
    ids: named(found),
  };
}

async function secondFactor({ read, accountId }: Asked): Promise<Found> {
  const found = await read.complianceChecks.peopleWithoutSecondFactor(accountId);
  const admins = found.filter(({ kind }) => kind === 'admin').length;
  const status = admins > 0 ? 'fail' : found.length > 0 ? 'warn' : 'pass';
  return { status, evidence: { people_without: found.length, administrators_without: admins }, ids: named(found) };
}

async function walletBackups({ read, accountId, now }: Asked): Promise<Found> {
  const found = await read.complianceChecks.walletsBefore(accountId, now - LIMITS.wallets);
  const never = found.filter(({ at }) => at === 0).length;
  const oldest = found.find(({ at }) => at > 0)?.at ?? null;
  const since = never === 0 && oldest !== null ? oldest + LIMITS.wallets : null;
  return {
    status: found.length > 0 ? 'warn' : 'pass',
    since,
    evidence: {
      ...{ overdue: found.length, never_backed_up: never, oldest_at: oldest },
      most_days: LIMITS.wallets / DAY,
    },
    ids: named(found),
  };
}

async function databaseBackup({ read, now }: Asked): Promise<Found> {
  const setting = await read.settings.get(DATABASE_BACKUP);
  if (setting === null) return { status: 'unknown', evidence: { last_at: null } };
  const last = Number(setting);
  return { ...byAge(last, now, LIMITS.database), evidence: { last_at: last } };
}

async function unconfirmed({ read, accountId, now }: Asked): Promise<Found> {
  const found = await read.complianceChecks.unconfirmedBefore(accountId, now - LIMITS.unconfirmed.warn);
  const evidence = {
    transactions: found.length,
    not_sent: found.filter(({ kind }) => kind === 'signed').length,
    oldest_at: first(found),
  };
  return { ...byAge(first(found), now, LIMITS.unconfirmed), evidence, ids: named(found) };
}

/** The newest that is in a block counts. */
async function anchored({ read, accountId, now }: Asked, anchors: CheckDeps['anchors']): Promise<Found> {
  const head = await read.audit.lastHead(accountId);
  const { data, total } = await read.audit.listAnchors(accountId, { limit: ANCHORS, offset: 0 });
  let [last, waiting] = [null as (typeof data)[number] | null, 0];
  for (const anchor of data) {
    const transaction = await anchors.standing(anchor);
    if (transaction?.status === 'confirmed') {
      last = anchor;
      break;
    }
    if (transaction?.status === 'broadcast' || transaction?.status === 'signed') waiting++;
  }
  const evidence = {
    head_size: head?.size ?? 0,
    ...{ anchors: total, waiting_anchors: waiting, anchored_size: last?.size ?? 0, anchored_at: last?.time ?? null },
    unanchored_records: (head?.size ?? 0) - (last?.size ?? 0),
  };
  if (head === null) return { status: 'unknown', evidence };
  if (last === null) return { status: 'warn', evidence };
  const late = last.time + LIMITS.anchored;
  if (evidence.unanchored_records === 0 || late >= now) return { status: 'pass', evidence };
  return { status: 'warn', evidence, since: late };
}

export const createChecks = ({ rulesOf, anchors, lookAtChain }: CheckDeps): Check[] => [
  {
    ...{ id: 'audit-log', title: "The account's audit log is as it was written" },
    look: (asked) => auditLog(asked, asked.accountId),
  },
  {
    ...{ id: 'audit-log-service', title: "The service's own audit log is as it was written", ofService: true },
    look: (asked) => auditLog(asked, SERVICE_LOG),
  },
  {
    ...{ id: 'audit-anchors', title: 'Heads of the audit log are anchored in Bitcoin' },
    look: (asked) => anchored(asked, anchors),
  },
  {
    ...{ id: 'key-rotation', title: 'Credentials and signing keys are rotated in time' },
    idsTake: ['api-keys:read', 'oauth-clients:read', 'signing-keys:read'],
    look: keysOverdue,
  },
  {
    ...{ id: 'second-factor', title: 'People who log in with a password have a second factor' },
    idsTake: ['users:read'],
    look: secondFactor,
  },
  {
    ...{ id: 'policies', title: 'Rules decide on payments' },
    async look({ read, accountId }) {
      const { policies, config } = await rulesOf(read, accountId);
      const inForce = policies.filter(({ enabled }) => enabled).length;
      const { version, defaultAction } = config;
      return {
        status: inForce > 0 || defaultAction === 'deny' ? 'pass' : 'warn',
        evidence: {
          ...{ in_force: inForce, disabled: policies.length - inForce },
          ...{ default_action: defaultAction, config_version: version },
        },
      };
    },
  },
  {
    ...{ id: 'wallet-backups', title: 'Wallets with keys are backed up' },
    idsTake: ['wallets:read'],
    look: walletBackups,
  },
  {
    ...{ id: 'database-backup', title: 'The database is backed up', ofService: true },
    look: databaseBackup,
  },
  {
    ...{ id: 'unconfirmed', title: 'Transactions are confirmed in time' },
    idsTake: ['transactions:read'],
    look: unconfirmed,
  },
  {
    ...{ id: 'chain-agreement', title: 'A second chain source has the same blocks' },
    look: async ({ now }) => lookAtChain?.(now) ?? { status: 'unknown', evidence: { compared_at: null } },
  },
];
