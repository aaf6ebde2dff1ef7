/** How passed proposals were executed, or could not be: each attempt that paid, and the last that did not come so far. */
import type { AccountId, ProposalId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import { integer, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const executionsTable = table('governance_executions', ['proposalId', 'attempt'], {
  accountId: text<AccountId>(),
  proposalId: text<ProposalId>(),
  /** From 1; 0: the last that failed before anything was kept of it. */
  attempt: integer,
  /** Of its payment, unsigned; null: it pays nothing. */
  txid: orNull(text<Txid>()),
  /** Why it failed, of 0. */
  reason: orNull(text()),
  /** When what it says was done, or its payment signed. */
  executedAt: orNull(time),
  createdAt: time,
});
export type ExecutionRecord = RecordOf<typeof executionsTable>;

declare module '../schema.ts' {
  interface Schema {
    governance_executions: RowOf<typeof executionsTable>;
  }
}

const executions = rowsOf(executionsTable);

export function executionRepository(session: Session) {
  return {
    /** Two jobs that claim one attempt: the second fails. */
    insert: async (execution: ExecutionRecord) => {
      await executions.insert(session, [execution]);
    },
    /** Attempt 0 takes the place of the one before. */
    noteFailure: async (failure: Omit<ExecutionRecord, 'attempt' | 'txid' | 'executedAt'>) => {
      const { accountId, proposalId, reason, createdAt } = failure;
      const key = { accountId, proposalId, attempt: 0 };
      if ((await executions.update(session, key, { reason, createdAt })) === 0n)
        await executions.insert(session, [{ ...failure, attempt: 0, txid: null, executedAt: null }]);
    },
    of: (accountId: AccountId, proposalId: ProposalId) =>
      executions.all(session, { accountId, proposalId }, 'order by attempt'),
    /** That its payment is signed; null where it is of none. */
    signed: async (accountId: AccountId, txid: Txid, executedAt: number): Promise<ExecutionRecord | null> => {
      await executions.update(session, { accountId, txid }, { executedAt });
      return executions.find(session, { accountId, txid });
    },
  };
}
