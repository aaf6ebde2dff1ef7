/** Notification rules and preferences: whose time has come, a cursor that only its own work moves, and one account's alone. */
import { expect, it } from 'vitest';
import type { RuleRecord } from '../../../src/store/repositories/notification-rules.ts';
import type { StoreContext } from '../store.ts';

export function notificationRuleTests(context: StoreContext): void {
  const rule = (ruleId: RuleRecord['ruleId'], patch: Partial<RuleRecord> = {}): RuleRecord => ({
    ...{ ruleId, accountId: 'acc_one', description: null, events: ['*'], channel: 'in_app' },
    ...{ target: { kind: 'subject', id: 'usr_one' }, amountOverSats: 5n, wallets: null, digest: 'daily' },
    ...{ timezone: 'UTC', enabled: true, readsBlocks: false, makerKind: 'person', makerId: 'usr_one' },
    ...{ makerRole: 'admin', makerScopes: ['*'], disabledReason: null, toldSeq: 3n, gathered: 1 },
    ...{ lines: [{ type: 'block.connected', text: 'one' }], nextAt: null, createdAt: 1, updatedAt: 1 },
    ...patch,
  });
  const insert = (...records: RuleRecord[]) =>
    context.store.write(async (tx) => {
      for (const record of records) await tx.notificationRules.insert(record);
    });

  it('are kept whole, and are their account’s alone', async () => {
    const record = rule('nrl_one', { wallets: ['wal_one'], nextAt: 5 });
    await insert(record);
    const { notificationRules } = context.store.read;
    expect(await notificationRules.find('acc_one', 'nrl_one')).toEqual(record);
    expect(await notificationRules.find('acc_two', 'nrl_one')).toBeNull();
    expect((await notificationRules.list('acc_two', { limit: 5, offset: 0 })).total).toBe(0);
    const other = { accountId: 'acc_two', ruleId: 'nrl_one' } as const;
    expect(await context.store.write((tx) => tx.notificationRules.delete(other))).toBe(false);
  });

  it('are due and listen while they are enabled, and move on from where they were read alone', async () => {
    const [first, later] = [rule('nrl_1', { nextAt: 2 }), rule('nrl_2', { nextAt: 3, readsBlocks: true })];
    await insert(later, first, rule('nrl_3', { enabled: false, nextAt: 1, readsBlocks: true }));
    const { notificationRules } = context.store.read;
    const ids = (rules: readonly RuleRecord[]) => rules.map(({ ruleId }) => ruleId);
    expect(ids(await notificationRules.due(2, 5))).toEqual(['nrl_1']);
    expect(ids(await notificationRules.due(9, 5))).toEqual(['nrl_1', 'nrl_2']);
    expect(ids(await notificationRules.listening('acc_one')).sort()).toEqual(['nrl_1', 'nrl_2']);
    expect(ids(await notificationRules.readingBlocks('', 5))).toEqual(['nrl_2']);
    const progress = (record: RuleRecord) =>
      context.store.write((tx) => tx.notificationRules.progress(record, { toldSeq: 7n }));
    expect([await progress(first), await progress(first)]).toEqual([true, false]);
    expect(await progress({ ...later, updatedAt: 2 })).toBe(false);
  });

  it('preferences are made once, and belong to one subject of one account', async () => {
    const key = { accountId: 'acc_one', subject: 'usr_one' } as const;
    const channels = { push: true, email: false };
    const made = { ...key, version: 0, channels, quietHours: null, currency: 'BTC', updatedAt: 1 };
    const record = { ...made, version: 1, quietHours: { timezone: 'UTC', from: '22:00', to: '07:00' } };
    await context.store.write(async (tx) => {
      expect(await tx.notificationPreferences.lockOrMake(made)).toEqual(made);
      await tx.notificationPreferences.update(record);
      expect(await tx.notificationPreferences.lockOrMake(made)).toEqual(record);
    });
    const { notificationPreferences } = context.store.read;
    expect(await notificationPreferences.find(key)).toEqual(record);
    expect(await notificationPreferences.find({ ...key, accountId: 'acc_two' })).toBeNull();
  });
}
