import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { AttestationRecord, AttestationRepository } from '../interfaces/oracles.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { newestFirst } from '../queries/newest-first.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { countAttestedBy } from './due-contracts.ts';
import { endPolling } from './polled-events.ts';

const insertAttestations = insertRows(
  'attestations',
  [
    'attestation_id',
    'account_id',
    'oracle_id',
    'event_id',
    'outcomes',
    'outcomes_digest',
    'attestation',
    'source',
    'created_at',
  ],
  'on conflict do nothing',
);
const byId = prepared((db, p: { accountId: string; attestationId: string }) =>
  db
    .selectFrom('attestations')
    .selectAll()
    .where('attestation_id', '=', p.attestationId)
    .where('account_id', '=', p.accountId),
);
const ofEvent = prepared((db, p: { accountId: string; oracleId: string; eventId: string }) =>
  db
    .selectFrom('attestations')
    .selectAll()
    .where('oracle_id', '=', p.oracleId)
    .where('event_id', '=', p.eventId)
    .where('account_id', '=', p.accountId)
    .orderBy('created_at')
    .orderBy('attestation_id'),
);

const toAttestation = (row: Selectable<Schema['attestations']>): AttestationRecord => ({
  attestationId: row.attestation_id,
  accountId: row.account_id,
  oracleId: row.oracle_id,
  eventId: row.event_id,
  outcomes: row.outcomes,
  attestation: row.attestation,
  source: row.source as AttestationRecord['source'],
  createdAt: Number(row.created_at),
});

export function attestationRepository(session: Session): AttestationRepository {
  return {
    insert: async (attestation) => {
      const { changes } = await insertAttestations(session, [
        {
          attestation_id: attestation.attestationId,
          account_id: attestation.accountId,
          oracle_id: attestation.oracleId,
          event_id: attestation.eventId,
          outcomes: attestation.outcomes,
          outcomes_digest: createHash('sha256').update(attestation.outcomes).digest('hex'),
          attestation: attestation.attestation,
          source: attestation.source,
          created_at: BigInt(attestation.createdAt),
        },
      ]);
      if (changes === 0n) return false;
      const { accountId, oracleId, eventId } = attestation;
      await endPolling.run(session, { accountId, oracleId, eventId });
      await countAttestedBy(session, { accountId, oracleId, eventId });
      return true;
    },
    find: async (accountId, attestationId) => {
      const row = await byId.first(session, { accountId, attestationId });
      return row && toAttestation(row);
    },
    ofEvent: async (accountId, oracleId, eventId) =>
      (await ofEvent.all(session, { accountId, oracleId, eventId })).map(toAttestation),
    list: (accountId, filter, page) => {
      let matching = session.db.selectFrom('attestations').where('attestations.account_id', '=', accountId);
      if (filter.oracleId !== undefined) matching = matching.where('attestations.oracle_id', '=', filter.oracleId);
      if (filter.eventId !== undefined) matching = matching.where('attestations.event_id', '=', filter.eventId);
      const { equivocated } = filter;
      if (equivocated !== undefined) {
        matching = matching.where((eb) => {
          const another = eb.exists(
            eb
              .selectFrom('attestations as other')
              .select('other.attestation_id')
              .whereRef('other.oracle_id', '=', 'attestations.oracle_id')
              .whereRef('other.event_id', '=', 'attestations.event_id')
              .whereRef('other.attestation_id', '!=', 'attestations.attestation_id'),
          );
          return equivocated ? another : eb.not(another);
        });
      }
      return newestFirst('attestations', page, {
        rows: (start, limit) => {
          const rows = matching
            .selectAll('attestations')
            .orderBy('created_at', 'desc')
            .orderBy('attestation_id', 'desc')
            .limit(limit);
          if ('offset' in start) return rows.offset(start.offset).execute();
          const { createdAt, id } = start.before;
          return rows
            .where((eb) => eb(eb.refTuple('created_at', 'attestation_id'), '<', eb.tuple(createdAt, id)))
            .execute();
        },
        count: async () =>
          (await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow()).count,
        idOf: (row) => row.attestation_id,
        toRecord: toAttestation,
      });
    },
  };
}
