import { randomBytes } from 'node:crypto';
import { newId } from '../../src/core/ids.ts';
import { requestSigner } from '../../src/core/request-signatures/sign-request.ts';
import type { Json } from './app.ts';
import type { Recipe } from './operation-recipes.ts';
import type { OperationWorld } from './operation-world.ts';

const ELSEWHERE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const askers = new WeakMap<OperationWorld, Promise<Json>>();

/** A key whose payments, and nobody else's, operators have to approve. */
async function asker(world: OperationWorld): Promise<Json> {
  const key = await world.make('POST', '/api/v1/api-keys', {
    ...{ name: 'asks first', role: 'operator', scopes: ['transactions:write'] },
  });
  const [accountId, at] = [world.callers.accountId, world.now()];
  await world.service.app.store.write(async (tx) => {
    const record = await tx.enterpriseConfig.lockOrMake(accountId, at);
    await tx.policies.insert({
      ...{ policyId: newId('pol', randomBytes), accountId, name: 'four eyes', enabled: true },
      ...{ position: (await tx.policies.list(accountId)).length + 1, createdAt: at, updatedAt: at },
      when: { initiators: { apiKeyIds: [key.api_key_id] } },
      then: { action: 'approve', required: 1, from: { roles: ['operator'] }, expiresInHours: 720 },
    });
    await tx.enterpriseConfig.update(accountId, { version: record.version + 1 });
  });
  return { form: 'api_key', token: key.api_key, signer: requestSigner(key.private_key) };
}

/** What waits for approval. */
const waiting: Recipe = async (world) => {
  const known = askers.get(world) ?? asker(world);
  askers.set(world, known);
  await world.make('POST', '/api/v1/bitcoin/blocks', { count: 1 });
  await world.service.synced();
  const body = { recipients: [{ address: ELSEWHERE, amount: '0.01' }], fee_rate: '2', rbf: true };
  const { approval_id } = await world.make(
    'POST',
    '/api/v1/transactions',
    { ...body, wallet_id: world.ids.wallet_id },
    { by: await known },
  );
  const { digest } = await world.make('GET', `/api/v1/enterprise/approvals/${approval_id}`);
  return { params: { approval_id }, body: { digest } };
};
const waitingOne: Recipe = async (world) => {
  const { params } = await waiting(world);
  return { params: params ?? {} };
};

export const APPROVAL_RECIPES: Readonly<Record<string, Recipe>> = {
  'approval.get': waitingOne,
  'approval.export': waitingOne,
  'approval.approve': waiting,
  'approval.reject': waiting,
};
