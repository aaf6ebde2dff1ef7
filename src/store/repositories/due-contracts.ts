/** Which contracts have something to be done, by the indexes of migration 27: those that wait are not read. */
import { type ExpressionBuilder, sql } from 'kysely';
import type { AccountId, ContractId, OracleId } from '../../core/ids.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';

/** Written as in the indexes: only then are those taken. */
export const open = sql<boolean>`(status in ('awaiting_approval', 'offered', 'accepted', 'signed', 'funded', 'confirmed', 'executed', 'refunded')
  or (status = 'closed' and closing_kind = 'cet' and outcome is null))`;
const inHand = sql<boolean>`((status = 'awaiting_approval' and attested > 0)
      or (status = 'offered' and (role = 'both' or attested > 0 or (role = 'accepter' and accept_side is not null)))
      or (status = 'accepted' and (role <> 'accepter' or attested > 0))
      or (status = 'signed' and role <> 'offerer')
      or status in ('executed', 'refunded')
      or (status in ('funded', 'confirmed') and closing_txid is not null and closing_height is null)
      or (status = 'closed' and closing_kind = 'cet' and outcome is null))`;
const expiring = sql<boolean>`(status in ('awaiting_approval', 'offered', 'accepted') and expires_at is not null)`;
const refundable = sql<boolean>`(status in ('awaiting_approval', 'offered', 'accepted') or (status = 'confirmed' and closing_txid is null))`;
const attested = sql<boolean>`(status = 'confirmed' and closing_txid is null and attested >= threshold)`;
/** From here on a locktime is a time. */
const MIN_TIME = sql.lit(500_000_000);

/**
 * A page, oldest first, of what `now` (epoch milliseconds), the height and the median time (Unix seconds) make due. What is in hand may be
 * much: of that no more is read than fits the page.
 */
export const dueAfter = prepared(
  (
    db,
    p: { now: bigint; height: bigint; medianTime: bigint; createdAt: bigint; contractId: string; limit: bigint },
  ) => {
    const after = sql<boolean>`(created_at, contract_id) > (${p.createdAt}, ${p.contractId})`;
    return db
      .selectFrom('contracts')
      .selectAll()
      .where(
        sql<boolean>`contract_id in (
          select contract_id from (select contract_id from contracts where ${inHand} and ${after}
            order by created_at, contract_id limit ${p.limit}) as in_hand
          union all select contract_id from contracts where ${expiring} and expires_at <= ${p.now}
          union all select contract_id from contracts where ${refundable} and refund_locktime <= ${p.height}
          union all select contract_id from contracts
            where ${refundable} and refund_locktime >= ${MIN_TIME} and refund_locktime <= ${p.medianTime}
          union all select contract_id from contracts where ${attested} and cet_locktime <= ${p.height}
          union all select contract_id from contracts
            where ${attested} and cet_locktime >= ${MIN_TIME} and cet_locktime <= ${p.medianTime})`,
      )
      .where(after)
      .orderBy('created_at')
      .orderBy('contract_id')
      .limit(p.limit);
  },
);

/** Of how many of a contract's events an attestation is kept. */
const attestedEvents = sql`(select count(*) from contract_oracles as link where link.contract_id = contracts.contract_id
  and exists (select 1 from attestations as kept
    where kept.oracle_id = link.oracle_id and kept.event_id = link.event_id))`;

/**
 * Jobs on PostgreSQL do not see each other's rows: whoever keeps an attestation holds its event, and whoever comes to wait for it waits for
 * that job, or it for this one.
 */
const heldEventsOf = prepared((db, p: { accountId: AccountId; contractId: ContractId }) =>
  db
    .selectFrom('oracle_events')
    .select('event_id')
    .where('account_id', '=', p.accountId)
    .where(
      sql<boolean>`(oracle_id, event_id) in (select link.oracle_id, link.event_id from contract_oracles as link
        where link.contract_id = ${p.contractId} and link.event_id is not null)`,
    )
    .orderBy('oracle_id')
    .orderBy('event_id')
    .forShare(),
);
const countOf = prepared((db, p: { accountId: AccountId; contractId: ContractId }) =>
  db
    .updateTable('contracts')
    .set({ attested: sql<bigint>`${attestedEvents}` })
    .where('contract_id', '=', p.contractId)
    .where('account_id', '=', p.accountId),
);

interface Event {
  accountId: AccountId;
  oracleId: OracleId;
  eventId: string;
}
/** Two attestations of one contract are counted one after the other: a statement that waited within itself would not see the first. */
const heldBy = prepared((db, p: Event) =>
  db
    .selectFrom('contracts')
    .select('contract_id')
    .where('account_id', '=', p.accountId)
    .where('contract_id', 'in', (eb) => naming(eb, p))
    .orderBy('contract_id')
    .forNoKeyUpdate(),
);
const countBy = prepared((db, p: Event) =>
  db
    .updateTable('contracts')
    .set({ attested: sql<bigint>`${attestedEvents}` })
    .where('account_id', '=', p.accountId)
    .where('contract_id', 'in', (eb) => naming(eb, p)),
);
const naming = (eb: ExpressionBuilder<Schema, 'contracts'>, { oracleId, eventId }: Event) =>
  eb
    .selectFrom('contract_oracles')
    .select('contract_oracles.contract_id')
    .where('oracle_id', '=', oracleId)
    .where('event_id', '=', eventId);

/** Of one contract, whose events became others. */
export async function countAttestedOf(
  session: Session,
  key: { accountId: AccountId; contractId: ContractId },
): Promise<void> {
  if (session.kind === 'postgres') await heldEventsOf.all(session, key);
  await countOf.run(session, key);
}

/** Of those that name an event, which the job holds, and of which an attestation became known. */
export async function countAttestedBy(session: Session, event: Event): Promise<void> {
  if (session.kind === 'postgres') await heldBy.all(session, event);
  await countBy.run(session, event);
}
