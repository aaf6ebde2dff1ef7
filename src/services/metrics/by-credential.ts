/** Figures of requests by credential: of those that have a name, and of all others together. */
import { roleReaches, scopeAllows } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import { DAY_MS } from '../../core/metrics/local-time.ts';
import type { FoundSums } from '../../store/repositories/metric-sums.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';

/** No credential is called so. */
const OTHER = 'other';
const HOUR_MS = 3_600_000;

/** The same figures as `GET /enterprise/usage`, so the same rights. Throws `forbidden`. */
export function assertSeesCredentials({ role, scopes }: RequestContext['credential']): void {
  if (roleReaches(role, 'operator') && scopeAllows(scopes, 'usage:read')) return;
  throw new DomainError(
    'forbidden',
    'group_by=credential takes the role operator and the scope usage:read, besides metrics:read',
    { field: 'query.group_by' },
  );
}

/** They are kept by hours and days (UTC). */
export function assertOfHours(at: readonly number[]): void {
  if (at.every((time) => time % HOUR_MS === 0)) return;
  throw new DomainError(
    'invalid_value',
    'must be whole hours from UTC with group_by=credential: requests of credentials are kept by the hour',
    { field: 'query.timezone' },
  );
}

/** That have asked since. */
export async function credentialsOf(
  read: Pick<Repositories, 'requestCredentials'>,
  accountId: AccountId,
  from: number,
): Promise<string[]> {
  const known = await read.requestCredentials.all(accountId);
  return known.filter(({ day }) => day + DAY_MS > from).map(({ credentialId }) => credentialId);
}

/** Those of the credentials, and what they leave of the account's. Of one class there may be several sums: what is read at once has a bound. */
export function withOther(sums: readonly FoundSums[]): FoundSums[] {
  const rest = new Map<string, FoundSums>();
  for (const sum of sums) {
    const key = `${sum.type} ${sum.status}`;
    const items = (rest.get(key)?.items ?? 0n) + (sum.ofId === '' ? sum.items : -sum.items);
    rest.set(key, { ...sum, ofId: OTHER, items });
  }
  const others = [...rest.values()].filter(({ items }) => items !== 0n);
  return [...sums.filter(({ ofId }) => ofId !== ''), ...others];
}
