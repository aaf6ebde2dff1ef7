/** Executions of proposals, and what stands in the way of a treasury. */
import { expect, it } from 'vitest';
import { FIRST_PARAMETERS } from '../../../src/core/governance/parameters.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import { NO_EXECUTION, type ProposalRecord } from '../../../src/store/repositories/proposals.ts';
import { approvalRecord, transactionRecord } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const ACCOUNT = 'acc_one';
const TXID = 'ab'.repeat(32) as Txid;
const passed = (letter: string, more: Partial<ProposalRecord> = {}): ProposalRecord => ({
  ...{ accountId: ACCOUNT, proposalId: `prp_${letter.repeat(22)}`, proposerId: 'key_a', title: 't', description: 'd' },
  initiator: { kind: 'api_key', id: 'key_a', role: 'admin', countsAs: null },
  ...{ type: 'treasury_spend', parameters: { wallet_id: 'wal_a' }, settings: FIRST_PARAMETERS, snapshotSeq: 1 },
  ...{ totalPower: 1n, status: 'passed', votesFor: 1n, votesAgainst: 0n, voters: 1, ballots: 1 },
  ...{ createdAt: 10, expiresAt: 20, endedAt: 20, cancelledAt: null, cancelReason: null },
  ...NO_EXECUTION,
  ...more,
});

export function executionTests(context: StoreContext): void {
  it('has one looked at again when its payment or its approval moves, or time has come', async () => {
    const { store } = context;
    const { proposalId } = passed('a');
    const lookedAt = async (at = 0) => {
      const due = await store.read.proposals.executionsDue(ACCOUNT, at, 10);
      expect([await store.read.proposals.executionsDue('acc_two', at, 10), due.length > 0]).toEqual([
        ...[[], await store.read.proposals.isDue(ACCOUNT)],
      ]);
      expect(await store.read.proposals.dueAccounts(10)).toEqual(due.length > 0 ? [ACCOUNT] : []);
      const later = { executionDueAt: Number.MAX_SAFE_INTEGER, executionStatus: 'ready' } as const;
      await store.write((tx) => tx.proposals.update({ accountId: ACCOUNT, proposalId }, later));
      return due;
    };
    await store.write(async (tx) => {
      await tx.proposals.insert({ ...passed('a'), executionDueAt: 0 });
      const attempt = { attempt: 1, txid: TXID, reason: null, executedAt: null, createdAt: 5 };
      await tx.executions.insert({ ...attempt, accountId: ACCOUNT, proposalId });
      for (const [name, txid] of [
        ['own', TXID],
        ['other', 'cd'.repeat(32) as Txid],
      ] as const)
        await tx.transactions.insert(
          transactionRecord(name, { accountId: ACCOUNT, txid, unsignedTxid: txid, status: 'signed' }),
          [],
          [],
        );
    });
    expect(await lookedAt()).toEqual([proposalId]);
    await store.write((tx) =>
      tx.transactions.update(ACCOUNT, 'cd'.repeat(32) as Txid, { status: 'failed', updatedAt: 6 }),
    );
    expect(await lookedAt()).toEqual([]);
    await store.write((tx) => tx.transactions.update(ACCOUNT, TXID, { status: 'failed', updatedAt: 6 }));
    expect(await lookedAt()).toEqual([proposalId]);
    const approval = approvalRecord('apr_one', { subject: proposalId, requestOf: 'dao.execute', request: 'r' });
    await store.write((tx) => tx.approvals.insert(approval));
    expect(await lookedAt()).toEqual([proposalId]);
    const of = { subject: proposalId, requestOf: 'dao.execute' };
    const { approvalId } = approval;
    expect(await store.read.approvals.notGivenUp(ACCOUNT, of)).toEqual([{ approvalId, isDone: false }]);
    await store.write((tx) => tx.approvals.close(approval, { status: 'rejected', reason: 'no', closedAt: 9 }));
    expect(await lookedAt()).toEqual([proposalId]);
    expect(await store.read.approvals.notGivenUp(ACCOUNT, of)).toEqual([]);
    const page = (executionStatus: 'ready' | 'failed') =>
      store.read.proposals.page({ accountId: ACCOUNT } as never, { executionStatus }, { limit: 1, offset: 0 });
    expect([(await page('ready')).total, (await page('failed')).total]).toEqual([1, 0]);
  });

  it('counts for metrics what nobody has carried out, and since when the oldest waits', async () => {
    const { store } = context;
    const waits = (letter: string, executionStatus: ProposalRecord['executionStatus'], executionSince: number) =>
      passed(letter, { executionStatus, executionSince });
    await store.write(async (tx) => {
      const made = [waits('a', 'ready', 9), waits('b', 'ready', 7), waits('c', 'awaiting_approval', 5)];
      for (const proposal of [...made, waits('d', 'executed', 1)]) await tx.proposals.insert(proposal);
    });
    expect(await store.read.metrics.governance()).toEqual({
      proposals: { active: 0, passed: 0, rejected: 0 },
      executions: { ready: { count: 2, oldestAt: 7 }, awaiting_approval: { count: 1, oldestAt: 5 } },
    });
  });

  it('keeps each attempt that paid and the last that failed before, and knows what is still to be paid', async () => {
    const { store } = context;
    const [one, other, text] = [passed('a'), passed('b', { createdAt: 11 }), passed('c', { type: 'text' })];
    const of = ({ proposalId }: ProposalRecord) => ({ accountId: ACCOUNT, proposalId }) as const;
    const paying = { ...of(one), attempt: 1, txid: TXID, reason: null, executedAt: null, createdAt: 5 };
    await store.write(async (tx) => {
      for (const proposal of [one, other, text]) await tx.proposals.insert(proposal);
      for (const reason of ['first', 'second']) await tx.executions.noteFailure({ ...of(one), reason, createdAt: 4 });
      await tx.executions.insert(paying);
    });
    await expect(store.write((tx) => tx.executions.insert({ ...paying, txid: null }))).rejects.toThrow();
    const { executions, treasuries } = store.read;
    expect(await executions.of(ACCOUNT, one.proposalId)).toMatchObject([{ attempt: 0, reason: 'second' }, paying]);
    expect(await executions.proposalsOf(ACCOUNT, [TXID])).toEqual(new Map([[TXID, one.proposalId]]));
    const toPay = (since: number) => executions.toPay(ACCOUNT, 'treasury_spend', since, 10);
    expect((await toPay(0)).map(({ expiresAt }) => expiresAt)).toEqual([20, 20]);
    const payment = transactionRecord('a payment', { accountId: ACCOUNT, txid: TXID, unsignedTxid: TXID });
    await store.write(async (tx) => {
      await tx.executions.signed(ACCOUNT, TXID, 7);
      await tx.transactions.insert(payment, [], []);
    });
    expect(await toPay(0)).toMatchObject([{ parameters: { wallet_id: 'wal_a' }, settings: FIRST_PARAMETERS }]);
    expect(await toPay(11)).toEqual([]);
    expect(await store.write((tx) => tx.executions.signed(ACCOUNT, 'cd'.repeat(32) as Txid, 7))).toBeNull();
    expect([await treasuries.waiting(ACCOUNT, 'wal_a'), await treasuries.inContract(ACCOUNT, 'wal_a')]).toEqual([
      ...[null, null],
    ]);
  });
}
