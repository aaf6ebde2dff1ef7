/** Which contracts have something to be done, by the indexes of migration 10: those that wait are not read. */
import { sql } from 'kysely';
import { prepared } from '../queries/prepared.ts';

/** Written as in the indexes: only then are those taken. */
export const open = sql<boolean>`(status in ('offered', 'accepted', 'signed', 'funded', 'confirmed', 'executed', 'refunded')
  or (status = 'closed' and closing_kind = 'cet' and outcome is null))`;
const inHand = sql<boolean>`((status = 'offered' and (role = 'both' or attested > 0 or (role = 'accepter' and accept_side is not null)))
      or (status = 'accepted' and (role <> 'accepter' or attested > 0))
      or status in ('signed', 'executed', 'refunded')
      or (status in ('funded', 'confirmed') and closing_txid is not null and closing_height is null)
      or (status = 'closed' and closing_kind = 'cet' and outcome is null))`;
const expiring = sql<boolean>`(status in ('offered', 'accepted') and expires_at is not null)`;
const refundable = sql<boolean>`(status in ('offered', 'accepted') or (status = 'confirmed' and closing_txid is null))`;
const attested = sql<boolean>`(status = 'confirmed' and closing_txid is null and attested >= threshold)`;
/** From here on a locktime is a time. */
const LEAST_TIME = sql.lit(500_000_000);

/** A page, oldest first, of what `now` (epoch milliseconds), the height and the median time (Unix seconds) make due. */
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
          select contract_id from contracts where ${inHand} and ${after}
          union all select contract_id from contracts where ${expiring} and expires_at <= ${p.now}
          union all select contract_id from contracts where ${refundable} and refund_locktime <= ${p.height}
          union all select contract_id from contracts
            where ${refundable} and refund_locktime >= ${LEAST_TIME} and refund_locktime <= ${p.medianTime}
          union all select contract_id from contracts where ${attested} and cet_locktime <= ${p.height}
          union all select contract_id from contracts
            where ${attested} and cet_locktime >= ${LEAST_TIME} and cet_locktime <= ${p.medianTime})`,
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

/** Of one contract, whose events became others. */
export const countAttestedOf = prepared((db, p: { accountId: string; contractId: string }) =>
  db
    .updateTable('contracts')
    .set({ attested: sql<bigint>`${attestedEvents}` })
    .where('contract_id', '=', p.contractId)
    .where('account_id', '=', p.accountId),
);

/** Of those that name an event, of which an attestation became known. */
export const countAttestedBy = prepared((db, p: { accountId: string; oracleId: string; eventId: string }) =>
  db
    .updateTable('contracts')
    .set({ attested: sql<bigint>`${attestedEvents}` })
    .where('account_id', '=', p.accountId)
    .where('contract_id', 'in', (eb) =>
      eb
        .selectFrom('contract_oracles')
        .select('contract_oracles.contract_id')
        .where('oracle_id', '=', p.oracleId)
        .where('event_id', '=', p.eventId),
    ),
);
