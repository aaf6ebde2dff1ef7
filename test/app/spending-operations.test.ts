/** Nobody goes around the gate: each operation that says it spends is denied by a rule against what it says, and no other is. */
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { SPENDING_OPERATIONS, type SpendingOperation } from '../../src/core/policies/policy.ts';
import type { AnyOperation } from '../../src/hooks/operation.ts';
import type { Json } from '../builders/app.ts';
import { openOperationWorld } from '../builders/operation-world.ts';
import { openTemporarySqlite } from '../builders/stores.ts';

const { store, close } = await openTemporarySqlite();
const world = await openOperationWorld({ store });
const { accountId } = world.callers;
afterAll(async () => {
  await world.close();
  await close();
});

/** Bodies of those that spend only by what is asked for. */
const SPENDING_BODIES: Readonly<Record<string, Json>> = {
  'compliance-report.create': { type: 'proof-of-reserves', liabilities: 'alice,1' },
};
const fresh = (operation: AnyOperation) => {
  const body = SPENDING_BODIES[operation.id];
  return body === undefined ? world.fresh(operation) : world.built(operation, { body });
};

/** One rule that denies all that these are. */
const deny = (operations: readonly SpendingOperation[]) =>
  store.write(async (tx) => {
    const at = world.now();
    const record = await tx.enterpriseConfig.lockOrMake(accountId, at);
    await tx.policies.insert({
      ...{ policyId: 'pol_test', accountId, name: 'nothing', position: 1, enabled: true, externalId: null },
      ...{ when: { operations }, then: { action: 'deny', message: 'for a test' }, createdAt: at, updatedAt: at },
    });
    await tx.enterpriseConfig.update(accountId, { version: record.version + 1 });
  });
/** Every wallet of the account is a treasury. */
const guard = () =>
  store.write(async (tx) => {
    const { version } = await tx.enterpriseConfig.lockOrMake(accountId, world.now());
    const { data } = await tx.wallets.list(accountId, {}, { limit: 100, offset: 0 });
    await tx.enterpriseConfig.update(accountId, {
      version: version + 1,
      treasuries: data.map(({ walletId }) => walletId),
    });
  });
afterEach(() =>
  store.write(async (tx) => {
    const record = await tx.enterpriseConfig.lockOrMake(accountId, world.now());
    await tx.policies.delete(accountId, 'pol_test');
    await tx.enterpriseConfig.update(accountId, { version: record.version + 1, treasuries: [] });
  }),
);

const declared = world.operations.filter(({ spends }) => spends !== undefined);
const spending = declared.filter(({ spends }) => spends!.length > 0);

it('every spending operation there is is said by some declaration', () => {
  expect(new Set(spending.flatMap(({ spends }) => spends))).toEqual(new Set(SPENDING_OPERATIONS));
});

const OF_NO_WALLET = /^(musig-|oracle\.)|^dao\.execute$/;

describe.each(spending.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
  it('is denied by a rule against what it spends', async () => {
    const request = await fresh(operation);
    await deny(operation.spends!);
    const { status, body } = await world.send(request, request.caller ?? world.callers.admin);
    // Several payments at once have an answer each.
    const refusal = operation.id === 'transaction.bulk-create' ? body.data[0] : { status, ...body };
    expect(refusal, JSON.stringify(body)).toMatchObject({ error: { details: { code: 'policy_denied' } } });
    if (operation.id !== 'transaction.bulk-create') expect(status).toBe(403);
  });

  it('is denied of a treasury, unless it concerns no wallet', async () => {
    const request = await fresh(operation);
    await guard();
    const { status, body } = await world.send(request, request.caller ?? world.callers.admin);
    if (OF_NO_WALLET.test(operation.id)) return expect(status, JSON.stringify(body)).toBeLessThan(300);
    const refusal = operation.id === 'transaction.bulk-create' ? body.data[0] : body;
    expect(refusal, JSON.stringify(body)).toMatchObject({ error: { details: { code: 'policy_denied' } } });
  });

  it('is not denied by a rule against all else', async () => {
    const request = await fresh(operation);
    await deny(SPENDING_OPERATIONS.filter((one) => !operation.spends!.includes(one)));
    expect((await world.send(request, request.caller ?? world.callers.admin)).status).toBeLessThan(300);
  });
});

it.each(
  declared.filter(({ spends }) => spends!.length === 0).map((operation) => [operation.id, operation] as const),
)('%s spends nothing, and nothing denies it', async (_id, operation) => {
  const request = await world.fresh(operation);
  await deny(SPENDING_OPERATIONS);
  const { status, text } = await world.send(request, request.caller ?? world.callers.admin);
  await request.after();
  expect(status, text).toBeLessThan(300);
});
