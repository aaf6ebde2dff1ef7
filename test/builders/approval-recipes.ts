import { randomBytes } from 'node:crypto';
import { newId } from '../../src/core/ids.ts';
import { requestSigner } from '../../src/core/request-signatures/sign-request.ts';
import type { TestCaller } from './operation-calls.ts';
import type { Recipe } from './operation-recipes.ts';
import type { OperationWorld } from './operation-world.ts';

const ELSEWHERE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

/** A key whose payments, and nobody else's, an operator has to approve, as long as the rule stands. */
async function asker(world: OperationWorld): Promise<{ key: TestCaller; endRule: () => Promise<void> }> {
  const key = await world.make('POST', '/api/v1/api-keys', {
    ...{ name: 'asks first', role: 'operator', scopes: ['transactions:write'] },
  });
  const [accountId, at, policyId] = [world.callers.accountId, world.now(), newId('pol', randomBytes)];
  const { store } = world.service.app;
  await store.write(async (tx) => {
    const { version } = await tx.enterpriseConfig.lockOrMake(accountId, at);
    await tx.policies.insert({
      ...{ policyId, accountId, name: 'four eyes', enabled: true },
      ...{ position: (await tx.policies.list(accountId)).length + 1, createdAt: at, updatedAt: at },
      when: { initiators: { apiKeyIds: [key.api_key_id] } },
      then: { action: 'approve', required: 1, from: { roles: ['operator'] }, expiresInHours: 720 },
    });
    await tx.enterpriseConfig.update(accountId, { version: version + 1 });
  });
  return {
    key: { form: 'api_key', token: key.api_key, signer: requestSigner(key.private_key) },
    endRule: () =>
      store.write(async (tx) => {
        const { version } = await tx.enterpriseConfig.lockOrMake(accountId, at);
        await tx.policies.delete(accountId, policyId);
        await tx.enterpriseConfig.update(accountId, { version: version + 1 });
      }),
  };
}

/** What waits for approval. Its coins are free again afterwards: tests ask for many. */
const waiting: Recipe = async (world) => {
  await world.make('POST', '/api/v1/bitcoin/blocks', { count: 1 });
  await world.service.synced();
  const { key, endRule } = await asker(world);
  const body = { recipients: [{ address: ELSEWHERE, amount: '0.01' }], fee_rate: '2', rbf: true };
  const payment = { ...body, wallet_id: world.ids.wallet_id };
  const { approval_id } = await world.make('POST', '/api/v1/transactions', payment, { by: key });
  await endRule();
  const path = `/api/v1/enterprise/approvals/${approval_id}`;
  const { digest } = await world.make('GET', path);
  const after = async () => {
    const { status } = await world.make('GET', path);
    if (status === 'pending') await world.make('POST', `${path}/reject`, { digest });
  };
  return { params: { approval_id }, body: { digest }, after };
};
const waitingOne: Recipe = async (world) => {
  const { body: _, ...given } = await waiting(world);
  return given;
};

export const APPROVAL_RECIPES: Readonly<Record<string, Recipe>> = {
  'approval.get': waitingOne,
  'approval.export': waitingOne,
  'approval.approve': waiting,
  'approval.reject': waiting,
};
