/** Executions of proposals, and what stands in the way of a treasury. */
import { expect, it } from 'vitest';
import { FIRST_PARAMETERS } from '../../../src/core/governance/parameters.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import type { ProposalRecord } from '../../../src/store/repositories/proposals.ts';
import { transactionRecord } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const ACCOUNT = 'acc_one';
const TXID = 'ab'.repeat(32) as Txid;
const passed = (letter: string, more: Partial<ProposalRecord> = {}): ProposalRecord => ({
  ...{ accountId: ACCOUNT, proposalId: `prp_${letter.repeat(22)}`, proposerId: 'key_a', title: 't', description: 'd' },
  initiator: { kind: 'api_key', id: 'key_a', role: 'admin', countsAs: null },
  ...{ type: 'treasury_spend', parameters: { wallet_id: 'wal_a' }, settings: FIRST_PARAMETERS, snapshotSeq: 1 },
  ...{ totalPower: 1n, status: 'passed', votesFor: 1n, votesAgainst: 0n, voters: 1, ballots: 1 },
  ...{ createdAt: 10, expiresAt: 20, endedAt: 20, cancelledAt: null, cancelReason: null },
  ...more,
});

export function executionTests(context: StoreContext): void {
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
