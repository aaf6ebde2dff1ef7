/** Rules that name a key also apply to its successor; otherwise rotating it would evade them. */
import type { AccountId } from '../../core/ids.ts';
import type { Repositories } from '../../store/store.ts';

type Rows = Pick<Repositories, 'enterpriseConfig' | 'policies' | 'groups'>;

/** In the job of the rotation: adds the successor to rules and groups that name the key. */
export async function nameSuccessor(
  tx: Rows,
  { accountId, keyId, successor, at }: { accountId: AccountId; keyId: string; successor: string; at: number },
): Promise<void> {
  const config = await tx.enterpriseConfig.lock(accountId);
  if (config === null) return;
  const policies = (await tx.policies.list(accountId)).filter(({ when }) =>
    when.initiators?.apiKeyIds?.includes(keyId),
  );
  const groups = (await tx.groups.all(accountId)).filter(({ apiKeyIds }) => apiKeyIds.includes(keyId));
  for (const { policyId, when } of policies) {
    const apiKeyIds = [...(when.initiators?.apiKeyIds ?? []), successor];
    const initiators = { ...when.initiators, apiKeyIds };
    await tx.policies.update(accountId, policyId, { when: { ...when, initiators }, updatedAt: at });
  }
  for (const { groupId, apiKeyIds } of groups) {
    await tx.groups.update(accountId, groupId, { apiKeyIds: [...apiKeyIds, successor], updatedAt: at });
  }
  if (policies.length + groups.length > 0) {
    await tx.enterpriseConfig.update(accountId, { version: config.version + 1, updatedAt: at });
  }
}
