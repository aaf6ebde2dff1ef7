/** Rules, groups and the enterprise config. */
import { expect, it } from 'vitest';
import { createRulesOf } from '../../../src/services/policies/rules-of.ts';
import type { GroupRecord } from '../../../src/store/repositories/groups.ts';
import type { PolicyRecord } from '../../../src/store/repositories/policies.ts';
import type { StoreContext } from '../store.ts';

const AT = 1_700_000_000_000;

const policy = (policyId: string, position: number, patch: Partial<PolicyRecord> = {}): PolicyRecord => ({
  policyId,
  accountId: 'acc_one',
  name: 'daily limit',
  enabled: true,
  position,
  when: {
    amountOverSats: 2_099_999_999_999_999n,
    window: { hours: 24, per: 'account', amountOverSats: 1n },
    feeOver: { shareMillionths: 50_000, sats: 9_007_199_254_740_993n },
  },
  then: { action: 'deny', message: 'ask the treasurer' },
  createdAt: AT,
  updatedAt: AT,
  ...patch,
});

const group = (groupId: string, patch: Partial<GroupRecord> = {}): GroupRecord => ({
  groupId,
  accountId: 'acc_one',
  name: 'treasury',
  userIds: ['usr_a'],
  apiKeyIds: ['key_a'],
  oauthClientIds: [],
  createdAt: AT,
  updatedAt: AT,
  ...patch,
});

export function policyTests(context: StoreContext): void {
  it('rules keep their amounts and their order, each account its own', async () => {
    const { store } = context;
    const rules = [policy('pol_b', 1), policy('pol_a', 2, { enabled: false, when: {} })];
    await store.write(async (tx) => {
      for (const one of rules.toReversed()) await tx.policies.insert(one);
      await tx.policies.insert(policy('pol_c', 1, { accountId: 'acc_two' }));
    });
    expect(await store.read.policies.list('acc_one')).toEqual(rules);
    expect(await store.read.policies.find('acc_two', 'pol_a')).toBeNull();
    await store.write(async (tx) => {
      await tx.policies.shift('acc_one', 1, 1, 1);
      await tx.policies.update('acc_one', 'pol_a', { position: 1, enabled: true, updatedAt: AT + 1 });
      await tx.policies.delete('acc_one', 'pol_c');
    });
    expect(await store.read.policies.list('acc_one')).toEqual([
      { ...rules[1], position: 1, enabled: true, updatedAt: AT + 1 },
      { ...rules[0], position: 2 },
    ]);
    expect(await store.read.policies.list('acc_two')).toHaveLength(1);
  });

  it('groups are kept, changed and deleted', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.groups.insert(group('grp_a'));
      await tx.groups.insert(group('grp_b', { name: 'ops', createdAt: AT + 1 }));
    });
    await store.write((tx) => tx.groups.update('acc_one', 'grp_a', { userIds: [], updatedAt: AT + 2 }));
    expect(await store.read.groups.all('acc_one')).toEqual([
      group('grp_a', { userIds: [], updatedAt: AT + 2 }),
      group('grp_b', { name: 'ops', createdAt: AT + 1 }),
    ]);
    const page = await store.read.groups.page('acc_one', { name: 'ops' }, { limit: 1, offset: 0 });
    expect([page.total, page.data[0]?.groupId]).toEqual([1, 'grp_b']);
    await store.write((tx) => tx.groups.delete('acc_one', 'grp_a'));
    expect(await store.read.groups.find('acc_one', 'grp_a')).toBeNull();
  });

  it('rules are read anew when their version has changed, whichever process changed them', async () => {
    const { store } = context;
    const rulesOf = createRulesOf();
    expect((await rulesOf(store.read, 'acc_one')).config.version).toBe(0);
    const change = async (
      by: typeof store,
      work: (tx: Parameters<Parameters<typeof store.write>[0]>[0]) => Promise<void>,
    ) =>
      by.write(async (tx) => {
        const { version } = await tx.enterpriseConfig.lockOrMake('acc_one', AT);
        await work(tx);
        await tx.enterpriseConfig.update('acc_one', { version: version + 1 });
      });
    await change(store, (tx) => tx.policies.insert(policy('pol_a', 1)));
    const first = await rulesOf(store.read, 'acc_one');
    expect([first.config.version, first.policies.length]).toEqual([1, 1]);
    expect(await rulesOf(store.read, 'acc_one')).toBe(first);
    await change(await context.beside(), (tx) => tx.groups.insert(group('grp_a')));
    const second = await rulesOf(store.read, 'acc_one');
    expect([second.config.version, second.groupsOf({ userId: 'usr_a', credentialId: 'key_a' })]).toEqual([
      2,
      ['grp_a'],
    ]);
    expect([
      second.groupsOf({ userId: null, credentialId: 'key_b' }),
      (await rulesOf(store.read, 'acc_two')).policies,
    ]).toEqual([[], []]);
  });

  it('changes take turns, and the first makes the row once', async () => {
    const others = [context.store, await context.beside()];
    const versions = await Promise.all(
      others.flatMap((store) =>
        Array.from({ length: 5 }, () =>
          store.write(async (tx) => {
            const version = (await tx.enterpriseConfig.lockOrMake('acc_one', AT)).version + 1;
            await tx.enterpriseConfig.update('acc_one', { version });
            return version;
          }),
        ),
      ),
    );
    expect(versions.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
}
