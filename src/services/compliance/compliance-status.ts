/** How an account stands: its checks now, and since when each stands as it does. */
import { roleReaches, scopeAllows } from '../../core/access.ts';
import type { AccountId } from '../../core/ids.ts';
import { leastRole } from '../../core/scope-roles.ts';
import type { CheckStatus } from '../../store/repositories/compliance-checks.ts';
import type { Store } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Check, Found } from './checks.ts';

export interface CheckView {
  readonly id: string;
  readonly title: string;
  readonly status: CheckStatus;
  readonly evidence: Found['evidence'];
  /** null: it has none, or the credential may not read them. */
  readonly ids: readonly string[] | null;
  readonly since: number;
}
type Looked = CheckView & { readonly idsTake: readonly string[] };
type Reader = Pick<RequestContext, 'accountId' | 'platform' | 'credential'>;

export function createComplianceStatus(deps: { store: Store; checks: readonly Check[]; clock: () => number }) {
  const { store, checks, clock } = deps;

  /** Keeps what has changed since the last look, whoever took it. */
  async function look(accountId: AccountId, { service }: { service: boolean }): Promise<Looked[]> {
    const now = clock();
    const known = new Map((await store.read.complianceChecks.all(accountId)).map((one) => [one.checkId, one]));
    const looked: Looked[] = [];
    for (const { id, title, idsTake = [], ofService, look } of checks) {
      if (ofService && !service) continue;
      const { status, evidence, ids = null, since } = await look({ read: store.read, accountId, now });
      const kept = known.get(id);
      const from = kept?.status === status ? kept.since : (since ?? now);
      looked.push({ id, title, status, evidence, ids, since: from, idsTake });
    }
    const changed = looked.filter(({ id, status }) => known.get(id)?.status !== status);
    if (changed.length > 0)
      await store.write((tx) =>
        tx.complianceChecks.keep(
          changed.map(({ id: checkId, status, since }) => ({ accountId, checkId, status, since })),
        ),
      );
    return looked;
  }

  return {
    look,
    /** Administrators of the account that runs the service see how that stands besides. */
    async status({ accountId, platform, credential }: Reader): Promise<CheckView[]> {
      const { role, scopes } = credential;
      const looked = await look(accountId, { service: platform && roleReaches(role, 'admin') });
      return looked.map(({ idsTake, ...check }) => {
        const mayRead = idsTake.every((scope) => scopeAllows(scopes, scope) && roleReaches(role, leastRole(scope)));
        return mayRead ? check : { ...check, ids: null };
      });
    },
  };
}
export type ComplianceStatus = ReturnType<typeof createComplianceStatus>;
