/** What is approved and cannot be carried out is named in the log: each approval now and then, however often it is tried. */
import { expect, it, onTestFinished } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import type { ApprovalSubject } from '../../../src/services/approvals/approval-subject.ts';
import { createApprovalWorker } from '../../../src/services/approvals/approval-worker.ts';
import { accountRecord, apiKeyRecord, approvalRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite } from '../../builders/stores.ts';

const MINUTE_MS = 60_000;

it('names an approval while the node is away, and one that fails by itself beside others', async () => {
  const { store, close } = await openTemporarySqlite();
  onTestFinished(close);
  let now = 1_800_000_000_000;
  await store.write(async (tx) => {
    await tx.accounts.insert(accountRecord('acc_one'));
    const key = { keyId: 'key_one', accountId: 'acc_one', role: 'operator', scopes: ['*'] } as const;
    await tx.apiKeys.insert(apiKeyRecord(key));
    const initiator = { kind: 'api_key', id: 'key_one', countsAs: null } as const;
    for (const approvalId of ['apr_broken', 'apr_sound'] as const) {
      await tx.approvals.insert(approvalRecord(approvalId, { accountId: 'acc_one', initiator }));
      await tx.approvals.close(
        { accountId: 'acc_one', approvalId },
        { status: 'approved', reason: null, closedAt: now },
      );
    }
  });
  let away = true;
  const subject: ApprovalSubject = {
    accessOf: () => ({ scope: 'transactions:write', role: 'operator' }),
    askAgain: async () => ({ denied: null, requirements: [] }),
    ended: async () => {},
    async carryOut(approval) {
      if (away) throw new DomainError('node_unavailable', 'the node does not answer');
      if (approval.approvalId === 'apr_broken') throw new Error('its coins are unreadable');
      await store.write((tx) => tx.approvals.done(approval, now));
    },
  };
  const lines: { approvalId?: string; kind?: string; reason?: string; attempts?: number }[] = [];
  const warn = (facts: object): void => void lines.push(facts);
  const worker = createApprovalWorker({
    ...{ store, subjectOf: () => subject, clock: () => now, log: { warn, info() {}, error() {} } },
    rulesOf: async () => ({ groupsOf: () => [] }),
  });
  const named = () => lines.filter(({ approvalId }) => approvalId !== undefined);
  worker.start();
  onTestFinished(() => worker.stop());
  await expect.poll(() => worker.counts().failures, { timeout: 60_000 }).toBeGreaterThanOrEqual(4);
  const reason = 'the node does not answer';
  expect(named().toSorted((one, other) => (one.approvalId! < other.approvalId! ? -1 : 1))).toEqual(
    ['apr_broken', 'apr_sound'].map((approvalId) => ({
      ...{ approvalId, accountId: 'acc_one', kind: approvalRecord('apr_one', {}).operation, attempts: 1, reason },
    })),
  );
  away = false;
  now += 10 * MINUTE_MS;
  await expect.poll(() => named().length, { timeout: 60_000 }).toBe(3);
  expect(named()[2]).toMatchObject({ approvalId: 'apr_broken', reason: 'its coins are unreadable' });
  expect(named()[2]?.attempts).toBeGreaterThan(1);
  const { failures } = worker.counts();
  await expect.poll(() => worker.counts().failures, { timeout: 60_000 }).toBeGreaterThan(failures);
  expect(named()).toHaveLength(3);
});
