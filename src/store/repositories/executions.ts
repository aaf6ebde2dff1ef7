/** How passed proposals were executed, or could not be: each attempt that paid, and the last that did not come so far. */
import type { AccountId, ProposalId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import { integer, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { ProposalRecord } from './proposals.ts';

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
const ofTxids = prepared((db, p: { accountId: AccountId; txids: string }, kind) =>
  db
    .selectFrom('governance_executions')
    .select(['txid', 'proposal_id'])
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'txid', p.txids)),
);
const toPay = prepared((db, p: { accountId: AccountId; type: string; since: bigint; limit: bigint }) =>
  db
    .selectFrom('governance_proposals as proposal')
    .select(['parameters', 'settings', 'expires_at'])
    .where('account_id', '=', p.accountId)
    .where('status', '=', 'passed')
    .where('created_at', '>', p.since)
    .where('type', '=', p.type)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('governance_executions as execution')
            .select('attempt')
            .whereRef('execution.account_id', '=', 'proposal.account_id')
            .whereRef('execution.proposal_id', '=', 'proposal.proposal_id')
            .where('executed_at', 'is not', null),
        ),
      ),
    )
    .orderBy('created_at', 'desc')
    .limit(p.limit),
);

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
    /** Of the proposals that these payments are of, by the payment's unsigned txid. */
    proposalsOf: async (accountId: AccountId, txids: readonly Txid[]): Promise<ReadonlyMap<Txid, ProposalId>> => {
      const rows = await ofTxids.all(session, { accountId, txids: textList(txids) });
      return new Map(rows.map((row) => [row.txid as Txid, row.proposal_id as ProposalId]));
    },
    /** Passed proposals of this type that were not executed, as far as they can have been made since: the newest. */
    toPay: async (accountId: AccountId, type: string, since: number, limit: number) =>
      (await toPay.all(session, { accountId, type, since: BigInt(since), limit: BigInt(limit) })).map(
        ({ parameters, settings, expires_at }) => ({
          parameters: JSON.parse(parameters) as ProposalRecord['parameters'],
          settings: JSON.parse(settings) as ProposalRecord['settings'],
          expiresAt: Number(expires_at),
        }),
      ),
    /** That its payment is signed; null where it is of none. */
    signed: async (accountId: AccountId, txid: Txid, executedAt: number): Promise<ExecutionRecord | null> => {
      await executions.update(session, { accountId, txid }, { executedAt });
      return executions.find(session, { accountId, txid });
    },
  };
}
