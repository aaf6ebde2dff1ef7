/** Who may do what, and when they last did anything: users, API keys and OAuth clients that were there in the time. */
import type { Cell, ReportColumn, ReportSummary } from '../../../core/reports/cells.ts';
import { endOf } from '../../credentials/credential-record.ts';
import type { ReportPage, ReportSource, ReportType } from '../report-type.ts';
import { paged } from './paged.ts';

const columns: readonly ReportColumn[] = [
  { name: 'kind', kind: 'text' },
  { name: 'id', kind: 'text' },
  { name: 'name', kind: 'text' },
  { name: 'status', kind: 'text' },
  { name: 'role', kind: 'text' },
  { name: 'scopes', kind: 'text' },
  { name: 'may_grant', kind: 'text' },
  { name: 'tier', kind: 'text' },
  { name: 'allowed_ips', kind: 'text' },
  { name: 'second_factor', kind: 'text' },
  { name: 'counts_as', kind: 'text' },
  { name: 'created_at', kind: 'time' },
  { name: 'expires_at', kind: 'time' },
  { name: 'ended_at', kind: 'time' },
  { name: 'last_used_at', kind: 'time' },
];

/** What the three kinds of record have in common. */
interface Holder {
  readonly name: string;
  readonly role: string;
  readonly scopes: readonly string[];
  readonly mayGrant: boolean;
  readonly tier: string;
  readonly allowedIps: readonly string[] | null;
  readonly createdAt: number;
}
interface Held {
  readonly kind: string;
  readonly id: string;
  readonly secondFactor: string | null;
  readonly countsAs: string | null;
  readonly expiresAt: number | null;
  /** Revoked or disabled. */
  readonly revokedAt: number | null;
  readonly usedAt: number | null;
}

async function* pages({ read, accountId, from, to }: ReportSource): AsyncGenerator<ReportPage, ReportSummary> {
  const counts = { active: 0, ended: 0, never_used: 0, users_without_second_factor: 0 };

  function rowOf(holder: Holder, held: Held): Cell[] | null {
    const endedAt = [held.revokedAt, held.expiresAt].filter((at) => at !== null && at <= to) as number[];
    const end = endedAt.length === 0 ? null : Math.min(...endedAt);
    if (holder.createdAt >= to || (end !== null && end < from)) return null;
    const status = end === null ? 'active' : held.revokedAt === end ? 'revoked' : 'expired';
    counts[end === null ? 'active' : 'ended'] += 1;
    if (held.usedAt === null) counts.never_used += 1;
    if (held.secondFactor === 'none' && end === null) counts.users_without_second_factor += 1;
    return [
      ...[held.kind, held.id, holder.name, status, holder.role, holder.scopes.join(' ')],
      ...[holder.mayGrant ? 'yes' : 'no', holder.tier, holder.allowedIps?.join(' ') ?? null],
      ...[held.secondFactor, held.countsAs, holder.createdAt, held.expiresAt, end, held.usedAt],
    ];
  }
  const page = (rows: (Cell[] | null)[]): ReportPage => ({
    rows: rows.filter((row) => row !== null),
    passed: rows.length,
  });

  for await (const users of paged((at) => read.users.list(accountId, {}, at)))
    yield page(
      users.map((user) =>
        rowOf(
          { ...user, name: user.username },
          {
            ...{ kind: 'user', id: user.userId, countsAs: user.userId, revokedAt: user.disabledAt },
            secondFactor: user.totpConfirmedAt === null ? 'none' : 'totp',
            ...{ expiresAt: user.expiresAt, usedAt: user.lastLoginAt },
          },
        ),
      ),
    );
  for await (const keys of paged((at) => read.apiKeys.page(accountId, {}, at)))
    yield page(
      keys.map((key) =>
        rowOf(key, {
          ...{ kind: 'api_key', id: key.keyId, countsAs: key.countsAs, revokedAt: key.revokedAt },
          ...{ secondFactor: null, expiresAt: endOf(key), usedAt: key.lastUsedAt },
        }),
      ),
    );
  for await (const clients of paged((at) => read.oauthClients.list(accountId, at)))
    yield page(
      clients.map((client) =>
        rowOf(client, {
          ...{ kind: 'oauth_client', id: client.clientId, countsAs: client.countsAs, revokedAt: client.revokedAt },
          ...{ secondFactor: null, expiresAt: client.expiresAt, usedAt: client.lastUsedAt },
        }),
      ),
    );
  return {
    figures: Object.entries(counts).map(([name, value]) => ({ name, kind: 'integer' as const, value })),
    notes: [
      'Roles and scopes are those of now; the audit log has each change of them.',
      'last_used_at of a user is the last login. Users that were deleted are not listed: the audit log has them.',
    ],
    chart: null,
  };
}

export const accessReview: ReportType = {
  ...{ kind: 'compliance', name: 'access-review', title: 'Access review', columns, ofWallets: false },
  needs: { role: 'admin', scopes: ['users:read', 'api-keys:read', 'oauth-clients:read'] },
  count: async () => null,
  pages,
};
