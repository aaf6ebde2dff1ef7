/** Approvals and their votes. */

import { describe, expect, it } from 'vitest';
import type { ApprovalId } from '../../../src/core/ids.ts';
import type { ApprovalVoteRecord } from '../../../src/store/repositories/approval-votes.ts';
import type { ApprovalRecord } from '../../../src/store/repositories/approvals.ts';
import { approvalRecord } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const vote = (position: number, patch: Partial<ApprovalVoteRecord> = {}): ApprovalVoteRecord => ({
  ...{ accountId: 'acc_one', approvalId: 'apr_one', position, decision: 'approve', comment: null },
  ...{ credentialKind: 'api_key', credentialId: 'key_one', countsAs: 'usr_ada', role: 'operator', groupIds: ['grp_a'] },
  ...{ keyId: 'key', publicJwk: { kty: 'OKP', crv: 'Ed25519', x: 'x' }, nonce: 'nonce', path: '/approve' },
  ...{ signatureBase: 'base', signature: 'value', body: '{}', counted: false, createdAt: 1_700_000_000_000 },
  ...patch,
});

export function approvalTests(context: StoreContext): void {
  const insert = (...records: ApprovalRecord[]) =>
    context.store.write(async (tx) => {
      for (const record of records) await tx.approvals.insert(record);
    });
  const find = (id: ApprovalId) => context.store.read.approvals.find('acc_one', id);
  const end = { status: 'approved', reason: null, closedAt: 5 } as const;
  const TEN = { ofEach: 10, all: 10 };

  describe('approvals', () => {
    it('come back as they were, to their account alone, in pages by status and operation', async () => {
      const bump = approvalRecord('apr_two', { operation: 'bump', walletId: null, createdAt: 1_700_000_000_001 });
      await insert(approvalRecord('apr_one'), bump);
      expect(await find('apr_two')).toEqual(bump);
      const { approvals } = context.store.read;
      expect(await approvals.find('acc_two', 'apr_one')).toBeNull();
      const page = { limit: 10, offset: 0 };
      const ids = async (filter: object) =>
        (await approvals.page('acc_one', filter, page)).data.map(({ approvalId }) => approvalId);
      expect(await ids({})).toEqual(['apr_two', 'apr_one']);
      expect(await ids({ operation: 'payment', status: 'pending' })).toEqual(['apr_one']);
      expect(await ids({ status: 'approved' })).toEqual([]);
    });

    it('are not done while the account is frozen', async () => {
      const approval = approvalRecord('apr_one');
      await insert(approval);
      const done = () => context.store.write((tx) => tx.approvals.done(approval, 6));
      await context.store.write(async (tx) => {
        await tx.approvals.close(approval, end);
        await tx.accounts.freeze('acc_one', 5, null);
      });
      expect([await done(), (await find('apr_one'))!.doneAt]).toEqual([false, null]);
      await context.store.write((tx) => tx.accounts.unfreeze('acc_one'));
      expect([await done(), (await find('apr_one'))!.doneAt]).toEqual([true, 6]);
    });

    it('keep a secret result until its time, and any other for good', async () => {
      const { store } = context;
      await insert(approvalRecord('apr_one'), approvalRecord('apr_two'));
      await store.write(async (tx) => {
        for (const [id, resultUntil] of [['apr_one', 10] as const, ['apr_two', null] as const]) {
          await tx.approvals.close(approvalRecord(id), end);
          expect(await tx.approvals.done(approvalRecord(id), 6, { result: 'sealed', resultUntil })).toBe(true);
        }
        expect(await tx.approvals.eraseResults(9)).toBe(0);
        expect(await tx.approvals.eraseResults(10)).toBe(1);
      });
      expect(await find('apr_one')).toMatchObject({ status: 'approved', result: null, resultUntil: null });
      expect(await find('apr_two')).toMatchObject({ result: 'sealed' });
      await insert(approvalRecord('apr_three'));
      await store.write(async (tx) => {
        for (const id of ['apr_two', 'apr_three'] as const) await tx.approvals.amend(approvalRecord(id), 'later');
      });
      expect([(await find('apr_two'))!.result, (await find('apr_three'))!.result]).toEqual(['later', null]);
    });

    it('close once, are done once, and fail only before that', async () => {
      const { store } = context;
      const one = approvalRecord('apr_one');
      await insert(one, approvalRecord('apr_two'));
      expect(await store.read.approvals.due(one.expiresAt - 1, TEN)).toEqual([]);
      expect(await store.read.approvals.due(one.expiresAt, TEN)).toHaveLength(2);
      await store.write(async (tx) => {
        expect(await tx.approvals.done(one, 6)).toBe(false);
        expect(await tx.approvals.fail(one, 'no')).toBe(false);
        expect(await tx.approvals.close(one, end)).toBe(true);
        expect(await tx.approvals.close(one, { ...end, status: 'rejected' })).toBe(false);
      });
      expect((await store.read.approvals.toDo(TEN)).map(({ approvalId }) => approvalId)).toEqual(['apr_one']);
      await store.write(async (tx) => {
        expect(await tx.approvals.done(one, 6)).toBe(true);
        expect(await tx.approvals.done(one, 7)).toBe(false);
        expect(await tx.approvals.fail(one, 'late')).toBe(false);
      });
      expect(await find('apr_one')).toMatchObject({ ...end, doneAt: 6 });
      expect(await store.read.approvals.toDo(TEN)).toEqual([]);
      expect(await store.read.approvals.due(one.expiresAt, TEN)).toEqual([
        { accountId: 'acc_one', approvalId: 'apr_two', operation: 'payment' },
      ]);
      const two = approvalRecord('apr_two');
      await store.write(async (tx) => {
        await tx.approvals.close(two, end);
        await tx.accounts.freeze('acc_one', 7, 'a test');
        expect(await tx.approvals.toDo(TEN)).toEqual([]);
        await tx.accounts.unfreeze('acc_one');
        expect(await tx.approvals.toDo(TEN)).toHaveLength(1);
        expect(await tx.approvals.fail(two, 'a coin is gone')).toBe(true);
      });
      expect(await find('apr_two')).toMatchObject({ status: 'failed', reason: 'a coin is gone' });
    });

    it('are found by account in turn, so that what one cannot do holds up no other', async () => {
      const { approvals } = context.store.read;
      const three = (['apr_a', 'apr_b', 'apr_c'] as const).map((id, at) =>
        approvalRecord(id, { status: 'approved', closedAt: at, subject: id }),
      );
      const other = approvalRecord('apr_d', { accountId: 'acc_two', status: 'approved', closedAt: 9 });
      await insert(...three, other);
      const ids = (found: { approvalId: ApprovalId }[]) => found.map(({ approvalId }) => approvalId);
      expect(ids(await approvals.toDo({ ofEach: 2, all: 3 }))).toEqual(['apr_a', 'apr_d', 'apr_b']);
      expect(ids(await approvals.toDo({ ofEach: 1, all: 3 }))).toEqual(['apr_a', 'apr_d']);
      const late = (['apr_e', 'apr_f'] as const).map((id, at) => approvalRecord(id, { expiresAt: at, subject: id }));
      await insert(...late, approvalRecord('apr_g', { accountId: 'acc_two', expiresAt: 9 }));
      expect(ids(await approvals.due(9, { ofEach: 1, all: 3 }))).toEqual(['apr_e', 'apr_g']);
    });

    it('are counted while they wait, of an account and in all, and once approved until they are done', async () => {
      const { store } = context;
      const { approvals, metrics } = store.read;
      await insert(
        approvalRecord('apr_new', { createdAt: 9 }),
        approvalRecord('apr_old', { createdAt: 7 }),
        approvalRecord('apr_over', { createdAt: 1, status: 'rejected', closedAt: 2 }),
      );
      expect(await approvals.waiting('acc_one')).toEqual({ count: 2, oldestAt: 7 });
      expect(await approvals.waiting('acc_two')).toEqual({ count: 0, oldestAt: null });
      await store.write((tx) => tx.approvals.close(approvalRecord('apr_old'), end));
      expect(await approvals.waiting('acc_one')).toEqual({ count: 1, oldestAt: 9 });
      const waiting = { count: 1, oldestAt: 9 };
      expect(await metrics.openApprovals()).toEqual({ waiting, approved: { count: 1, oldestAt: 5 } });
      await store.write((tx) => tx.accounts.freeze('acc_one', 7, 'a test'));
      expect((await metrics.openApprovals()).approved.count).toBe(0);
      await store.write(async (tx) => {
        await tx.accounts.unfreeze('acc_one');
        await tx.approvals.done(approvalRecord('apr_old'), 6);
      });
      expect(await metrics.openApprovals()).toEqual({ waiting, approved: { count: 0, oldestAt: null } });
    });

    it('want other votes by now, and keep those that came in their order, each place once', async () => {
      const { store } = context;
      await insert(approvalRecord('apr_one'));
      const requirements = [{ policyId: 'pol_two', required: 2, from: { groups: ['grp_a'] }, expiresInHours: 1 }];
      const reject = vote(2, { decision: 'reject', comment: 'no', countsAs: null });
      await store.write(async (tx) => {
        await tx.approvals.require({ accountId: 'acc_one', approvalId: 'apr_one' }, requirements);
        await tx.approvalVotes.insert(vote(1));
        await tx.approvalVotes.insert(reject);
        await tx.approvalVotes.count('acc_one', 'apr_one', [1]);
      });
      expect((await find('apr_one'))?.requirements).toEqual(requirements);
      expect(await store.read.approvalVotes.of('acc_one', 'apr_one')).toEqual([vote(1, { counted: true }), reject]);
      expect(await store.read.approvalVotes.of('acc_two', 'apr_one')).toEqual([]);
      await expect(store.write((tx) => tx.approvalVotes.insert(vote(2)))).rejects.toThrow();
    });
  });
}
