import { nameCredentials } from '../../core/metrics/named-credentials.ts';
import type { RequestCount } from '../../store/repositories/metric-sums.ts';
import type { RequestCredential } from '../../store/repositories/request-credentials.ts';
import type { Repositories } from '../../store/store.ts';

/** Counts of credentials that have figures of their own, as the job leaves it, keep theirs; all others are of the account alone. */
export async function countNamed(
  tx: Pick<Repositories, 'requestCredentials'>,
  counts: readonly RequestCount[],
  day: number,
): Promise<RequestCount[]> {
  const byAccount = Map.groupBy(counts, ({ accountId }) => accountId);
  const known = Map.groupBy(
    await tx.requestCredentials.allForUpdate([...byAccount.keys()]),
    ({ accountId }) => accountId,
  );
  const asked: RequestCredential[] = [];
  for (const [accountId, its] of byAccount) {
    const asking = new Map<string, number>();
    for (const { credentialId, requests } of its)
      if (credentialId !== '') asking.set(credentialId, (asking.get(credentialId) ?? 0) + requests);
    const { named, gone } = nameCredentials(known.get(accountId) ?? [], asking, day);
    for (const credentialId of gone) await tx.requestCredentials.delete(accountId, credentialId);
    for (const credentialId of named)
      asked.push({ accountId, credentialId, day, requests: asking.get(credentialId) ?? 0 });
  }
  await tx.requestCredentials.count(asked);
  const named = new Set(asked.map(({ credentialId }) => credentialId));
  const sums = new Map<string, RequestCount>();
  for (const count of counts) {
    const credentialId = named.has(count.credentialId) ? count.credentialId : '';
    const key = `${count.accountId} ${count.minute} ${count.bound} ${count.status} ${credentialId}`;
    sums.set(key, { ...count, credentialId, requests: count.requests + (sums.get(key)?.requests ?? 0) });
  }
  return [...sums.values()];
}
