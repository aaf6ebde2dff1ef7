/** The records behind a figure that stands out, for whoever may read them. */
import { type Role, roleReaches, scopeAllows } from '../../core/access.ts';
import { METRICS, type MetricName, type MetricSource, type Sums } from '../../core/metrics/metric-table.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';

/** Of one figure, of so many that it looks at, and of so many figures. */
const MOST = { named: 5, read: 200, figures: 10 };

interface Behind {
  readonly of: 'transactions' | 'contracts' | 'approvals';
  readonly role: Role;
}
const TRANSACTIONS: Behind = { of: 'transactions', role: 'viewer' };
const BEHIND: Partial<Record<MetricSource, Behind>> = {
  ...{ transaction: TRANSACTIONS, balance: TRANSACTIONS, contract: { of: 'contracts', role: 'viewer' } },
  approval: { of: 'approvals', role: 'operator' },
};

interface Figure {
  readonly start: number;
  readonly end: number;
  readonly score: number;
}

/** What it adds to the metric, or takes from a balance. */
function share(metric: MetricName, record: Sums): bigint {
  if (metric === 'fee_share') return METRICS.fees_paid.of([record]);
  if (metric !== 'balance') return METRICS[metric].of([record]);
  if (record.status !== 'confirmed') return 0n;
  const moved = record.type === 'internal' ? 0n : record.amountSats;
  return record.type === 'incoming' ? moved : moved + record.feeSats;
}

const descending = (one: bigint, other: bigint): number => (one < other ? 1 : one > other ? -1 : 0);

/** `withheld`: what reading them takes that the credential lacks; null: nothing. `named`: of each figure, where they were looked for. */
export async function recordsBehind(
  { recordsBehind: read }: Pick<Repositories, 'recordsBehind'>,
  { metric, figures }: { metric: MetricName; figures: readonly Figure[] },
  { accountId, credential }: Pick<RequestContext, 'accountId' | 'credential'>,
) {
  const behind = BEHIND[METRICS[metric].source];
  const named = new Map<number, { ids: string[]; all: boolean }>();
  if (behind === undefined) return { of: null, withheld: null, named };
  const { of, role } = behind;
  const scope = `${of}:read`;
  const withheld = scopeAllows(credential.scopes, scope)
    ? roleReaches(credential.role, role)
      ? null
      : `the role ${role}`
    : `the scope ${scope}`;
  if (withheld !== null) return { of, withheld, named };
  const pause = createYielder();
  const strongest = figures.toSorted((a, b) => Math.abs(b.score) - Math.abs(a.score)).slice(0, MOST.figures);
  for (const { start, end } of strongest) {
    const { records, all } = await read.of({ accountId, from: start, to: end, limit: MOST.read }, of);
    const ids = records
      .map((record) => ({ ...record, share: share(metric, record) }))
      .filter((record) => record.share > 0n)
      .sort((a, b) => descending(a.share, b.share) || descending(a.amountSats, b.amountSats))
      .slice(0, MOST.named)
      .map(({ id }) => id);
    named.set(start, { ids, all });
    await pause();
  }
  return { of, withheld, named };
}
