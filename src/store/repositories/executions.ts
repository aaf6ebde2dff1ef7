/** How passed proposals were executed, or could not be: each attempt that paid, and the last that did not come so far. */
import { sql } from 'kysely';
import type { AccountId, ProposalId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import { integer, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { TransactionStatus } from '../records.ts';
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
/** Whether a payment of the proposal has one of these statuses. */
const hasPayment = (statuses: readonly TransactionStatus[]) =>
  sql<boolean>`exists (select 1 from governance_executions as execution
    join transactions as payment on payment.account_id = execution.account_id
      and (payment.txid = execution.txid or (payment.unsigned_txid = execution.txid and payment.unsigned_txid <> payment.txid))
    where execution.account_id = proposal.account_id and execution.proposal_id = proposal.proposal_id
      and payment.status in (${sql.join(statuses.map((status) => sql.lit(status)))}))`;
const toPay = prepared((db, p: { accountId: AccountId; type: string; since: bigint; limit: bigint }) =>
  db
    .selectFrom('governance_proposals as proposal')
    .select(['parameters', 'settings', 'expires_at'])
    .select(hasPayment(['awaiting_approval', 'awaiting_signature']).as('waits'))
    .where('account_id', '=', p.accountId)
    .where('status', '=', 'passed')
    .where('created_at', '>', p.since)
    .where('type', '=', p.type)
    .where(sql<boolean>`not ${hasPayment(['signed', 'broadcast', 'confirmed'])}`)
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
    /** Passed proposals of this type whose payment is not signed, or was lost, as far as they can have been made since: the newest. */
    toPay: async (accountId: AccountId, type: string, since: number, limit: number) =>
      (await toPay.all(session, { accountId, type, since: BigInt(since), limit: BigInt(limit) })).map(
        ({ parameters, settings, expires_at, waits }) => ({
          parameters: JSON.parse(parameters) as ProposalRecord['parameters'],
          settings: JSON.parse(settings) as ProposalRecord['settings'],
          expiresAt: Number(expires_at),
          waits: Boolean(waits),
        }),
      ),
    /** That its payment is signed; null where it is of none. */
    signed: async (accountId: AccountId, txid: Txid, executedAt: number): Promise<ExecutionRecord | null> => {
      await executions.update(session, { accountId, txid }, { executedAt });
      return executions.find(session, { accountId, txid });
    },
  };
}
