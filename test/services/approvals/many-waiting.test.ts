/** One account has 10,000 approvals waiting, and 2,500 that nobody approved in time: another's is carried out at once. */
import { expect, it, onTestFinished } from 'vitest';
import type { ApprovalId } from '../../../src/core/ids.ts';
import type { ApprovalSubject } from '../../../src/services/approvals/approval-subject.ts';
import { createApprovalWorker } from '../../../src/services/approvals/approval-worker.ts';
import { accountRecord, apiKeyRecord, approvalRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, silent } from '../../builders/stores.ts';

const [WAITING, OVER] = [10_000, 2_500];
const NOW = 1_800_000_000_000;
const idOf = (n: number) => `apr_${String(n).padStart(22, '0')}` as ApprovalId;

it('ends what is over in turns, and keeps nobody else waiting', async () => {
  const { store, close } = await openTemporarySqlite();
  onTestFinished(close);
  await store.write(async (tx) => {
    for (const account of ['acc_one', 'acc_two'] as const) await tx.accounts.insert(accountRecord(account));
    for (let n = 0; n < WAITING + OVER; n++)
      await tx.approvals.insert(approvalRecord(idOf(n), { expiresAt: n < OVER ? NOW - 1 : NOW + 1_000, createdAt: n }));
    const other = { accountId: 'acc_two', initiator: { kind: 'api_key', id: 'key_two', countsAs: null } } as const;
    await tx.apiKeys.insert(apiKeyRecord({ keyId: 'key_two', accountId: 'acc_two', role: 'operator', scopes: ['*'] }));
    await tx.approvals.insert(approvalRecord('apr_two', other));
    await tx.approvals.close(
      { accountId: 'acc_two', approvalId: 'apr_two' },
      { status: 'approved', reason: null, closedAt: NOW },
    );
  });
  const counts = { ended: 0, before: -1 };
  const subject: ApprovalSubject = {
    accessOf: () => ({ scope: 'transactions:write', role: 'operator' }),
    askAgain: async () => ({ denied: null, requirements: [] }),
    ended: async () => {
      counts.ended++;
    },
    async carryOut(approval) {
      counts.before = counts.ended;
      await store.write((tx) => tx.approvals.done(approval, NOW));
    },
  };
  const worker = createApprovalWorker({
    ...{ store, subjectOf: () => subject, clock: () => NOW, log: silent },
    rulesOf: async () => ({ groupsOf: () => [] }),
  });
  worker.start();
  onTestFinished(() => worker.stop());
  await expect.poll(() => counts.ended, { timeout: 90_000 }).toBe(OVER);
  expect(counts.before).toBeGreaterThanOrEqual(0);
  expect(counts.before).toBeLessThan(50);
  expect(await store.read.approvals.waiting('acc_one')).toMatchObject({ count: WAITING });
  const page = await store.read.approvals.page('acc_one', { status: 'pending' }, { limit: 100, offset: 0 });
  expect([page.data.length, page.data[0]?.approvalId]).toEqual([100, idOf(WAITING + OVER - 1)]);
});
